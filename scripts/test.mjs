/**
 * `npm test`: everything that must hold, from a fresh clone with only Node and git. Builds, starts a database and Redis of its own,
 * finds a browser, then runs the linter, the type check and Jest, and ends with the line `N passed, M failed`.
 *
 * `--long` adds the long tests. Further arguments go to Jest, and then only Jest runs: `npm test -- libs/policy`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOrExit, ROOT } from './build.mjs';
import { tellFaults } from './fault-count.mjs';
import { findBrowser, startPostgres, startRedis, ServiceMissing } from './test-services.mjs';

const NX = join(ROOT, 'node_modules/nx/dist/bin/nx.js');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
/** Settings of a running service must not reach the tests. */
const OWN_SETTINGS = /^(COUNTERSIGN_|DATABASE_|REDIS_URL$|HOST$|GATEWAY_PORT$|APPROVER_PORT$|LOG_LEVEL$)/;

/** The caller says how many tests run at once. */
const WORKER_FLAG = /^(--runInBand|-i$|--maxWorkers|-w)/;

const given = process.argv.slice(2);
const long = given.includes('--long');
const jestArguments = given.filter((argument) => argument !== '--long');
const say = (line) => process.stderr.write(`${line}\n`);

/** What is to be undone at the end, newest first: services to stop, folders to remove. */
const undo = [];
/** The programs that run now. */
const running = new Set();

function run(args, env) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env });
    const end = (code) => {
      running.delete(child);
      resolve(code ?? 1);
    };
    running.add(child);
    child.on('error', () => end(1));
    child.on('exit', end);
  });
}

async function stopAll() {
  for (const stop of undo.reverse()) await stop();
  undo.length = 0;
}

async function startServices() {
  const postgres = await startPostgres();
  undo.push(postgres.stop);
  const redis = await startRedis();
  undo.push(redis.stop);
  say(`services: ${postgres.what}; ${redis.what}`);
  return { TEST_DATABASE_URL: postgres.url, TEST_REDIS_URL: redis.url, CHROMIUM_PATH: await findBrowser() };
}

function testEnvironment(services) {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN_SETTINGS.test(name)));
  const options = `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`;
  return { ...inherited, ...services, NODE_OPTIONS: options.trim() };
}

/** The checks beside Jest; each counts as one test. The linter takes about as long as all others after the first. */
async function runChecks() {
  // Without the project graph the linter would skip the rule about boundaries.
  const first = await runInARow([['project graph', [NX, 'show', 'projects']]]);
  const rest = await Promise.all([
    runInARow([['lint', [join(ROOT, 'node_modules/eslint/bin/eslint.js'), '.', '--max-warnings=0']]]),
    runInARow([
      ['format', [join(ROOT, 'node_modules/prettier/bin/prettier.cjs'), '--check', '.', '--log-level=warn']],
      ['types of the tests', [TSC, '-p', 'tsconfig.test.json']],
    ]),
  ]);
  const results = [first, ...rest].flat();
  const passed = results.filter(Boolean).length;
  return { passed, failed: results.length - passed };
}

/** One check after the other; gives whether each passed. */
async function runInARow(checks) {
  const results = [];
  for (const [name, args] of checks) {
    const passed = (await run(args, { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true' })) === 0;
    say(`${name}: ${passed ? 'passed' : 'FAILED'}`);
    results.push(passed);
  }
  return results;
}

async function runJest(env) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-jest-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const report = join(folder, 'report.json');
  // Most tests wait for services, so two run side by side on any machine; `--runInBand` puts them in a row.
  const workers = jestArguments.some((argument) => WORKER_FLAG.test(argument)) ? [] : ['--maxWorkers=2'];
  const args = [JEST, '--json', `--outputFile=${report}`, ...workers, ...jestArguments];
  if (long) args.push('--testPathIgnorePatterns', '/node_modules/', '/dist/');
  const code = await run(args, env);
  return { code, ...readReport(report) };
}

/** Numbers of Jest's own report. A file that could not run at all counts as one failure. */
function readReport(path) {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
    return { passed: report.numPassedTests, failed, faults: tellFaults(report) };
  } catch {
    return { passed: 0, failed: 1, faults: [] };
  }
}

async function main() {
  await buildOrExit();
  const env = testEnvironment(await startServices());
  const checks = jestArguments.length === 0 ? await runChecks() : { passed: 0, failed: 0 };
  const jest = await runJest(env);
  await stopAll();
  const passed = checks.passed + jest.passed;
  const failed = checks.failed + jest.failed;
  const good = failed === 0 && passed > 0 && jest.code === 0;
  if (jestArguments.length === 0) for (const line of jest.faults) console.log(line);
  if (failed === 0 && !good) say(`Jest ended with exit code ${jest.code}`);
  console.log(`${passed} passed, ${good ? 0 : Math.max(1, failed)} failed`);
  process.exitCode = good ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of running) child.kill(signal);
    void stopAll().finally(() => process.exit(130));
  });
}

try {
  await main();
} catch (error) {
  await stopAll();
  say(error instanceof ServiceMissing ? `test: ${error.message}` : String(error?.stack ?? error));
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
