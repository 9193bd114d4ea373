/** Starts gateway, worker and approver over shared parts. The apps never import each other: this is where they meet. */
import { startApprover } from '@countersign/approver';
import { GATEWAY_DEFAULTS, startGateway } from '@countersign/gateway';
import { createSeal, type Seal } from '@countersign/queue';
import { PortTaken } from '@countersign/server';
import { startWorker, WORKER_DEFAULTS } from '@countersign/worker';
import type { CliEnv } from '../env.js';
import type { Closing } from './closing.js';
import type { Log } from './log.js';
import { PartMissing } from './part-missing.js';
import type { Parts } from './parts.js';

/** Null: not given. The gateway and the worker need the one, the approver the other. */
export interface AppSecrets {
  readonly sealKey: string | null;
  readonly cookieSecret: string | null;
}

export interface AppContext {
  readonly env: CliEnv;
  readonly parts: Parts;
  readonly secrets: AppSecrets;
  /** Folders that no agent may touch. Absolute. */
  readonly protectedPaths: readonly string[];
  readonly log: Log;
}

/** Base URLs of the doors. */
export interface RunningApps {
  readonly gateway: string;
  readonly console: string;
}

/** The parts of `up` together stop within five seconds. */
const CLOSE_MS = 700;

/** All three, the worker first: whoever may call finds somebody who judges. */
export async function startApps(context: AppContext, closing: Closing): Promise<RunningApps> {
  await startWorkerApp(context, closing);
  const console = await startApproverApp(context, closing);
  const gateway = await startGatewayApp(context, closing);
  return { gateway, console };
}

/** Gives the gateway's base URL. */
export async function startGatewayApp(context: AppContext, closing: Closing): Promise<string> {
  const { env, parts, log } = context;
  const { host, gatewayPort: port, allowedHosts } = env;
  const config = { ...GATEWAY_DEFAULTS, host, port, allowedHosts };
  const deps = { ...parts, seal: sealOf(context), config, logger: log.forApp('gateway') };
  const gateway = await orExplain(startGateway(deps), 'GATEWAY_PORT');
  closing.add({ name: 'gateway', withinMs: CLOSE_MS, close: () => gateway.close() });
  return gateway.url;
}

/** Gives what to tell of it: a worker has no door. */
export async function startWorkerApp(context: AppContext, closing: Closing): Promise<string> {
  const { parts, protectedPaths, log } = context;
  const config = { ...WORKER_DEFAULTS, protectedPaths };
  const deps = { ...parts, seal: sealOf(context), config, logger: log.forApp('worker') };
  const worker = await startWorker(deps);
  closing.add({ name: 'worker', withinMs: CLOSE_MS, close: () => worker.close() });
  return 'takes calls';
}

/** Gives the approver's base URL. */
export async function startApproverApp(context: AppContext, closing: Closing): Promise<string> {
  const { env, parts, secrets, log } = context;
  if (secrets.cookieSecret === null) {
    throw new PartMissing('COUNTERSIGN_COOKIE_SECRET is not set: 32 characters or more, the same for every approver');
  }
  const { host, approverPort: port, allowedHosts } = env;
  const config = { host, port, allowedHosts, cookieSecret: secrets.cookieSecret };
  const approver = await orExplain(
    startApprover({ ...parts, config, logger: log.forApp('approver') }),
    'APPROVER_PORT',
  );
  closing.add({ name: 'approver', withinMs: CLOSE_MS, close: () => approver.close() });
  return approver.url;
}

function sealOf(context: AppContext): Seal {
  if (context.secrets.sealKey === null) {
    throw new PartMissing('COUNTERSIGN_SEAL_KEY is not set: 32 bytes in base64, the same for every gateway and worker');
  }
  return createSeal(context.secrets.sealKey);
}

async function orExplain<T>(starting: Promise<T>, variable: string): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    if (error instanceof PortTaken) throw new PartMissing(`${error.message} (${variable})`);
    throw error;
  }
}
