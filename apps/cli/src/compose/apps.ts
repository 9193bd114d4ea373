/** Starts gateway, worker and approver over shared parts. The apps never import each other: this is where they meet. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApprover } from '@countersign/approver';
import { GATEWAY_DEFAULTS, startGateway } from '@countersign/gateway';
import { DEFAULT_RETENTION, runChores } from '@countersign/ledger';
import { createSeal, sealChecks, type Seal } from '@countersign/queue';
import {
  CannotListen,
  createVaultKeys,
  joinPresence,
  startSideServer,
  type Presence,
  type SideServer,
  type SideServerOptions,
  type VaultKeys,
} from '@countersign/server';
import { startWorker, WORKER_DEFAULTS, type WorkerDeps } from '@countersign/worker';
import type { CliEnv } from '../env.js';
import type { Closing } from './closing.js';
import type { Log } from './log.js';
import { measureHouse, type Observation } from './observation.js';
import { openChannelSettings } from './open-channel-settings.js';
import { openHooks } from './open-hooks.js';
import { PartMissing } from './part-missing.js';
import type { Parts } from './parts.js';

/** Null: not given. The gateway and the worker need the one, the approver the other. */
export interface AppSecrets {
  readonly sealKey: string | null;
  /** The one that seals first. */
  readonly vaultKeys?: readonly string[] | undefined;
  readonly cookieSecret: string | null;
  /** Seeds of permit keys in base64; absent: no permits are made. */
  readonly permitKeys?: readonly string[] | undefined;
}

export interface AppContext {
  readonly env: CliEnv;
  readonly parts: Parts;
  /** URL of the database's owner; null: nobody here may do the owner's chores. */
  readonly ownerUrl: string | null;
  readonly secrets: AppSecrets;
  /** Folders that no agent may touch. Absolute. */
  readonly protectedPaths: readonly string[];
  readonly log: Log;
  readonly observation: Observation;
  /** True where a service runs apart: what is running may take its time to end. */
  readonly patient?: boolean;
}

/** Base URLs of the doors. */
export interface RunningApps {
  readonly gateway: string;
  readonly console: string;
}

/** The parts of `up` together stop within five seconds. */
const CLOSE_MS = 700;
/** A service that runs apart ends within 25 s in all: its running requests or jobs within these. */
const PATIENT_CLOSE_MS = 14_000;
const PATIENT_SETTLE_MS = 12_000;
const closeMsOf = ({ patient = false }: AppContext): number => (patient ? PATIENT_CLOSE_MS : CLOSE_MS);
/** Whoever is there answers a newcomer at once. */
const FIRST_ANSWER_MS = 400;

/** All three, the worker first: whoever may call finds somebody who judges. */
export async function startApps(context: AppContext, closing: Closing): Promise<RunningApps> {
  await startWorkerPart(context, closing);
  const console = await startApproverApp(context, closing);
  const gateway = await startGatewayApp(context, closing);
  return { gateway, console };
}

/** Gives the gateway's base URL. */
export async function startGatewayApp(context: AppContext, closing: Closing): Promise<string> {
  const { env, parts, log, observation } = context;
  const { host, gatewayPort: port, allowedHosts, leaveMs } = env;
  const config = { ...GATEWAY_DEFAULTS, host, port, allowedHosts };
  const presence = await appear('gateway', context, closing);
  const { meter, metrics, tracing } = observation;
  const probes = { worker: () => presence.requireWorker() };
  const watched = { meter, metrics, tracing, probes, leaveMs };
  const hooks = await openHooks(context);
  const permitKeys = env.permitKeys ?? context.secrets.permitKeys ?? [];
  const deps = {
    ...parts,
    seal: sealOf(context),
    config,
    logger: log.forApp('gateway'),
    hooks,
    permitKeys,
    ...watched,
    vaultKeys: vaultOf(context),
  };
  const gateway = await orExplain(startGateway(deps), 'GATEWAY_PORT');
  presence.appear();
  closing.add({ name: 'gateway', withinMs: closeMsOf(context) + leaveMs, close: () => gateway.close() });
  return gateway.url;
}

/** A worker and its presence: gateways are ready while they hear of one. */
async function startWorkerPart(context: AppContext, closing: Closing): Promise<Presence> {
  const { env, parts, log, observation } = context;
  // What decides over calls is nothing that calls may change.
  const protectedPaths = [...context.protectedPaths, ...(env.hookFile === null ? [] : [env.hookFile])];
  const config = { ...WORKER_DEFAULTS, protectedPaths, ...(context.patient ? { settleMs: PATIENT_SETTLE_MS } : {}) };
  const { meter, tracing } = observation;
  const presence = await appear('worker', context, closing);
  const hooks = await openHooks(context);
  const vaultKeys = vaultOf(context);
  const deps = {
    ...parts,
    seal: sealOf(context),
    vaultKeys,
    config,
    logger: log.forApp('worker'),
    hooks,
    meter,
    tracing,
    ...choresOf(context),
  };
  const worker = await startWorker(deps);
  presence.appear();
  const close = async (): Promise<void> => {
    await presence.leave();
    await worker.close();
  };
  closing.add({ name: 'worker', withinMs: closeMsOf(context), close });
  return presence;
}

function choresOf({ ownerUrl, env }: AppContext): Pick<WorkerDeps, 'chores'> {
  return ownerUrl === null ? {} : { chores: () => runChores(ownerUrl, { ...DEFAULT_RETENTION, ...env.retention }) };
}

