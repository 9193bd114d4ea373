/** What the queue needs of BullMQ, the same on Redis and on Postgres. */
import type { JobsOptions, Processor } from 'bullmq';

/** The producing side of one BullMQ queue. */
export interface Producer {
  add(name: string, data: unknown, options: JobsOptions): Promise<unknown>;
  getWaitingCount(): Promise<number>;
  getJobState(id: string): Promise<string>;
  remove(id: string): Promise<number>;
  close(): Promise<void>;
}

/** The consuming side. `settle` takes no new jobs and waits for running ones; `cut` then ends everything without waiting. */
export interface Taker {
  ready(): Promise<void>;
  settle(): Promise<void>;
  cut(): Promise<void>;
}

export interface Backend {
  producer(queue: string): Producer;
  taker(queue: string, processor: Processor, concurrency: number): Taker;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A worker that died is noticed after at most lock plus check: its job runs again within 10 s. */
export const WORKER_TIMES = {
  lockDuration: 5_000,
  stalledInterval: 5_000,
  maxStalledCount: 3,
  runRetryDelay: 1_000,
} as const;

/** Events are for debugging only; replies have a channel of their own. */
export const EVENT_LIMIT = { events: { maxLen: 100 } } as const;

interface ReportingWorker {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (job: unknown, error: Error) => void): unknown;
}

/** Tells of lost connections and of failed jobs. */
export function reportTo(worker: ReportingWorker, onError: (error: Error) => void): void {
  worker.on('error', onError);
  worker.on('failed', (_job, error) => onError(error));
}
