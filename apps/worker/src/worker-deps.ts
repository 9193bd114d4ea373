/** What a worker is made of; the composition gives it. */
import type { Meter, Tracing } from '@countersign/contracts';
import type { Hooks } from '@countersign/hooks';
import type { Ledger } from '@countersign/ledger';
import type { Bus, Queue, Seal } from '@countersign/queue';
import type { Logger, VaultKeys } from '@countersign/server';
import type { RunChores } from './chores/chores.js';
import type { WorkerConfig } from './config.js';

export const WORKER_DEPS = Symbol('worker dependencies');

export interface WorkerDeps {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly bus: Bus;
  readonly seal: Seal;
  /** Absent, as in tests: keys that end with the process, so that no original can be read later. */
  readonly vaultKeys?: VaultKeys;
  readonly config: WorkerConfig;
  /** Absent: this installation has none. */
  readonly hooks?: Hooks;
  /** The owner's chores; absent: nobody gave this worker the owner's URL. */
  readonly chores?: RunChores;
  readonly logger: Logger;
  readonly meter?: Meter;
  readonly tracing?: Tracing;
}
