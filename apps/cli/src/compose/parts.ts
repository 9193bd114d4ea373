/** The parts that gateway, worker and approver share: ledger, queue and bus, opened, checked and watched. */
import type { ServiceName } from '@countersign/contracts';
import { createLedger, type Ledger } from '@countersign/ledger';
import { createBus, createQueue, type Bus, type BusTarget, type Queue, type QueueTarget } from '@countersign/queue';
import { watchOutages, type OutageWatch } from '@countersign/server';
import { POLICY, TENANT } from '../seed/seed.js';
import type { Closing } from './closing.js';
import { explainDatabase, explainQueue } from './explain.js';
import type { Log } from './log.js';
import { observedBus, observedQueue } from './observed-parts.js';
import { measureParts, type Observation } from './observation.js';
import { PartMissing } from './part-missing.js';

export interface PartsOptions {
  /** URL of the application role. */
  readonly databaseUrl: string;
  readonly queue: QueueTarget;
  readonly bus: BusTarget;
  readonly log: Log;
  readonly observation: Observation;
}

export interface Parts {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly bus: Bus;
  /** What is told of outages, and whether one lasts. */
  readonly watches: Readonly<Record<ServiceName, OutageWatch>>;
}

const CLOSE_MS = 300;

/** Opens everything in turn and registers its end; throws PartMissing. */
export async function openParts(options: PartsOptions, closing: Closing): Promise<Parts> {
  const { log, observation } = options;
  const watches: Partial<Record<ServiceName, OutageWatch>> = {};
  const away = (service: ServiceName) => (error: Error) => watches[service]?.failed(error);
  const reports = (service: ServiceName) => ({ onError: (error: Error) => log.onError(error), onAway: away(service) });
  // Closed in the opposite order: the queue, then the database, then the bus, over which the last replies are told.
  const bus = await orExplain('bus', createBus({ ...options.bus, ...reports('bus') }));
  closing.add({ name: 'bus', withinMs: CLOSE_MS, close: () => bus.close() });
  const ledger = createLedger({ databaseUrl: options.databaseUrl, onError: away('database') });
  closing.add({ name: 'ledger', withinMs: CLOSE_MS, close: () => ledger.close() });
  const onStalled = (queue: string): void => observation.meter.count('countersign_stalled_jobs_total', { queue });
  const queue = await orExplain('queue', createQueue({ ...options.queue, ...reports('queue'), onStalled }));
  closing.add({ name: 'queue', withinMs: CLOSE_MS, close: () => queue.close() });
  const watch = (service: ServiceName, ping: () => Promise<unknown>): OutageWatch =>
    (watches[service] = watchOutages({ service, ping, log: log.forApp('parts'), meter: observation.meter }));
  const all = {
    database: watch('database', () => ledger.ping()),
    queue: watch('queue', () => queue.ping()),
    bus: watch('bus', () => bus.ping()),
  };
  const stop = () => Promise.all(Object.values(all).map((one) => one.stop()));
  closing.add({ name: 'watches', withinMs: CLOSE_MS, close: async () => void (await stop()) });
  measureParts({ ledger, queue }, observation.meter);
  const { meter } = observation;
  return { ledger, queue: observedQueue(queue, meter), bus: observedBus(bus, meter), watches: all };
}

/** Throws PartMissing unless the database answers, is migrated and has a policy. */
export async function checkLedger(ledger: Ledger): Promise<void> {
  const policy = await ledger.policies.current(TENANT, POLICY).catch((error: unknown) => {
    throw new PartMissing(`the database cannot be used: ${explainDatabase(error)}`);
  });
  if (policy === null) throw new PartMissing('the database has no policy yet: run `npm run migrate`');
}

async function orExplain<T>(what: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    throw new PartMissing(`the ${what} cannot be used: ${explainQueue(error)}`);
  }
}
