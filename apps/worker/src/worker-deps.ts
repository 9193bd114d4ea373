/** What a worker is made of; the composition gives it. */
import type { Ledger } from '@countersign/ledger';
import type { Bus, Queue, Seal } from '@countersign/queue';
import type { Logger } from '@countersign/server';
import type { WorkerConfig } from './config.js';

export const WORKER_DEPS = Symbol('worker dependencies');

export interface WorkerDeps {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly bus: Bus;
  readonly seal: Seal;
  readonly config: WorkerConfig;
  readonly logger: Logger;
}
