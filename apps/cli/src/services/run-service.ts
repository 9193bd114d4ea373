/** One service from the environment, as `npm run start:gateway`, `start:worker`, `start:approver` and `migrate` run it. */
import { readCliEnv, type CliEnv } from '../env.js';
import {
  startApproverApp,
  startGatewayApp,
  startWorkerApp,
  type AppContext,
  type AppSecrets,
} from '../compose/apps.js';
import { createClosing, type Closing } from '../compose/closing.js';
import { openLog } from '../compose/log.js';
import { PartMissing } from '../compose/part-missing.js';
import { say, surviveClosedOutput } from '../compose/output.js';
import { checkLedger, openParts } from '../compose/parts.js';
import { createStopSignal } from '../compose/stop-signal.js';
import { homeLayout } from '../home/layout.js';
import { readSecrets } from '../home/secrets.js';
import { migrateService } from './migrate-service.js';

const SERVICES = {
  gateway: startGatewayApp,
  worker: startWorkerApp,
  approver: startApproverApp,
} as const;
type ServiceName = keyof typeof SERVICES;

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
  try {
    const where = await start(name, env, closing);
    say(`${name}: ${where}`);
    const bug = await stop.requested;
    if (bug !== null) throw bug;
  } finally {
    for (const complaint of await closing.closeAll()) say(`${name}: ${complaint}`);
    stop.release();
  }
  return 0;
}

async function start(name: ServiceName, env: CliEnv, closing: Closing): Promise<string> {
  const { databaseUrl, redisUrl } = env;
  if (databaseUrl === null) throw new PartMissing('DATABASE_URL is not set');
  if (redisUrl === null) throw new PartMissing('REDIS_URL is not set: services that run apart meet in Redis');
  const secrets = await secretsOf(env);
  const log = openLog(null, env.logLevel);
  const redis = { kind: 'redis', url: redisUrl } as const;
  const parts = await openParts({ databaseUrl, queue: redis, bus: redis, onError: log.onError }, closing);
  await checkLedger(parts.ledger);
  const context: AppContext = { env, parts, secrets, protectedPaths: [env.home], log };
  return SERVICES[name](context, closing);
}

/** The environment's secrets, else those of a shared home. */
async function secretsOf(env: CliEnv): Promise<AppSecrets> {
  const stored = await readSecrets(homeLayout(env.home).secrets);
  return {
    sealKey: env.sealKey ?? stored?.sealKey ?? null,
    cookieSecret: env.cookieSecret ?? stored?.cookieSecret ?? null,
  };
}
