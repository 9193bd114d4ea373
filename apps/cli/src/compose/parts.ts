/** The parts that gateway, worker and approver share: ledger, queue and bus, opened and checked. */
import { createLedger, type Ledger } from '@countersign/ledger';
import { createBus, createQueue, type Bus, type BusTarget, type Queue, type QueueTarget } from '@countersign/queue';
import { POLICY, TENANT } from '../seed/seed.js';
import type { Closing } from './closing.js';
import { PartMissing } from './part-missing.js';

export interface PartsOptions {
  /** URL of the application role. */
  readonly databaseUrl: string;
  readonly queue: QueueTarget;
  readonly bus: BusTarget;
  onError(error: Error): void;
}

export interface Parts {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly bus: Bus;
}

const CLOSE_MS = 300;

/** Opens everything in turn and registers its end; throws PartMissing. */
export async function openParts(options: PartsOptions, closing: Closing): Promise<Parts> {
  const { onError } = options;
  const ledger = createLedger({ databaseUrl: options.databaseUrl, onError });
  closing.add({ name: 'ledger', withinMs: CLOSE_MS, close: () => ledger.close() });
  const queue = await orExplain('queue', createQueue({ ...options.queue, onError }));
  closing.add({ name: 'queue', withinMs: CLOSE_MS, close: () => queue.close() });
  const bus = await orExplain('bus', createBus({ ...options.bus, onError }));
  closing.add({ name: 'bus', withinMs: CLOSE_MS, close: () => bus.close() });
  return { ledger, queue, bus };
}

/** Throws PartMissing unless the database answers, is migrated and has a policy. */
export async function checkLedger(ledger: Ledger): Promise<void> {
  const policy = await ledger.policies.current(TENANT, POLICY).catch((error: unknown) => {
    throw new PartMissing(explainDatabase(error));
  });
  if (policy === null) throw new PartMissing('the database has no policy yet: run `npm run migrate`');
}

const UNDEFINED_TABLE = '42P01';
const NO_RIGHT = '42501';

/** One line about a failure of the database. */
export function explainDatabase(error: unknown): string {
  const { code, message, errors } = error as { code?: string; message?: string; errors?: { message: string }[] };
  if (code === UNDEFINED_TABLE) return 'the database is not migrated: run `npm run migrate`';
  if (code === NO_RIGHT)
    return `the database's role may not do this: ${message}; give the owner's URL as DATABASE_OWNER_URL`;
  return `the database cannot be used: ${message || errors?.[0]?.message || code || String(error)}`;
}

async function orExplain<T>(what: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    throw new PartMissing(`the ${what} cannot be used: ${(error as Error).message}`);
  }
}
