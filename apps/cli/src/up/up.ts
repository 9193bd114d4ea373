/** `countersign up`: gateway, worker and approver in one process, over a database of the home's own. */
import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { createSignInCode } from '@countersign/approver';
import { hashSecret, PostgresUnavailable, type Ledger } from '@countersign/ledger';
import { policyVariables, type CliEnv } from '../env.js';
import { createClosing, type Closing } from '../compose/closing.js';
import { PartMissing } from '../compose/part-missing.js';
import { say, surviveClosedOutput } from '../compose/output.js';
import { checkServices } from '../compose/check-services.js';
import { openObservation } from '../compose/observation.js';
import { openParts } from '../compose/parts.js';
import { startApps } from '../compose/apps.js';
import { openLog } from '../compose/log.js';
import { readEndpoints, writeEndpoints, type Endpoints } from '../home/endpoints.js';
import { homeLayout, type HomeLayout } from '../home/layout.js';
import { prepareHome } from '../home/prepare-home.js';
import { takeLock } from '../home/lock.js';
import { loadSecrets, type HomeSecrets } from '../home/secrets.js';
import { seed } from '../seed/seed.js';
import { banner } from './banner.js';
import { claudeCodeSettings } from './claude-code-settings.js';
import { prepareDatabase, type ReadyDatabase } from './database.js';
import { readHomePolicy } from './home-policy.js';
import { linesOf, publishHomePolicy } from './publish-home-policy.js';
import { explainPorts } from './ports.js';
import { createStopSignal, Stopped, type StopSignal } from '../compose/stop-signal.js';

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);
const SMALL_MS = 100;

/** Runs until it is told to stop, and gives the exit code: 0 stopped as asked, 1 could not start or did not stop cleanly. */
export async function up(env: CliEnv): Promise<number> {
  surviveClosedOutput();
  const closing = createClosing();
  const stop = createStopSignal({ abort: () => closing.abortAll(), watchParent: env.startedByNpm });
  let failure: string | null = null;
  void stop.requested.then((bug) => bug ?? say('stopping …'));
  try {
    const told = await start(env, closing, stop);
    process.stdout.write(told);
    const bug = await stop.requested;
    if (bug !== null) throw bug;
  } catch (error) {
    failure = endedByRequest(error, stop) ? null : explain(error);
  }
  const complaints = await closing.closeAll();
  stop.release();
  if (failure !== null) complaints.unshift(failure);
  for (const complaint of complaints.flatMap((text) => text.split('\n'))) say(`countersign: ${complaint}`);
  return complaints.length === 0 ? 0 : 1;
}

/** A Ctrl-C while starting also ends the programs that are making the database: what they then complain of is no failure. */
function endedByRequest(error: unknown, stop: StopSignal): boolean {
  return error instanceof Stopped || (error instanceof PostgresUnavailable && stop.isWish());
}

/** Expected failures in their own words, bugs with their stack. */
function explain(error: unknown): string {
  if (error instanceof PartMissing || error instanceof PostgresUnavailable) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Everything in order; each part registers its end. Gives what the person is told. */
async function start(env: CliEnv, closing: Closing, stop: StopSignal): Promise<string> {
  const layout = homeLayout(env.home);
  await prepareHome(layout.home);
  await holdLock(layout, closing, stop);
  await checkPorts(env);
  const variables = policyVariables();
  const policy = await readHomePolicy(layout, variables);
  const secrets = await loadSecrets(layout.secrets);
  const database = await prepareDatabase(env, { layout, secrets }, closing, {
    onProgress: say,
    onLost: (error) => stop.fail(error),
  });
  stop.check();
  const log = openLog(layout.log, env.logLevel);
  closing.add({ name: 'log', withinMs: SMALL_MS, close: () => log.close() });
  const external = { databaseUrl: env.databaseUrl === null ? null : database.appUrl, redisUrl: env.redisUrl };
  await checkServices(external, say);
  const observation = await openObservation(env, 'up', log, closing);
  const parts = await openParts({ ...partsOf(env, database), log, observation }, closing);
  const published = await publishHomePolicy(parts.ledger, policy, variables);
  linesOf(published).forEach(say);
  const keys = await seedKeys(env, parts.ledger, layout);
  stop.check();
  const { ownerUrl } = database;
  const context = { env, parts, ownerUrl, secrets, protectedPaths: [env.home], log, observation };
  const apps = await startApps(context, closing);
  stop.check();
  const endpoints = { gateway: apps.gateway, console: apps.console, ...keys };
  await announce(layout, endpoints);
  return banner({
    ...describe(env, database),
    home: env.home,
    endpoints,
    signInUrl: signInUrl(endpoints, secrets),
    settingsFile: layout.claudeCode,
    logFile: layout.log,
  });
}

async function holdLock(layout: HomeLayout, closing: Closing, stop: StopSignal): Promise<void> {
  const lock = await takeLock(layout.lock);
  if (!lock.ok) {
    throw new PartMissing(
      `already running on ${layout.home} (process ${lock.holder}): stop it, or set COUNTERSIGN_HOME`,
    );
  }
  closing.add({ name: 'lock', withinMs: SMALL_MS, close: () => lock.lock.release() });
  void stop.requested.then(() => lock.lock.leaving().catch(() => undefined));
}

async function checkPorts(env: CliEnv): Promise<void> {
  const { host, gatewayPort, approverPort, postgresPort } = env;
  const found = await explainPorts([
    { variable: 'GATEWAY_PORT', host, port: gatewayPort },
    { variable: 'APPROVER_PORT', host, port: approverPort },
    { variable: 'COUNTERSIGN_PG_PORT', host: '127.0.0.1', port: postgresPort ?? 0 },
  ]);
  if (found.length > 0) throw new PartMissing(found.join('\n'));
}

function partsOf(env: CliEnv, database: ReadyDatabase) {
  const databaseUrl = database.appUrl;
  if (env.redisUrl === null) {
    return { databaseUrl, queue: { kind: 'postgres', url: database.queueUrl }, bus: { kind: 'memory' } } as const;
  }
  const redis = { kind: 'redis', url: env.redisUrl } as const;
  return { databaseUrl, queue: redis, bus: redis };
}

async function seedKeys(env: CliEnv, ledger: Ledger, layout: HomeLayout) {
  const known = await readEndpoints(layout.endpoints);
  return seed(ledger, { known, person: userInfo().username, sameHost: LOOPBACK.has(env.host) });
}

async function announce(layout: HomeLayout, endpoints: Endpoints): Promise<void> {
  await writeEndpoints(layout.endpoints, endpoints);
  await writeFile(layout.claudeCode, `${JSON.stringify(claudeCodeSettings(endpoints.gateway), null, 2)}\n`);
}

function signInUrl(endpoints: Endpoints, secrets: HomeSecrets): string {
  const keyHash = hashSecret(endpoints.approverKey);
  const code = createSignInCode({ cookieSecret: secrets.cookieSecret, keyHash, now: Date.now() });
  return `${endpoints.console}/sign-in#code=${code}`;
}

function describe(env: CliEnv, database: ReadyDatabase) {
  const queue = env.redisUrl === null ? 'queue in the database, since REDIS_URL is not set' : 'queue in Redis';
  return { database: database.what, queue };
}
