/** One service from the environment, as `npm run start:gateway`, `start:worker`, `start:approver` and `migrate` run it. */
import { judgeOwnerUrl } from '@countersign/server';
import { readCliEnv, type CliEnv } from '../env.js';
import {
  startApproverApp,
  startGatewayApp,
  startWorkerApp,
  type AppContext,
  type AppSecrets,
} from '../compose/apps.js';
import { createClosing, type Closing } from '../compose/closing.js';
import { openLog, type Log } from '../compose/log.js';
import { PartMissing } from '../compose/part-missing.js';
import { say, surviveClosedOutput } from '../compose/output.js';
import { checkServices } from '../compose/check-services.js';
import { openObservation } from '../compose/observation.js';
import { checkLedger, openParts } from '../compose/parts.js';
import { createStopSignal } from '../compose/stop-signal.js';
import { homeLayout } from '../home/layout.js';
import { readSecrets } from '../home/secrets.js';
import { vaultKeysOf } from '../home/vault-keys.js';
import { migrateService } from './migrate-service.js';

const SERVICES = {
  gateway: startGatewayApp,
  worker: startWorkerApp,
  approver: startApproverApp,
} as const;
type ServiceName = keyof typeof SERVICES;

/** Below the 30 s that orchestrators usually give. */
const LONGEST_END_MS = 25_000;

const isService = (name: string): name is ServiceName => name in SERVICES;

/** Runs a service until it is told to stop, or the migration to its end; gives the exit code: 0 well, 1 not, 2 unknown name. */
export async function runService(name: string): Promise<number> {
  if (name !== 'migrate' && !isService(name)) {
    say(`unknown service \`${name}\`: gateway, worker, approver or migrate`);
    return 2;
  }
  const settings = readCliEnv();
  if (!settings.ok) {
    for (const problem of settings.problems) say(`${name}: ${problem}`);
    return 1;
  }
  try {
    if (name === 'migrate') await migrateService(settings.env, (line) => say(`migrate: ${line}`));
    return name === 'migrate' ? 0 : await serve(name, settings.env);
  } catch (error) {
    if (!(error instanceof PartMissing)) throw error;
    for (const line of error.message.split('\n')) say(`${name}: ${line}`);
    return 1;
  }
}

async function serve(name: ServiceName, env: CliEnv): Promise<number> {
  surviveClosedOutput();
  const closing = createClosing();
  const stop = createStopSignal({ abort: () => closing.abortAll(), watchParent: env.startedByNpm });
  const log = openLog(null, env.logLevel);
  try {
    const where = await start(name, env, { closing, log });
    say(`${name}: ${where}`);
    const bug = await stop.requested;
    if (bug !== null) throw bug;
  } finally {
    forceEnd(name);
    const parts = log.forApp('parts');
    const onClosed = (part: string, ms: number): void => parts.info({ part, ms }, 'closed');
    for (const complaint of await closing.closeAll(onClosed)) say(`${name}: ${complaint}`);
    stop.release();
  }
  return 0;
}

/** Every part has its time; should the sum of them be too long, an orchestrator's SIGKILL would be the worse end. */
function forceEnd(name: ServiceName): void {
  setTimeout(() => {
    say(`${name}: forced to end: it did not stop within ${LONGEST_END_MS / 1_000} s`);
    process.exit(1);
  }, LONGEST_END_MS).unref();
}

async function start(
  name: ServiceName,
  env: CliEnv,
  { closing, log }: { closing: Closing; log: Log },
): Promise<string> {
  const { databaseUrl, redisUrl } = env;
  if (databaseUrl === null) throw new PartMissing('DATABASE_URL is not set');
  if (redisUrl === null) throw new PartMissing('REDIS_URL is not set: services that run apart meet in Redis');
  const secrets = await secretsOf(env);
  const redis = { kind: 'redis', url: redisUrl } as const;
  await checkServices({ databaseUrl, redisUrl }, (line) => say(`${name}: ${line}`), [
    judgeOwnerUrl(name, env.ownerUrl !== null),
  ]);
  const observation = await openObservation(env, name, log, closing);
  const parts = await openParts({ databaseUrl, queue: redis, bus: redis, log, observation }, closing);
  await checkLedger(parts.ledger);
  const { ownerUrl } = env;
  const shared = { env, parts, ownerUrl, secrets, protectedPaths: [env.home], log, observation };
  const context: AppContext = { ...shared, patient: true };
  return SERVICES[name](context, closing);
}

/** The environment's secrets, else those of a shared home. */
async function secretsOf(env: CliEnv): Promise<AppSecrets> {
  const stored = await readSecrets(homeLayout(env.home).secrets);
  return {
    sealKey: env.sealKey ?? stored?.sealKey ?? null,
    vaultKeys: vaultKeysOf(env, stored),
    cookieSecret: env.cookieSecret ?? stored?.cookieSecret ?? null,
    permitKeys: stored?.permitKeys,
  };
}
