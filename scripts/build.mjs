/** Builds the house on demand: installs packages, generates the database client, compiles; costs milliseconds when nothing changed. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const STATE = join(ROOT, '.build-stamp');
const STAMP = join(STATE, 'signature');
const LOCK = join(STATE, 'lock');
/** Stands in an image that carries what was built, and neither compiler nor tests. */
const PACKAGED = join(STATE, 'packaged');
const LOCK_WAIT_MS = 10 * 60_000;
const SOURCE_FOLDERS = ['libs', 'apps'];
const SINGLE_SOURCES = ['package-lock.json', 'tsconfig.base.json', 'tsconfig.json', 'prisma.config.ts'];
const SCHEMA = join(ROOT, 'prisma/schema.prisma');
const GENERATED = join(ROOT, 'libs/ledger/src/generated');
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'generated']);

/** Progress goes to stderr: stdout belongs to whatever is started after the build. */
const say = (line) => process.stderr.write(`${line}\n`);
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** One failed step of the build, told in a line; the step itself printed the rest. */
export class BuildFailed extends Error {}

function run(command, args, what) {
  const done = spawnSync(command, args, {
    cwd: ROOT,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (done.error) throw new BuildFailed(`${what} could not start: ${done.error.message}`);
  if (done.status !== 0) throw new BuildFailed(`${what} failed (exit ${done.status ?? done.signal})`);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** True when every package that this platform needs is installed in the version that the lock file names. */
function installedMatchesLock() {
  const wanted = readJson(join(ROOT, 'package-lock.json'))?.packages;
  const installed = readJson(join(ROOT, 'node_modules/.package-lock.json'))?.packages;
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return true;
    const have = installed[path];
    if (!have) return Boolean(entry.optional || entry.peer);
    return entry.link === true || (have.version === entry.version && have.integrity === entry.integrity);
  });
}

function installPackages() {
  if (installedMatchesLock()) return;
  say('installing packages (npm ci) …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], 'npm ci');
}

function generateClient(schemaHash) {
  if (!existsSync(SCHEMA)) return;
  const marker = join(GENERATED, '.schema-hash');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === schemaHash) return;
  say('generating the database client …');
  run(process.execPath, [join(ROOT, 'node_modules/prisma/build/index.js'), 'generate'], 'prisma generate');
  writeFileSync(marker, schemaHash);
}

function compile() {
  say('compiling …');
  run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-b'], 'the compiler');
}

/** Adds `path mtime size` of every source file below a folder. */
function collectSources(folder, lines) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED_FOLDERS.has(entry.name)) collectSources(path, lines);
    } else if (/\.(ts|tsx|json)$/.test(entry.name) && !entry.name.endsWith('.spec.ts')) {
      const { mtimeMs, size } = statSync(path);
      lines.push(`${path} ${mtimeMs} ${size}`);
    }
  }
}

function signature() {
  const lines = [process.version, existsSync(SCHEMA) ? sha256(readFileSync(SCHEMA)) : 'no schema'];
  for (const folder of SOURCE_FOLDERS) collectSources(join(ROOT, folder), lines);
  for (const name of SINGLE_SOURCES) {
    const stat = statSync(join(ROOT, name), { throwIfNoEntry: false });
    lines.push(`${name} ${stat?.mtimeMs} ${stat?.size}`);
  }
  return sha256(lines.join('\n'));
}

function upToDate() {
  if (!existsSync(join(ROOT, 'node_modules/.package-lock.json'))) return false;
  if (!existsSync(join(ROOT, 'apps/cli/dist/index.js'))) return false;
  if (existsSync(PACKAGED)) return true;
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === signature();
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function tryLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const holder = Number(existsSync(LOCK) ? readFileSync(LOCK, 'utf8') : 0);
  const age = Date.now() - (statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (holder > 0 ? !alive(holder) : age > 5_000) rmSync(LOCK, { force: true });
  return false;
}

/** Two builds at once would remove packages under each other: the second waits for the first. */
async function withLock(work) {
  mkdirSync(STATE, { recursive: true });
  const giveUpAt = Date.now() + LOCK_WAIT_MS;
  for (let told = false; !tryLock(); told = true) {
    if (!told) say('waiting for another build to finish …');
    if (Date.now() > giveUpAt) throw new BuildFailed('another build did not finish within 10 minutes');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  try {
    work();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

/** Brings everything that `npm start` and `npx countersign` run up to date; throws BuildFailed. */
export async function build() {
  if (upToDate()) return;
  await withLock(() => {
    if (upToDate()) return;
    installPackages();
    generateClient(existsSync(SCHEMA) ? sha256(readFileSync(SCHEMA)) : '');
    compile();
    writeFileSync(STAMP, signature());
  });
}

/** Runs the build, and on a failure says so in one line and ends the process with exit code 1. */
export async function buildOrExit() {
  try {
    await build();
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    say(`build: ${error.message}`);
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildOrExit();
}