/** Where it runs apart: with a small door for health and metrics. Gives what to tell of it. */
export async function startWorkerApp(context: AppContext, closing: Closing): Promise<string> {
  const { parts, observation, env } = context;
  const presence = await startWorkerPart(context, closing);
  const probes = {
    database: () => parts.ledger.ping(),
    queue: () => parts.queue.ping(),
    bus: () => parts.bus.ping(),
  };
  const side = await orExplain(startSide(env, { probes, metrics: observation.metrics }), 'WORKER_PORT');
  const close = async (): Promise<void> => {
    side.leave();
    await presence.leave();
    if (env.leaveMs > 0) await sleep(env.leaveMs);
  };
  closing.add({ name: 'worker’s health', withinMs: CLOSE_MS, close: () => side.close() });
  // Added last, so that it is the first to go: nobody should count on this worker any more.
  closing.add({ name: 'worker’s readiness', withinMs: CLOSE_MS + env.leaveMs, close });
  return `takes calls; health and metrics at ${side.url}`;
}

const WORKER_PORT = 4612;

/** Several workers may share a host: without a port of its own each one takes a free one. */
async function startSide(env: CliEnv, rest: Pick<SideServerOptions, 'probes' | 'metrics'>): Promise<SideServer> {
  const start = (port: number): Promise<SideServer> => startSideServer({ host: env.host, port, ...rest });
  if (env.workerPort !== null) return start(env.workerPort);
  return start(WORKER_PORT).catch((error: unknown) => {
    if (error instanceof CannotListen && error.blames === 'port') return start(0);
    throw error;
  });
}

/** Joins those who are there; throws PartMissing when their seal key is another one. */
async function appear(app: 'gateway' | 'worker', context: AppContext, closing: Closing): Promise<Presence> {
  const { parts, observation, secrets, log } = context;
  const presence = await joinPresence({
    bus: parts.bus,
    app,
    id: randomUUID(),
    seals: orMissing('COUNTERSIGN_SEAL_KEY', () => sealChecks(sealKeysOf(secrets))),
    speaks: () => parts.watches.database.up && parts.watches.queue.up,
    onMisfit: (line) => log.onError(new Error(line)),
  });
  closing.add({ name: `presence of the ${app}`, withinMs: CLOSE_MS, close: () => presence.stop() });
  await presence.heard(FIRST_ANSWER_MS);
  const problem = presence.sealProblem();
  if (problem !== null) throw new PartMissing(problem);
  if (app === 'gateway') observation.meter.read('countersign_workers', () => presence.others);
  return presence;
}

/** Gives the approver's base URL. */
export async function startApproverApp(context: AppContext, closing: Closing): Promise<string> {
  const { env, parts, secrets, log, observation } = context;
  if (secrets.cookieSecret === null) {
    throw new PartMissing('COUNTERSIGN_COOKIE_SECRET is not set: 32 characters or more, the same for every approver');
  }
  const { host, approverPort: port, allowedHosts, leaveMs } = env;
  const { channels, consoleUrl } = await openChannelSettings(env);
  const links = consoleUrl === null ? {} : { consoleUrl };
  const config = { host, port, allowedHosts, cookieSecret: secrets.cookieSecret, channels, ...links };
  const { meter, metrics, tracing } = observation;
  const watched = { meter, metrics, tracing, leaveMs };
  const approver = await orExplain(
    startApprover({ ...parts, config, vaultKeys: vaultOf(context), logger: log.forApp('approver'), ...watched }),
    'APPROVER_PORT',
  );
  measureHouse(parts, meter);
  closing.add({ name: 'approver', withinMs: closeMsOf(context) + leaveMs, close: () => approver.close() });
  return approver.url;
}

function sealOf({ secrets }: AppContext): Seal {
  return orMissing('COUNTERSIGN_SEAL_KEY', () => createSeal(sealKeysOf(secrets)));
}

/** Without keys nothing starts: what is redacted could never be read again, and two processes would tag a secret differently. */
function vaultOf({ secrets }: AppContext): VaultKeys {
  if (secrets.vaultKeys === undefined) {
    throw new PartMissing('COUNTERSIGN_VAULT_KEYS is not set: 32 bytes in base64, the same for every service');
  }
  const { vaultKeys } = secrets;
  return orMissing('COUNTERSIGN_VAULT_KEYS', () => createVaultKeys(vaultKeys));
}

/** The first one seals, every one opens. */
function sealKeysOf({ sealKey }: AppSecrets): string[] {
  if (sealKey === null) {
    throw new PartMissing('COUNTERSIGN_SEAL_KEY is not set: 32 bytes in base64, the same for every gateway and worker');
  }
  return sealKey.split(',').map((key) => key.trim());
}

/** Keys that are none are told with the name of their variable, in one line. */
function orMissing<T>(variable: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof PartMissing) throw error;
    throw new PartMissing(`${variable}: ${(error as Error).message}`);
  }
}

/** A place where nobody can listen is told with the variable to change; `variable` sets the port. */
async function orExplain<T>(starting: Promise<T>, variable: string): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    if (error instanceof CannotListen) {
      throw new PartMissing(`${error.blames === 'host' ? 'HOST' : variable}: ${error.message}`);
    }
    throw error;
  }
}
