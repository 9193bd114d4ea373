/** What the queue needs of BullMQ, the same on Redis and on Postgres. */
import type { JobsOptions, Processor } from 'bullmq';
import { isAway } from './away.js';

/** The producing side of one BullMQ queue. */
export interface Producer {
  add(name: string, data: unknown, options: JobsOptions): Promise<unknown>;
  /** All of them in one exchange with the service. */
  addBulk(jobs: { name: string; data: unknown; opts: JobsOptions }[]): Promise<unknown>;
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

export interface TakerOptions {
  readonly concurrency: number;
  /** A job that was found without its worker more often than this fails without being run again. */
  readonly maxStalledCount: number;
  readonly lockMs: number;
}

export interface Backend {
  producer(queue: string): Producer;
  taker(queue: string, processor: Processor, options: TakerOptions): Taker;
  /** Resolves when the service takes writes. */
  ping(): Promise<void>;
  /** Another text once the service may have lost jobs: it was emptied, started again, or another server took over. */
  generation(): Promise<string>;
  close(): Promise<void>;
}

/** A worker that died is noticed after at most lock plus check: with a lock of 5 s its job runs again within 7.5 s. */
export const workerTimes = (lockMs: number) =>
  ({ lockDuration: lockMs, stalledInterval: lockMs / 2, runRetryDelay: 1_000 }) as const;

/** Events are for debugging only; replies have a channel of their own. */
export const EVENT_LIMIT = { events: { maxLen: 100 } } as const;

interface ReportingWorker {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (job: unknown, error: Error) => void): unknown;
  on(event: 'stalled', listener: (jobId: string) => void): unknown;
}

/** Who hears what goes wrong behind the queue. */
export interface Reports {
  /** The service does not answer, or takes no writes: once for every call and connection that it hits. */
  readonly onAway: (error: Error) => void;
  /** Anything else: a failed job, a lock that was lost. */
  readonly onError: (error: Error) => void;
  /** A job was found without its worker and goes back to be taken by another. */
  readonly onStalled: (queue: string, jobId: string) => void;
}

/** Sorts an error of a connection or of BullMQ: the service is away, or it is news of its own. */
export function sortError({ onAway, onError }: Pick<Reports, 'onAway' | 'onError'>): (error: Error) => void {
  return (error) => (isAway(error) ? onAway(error) : onError(error));
}

/** Tells of lost connections, of failed jobs and of those whose worker died. */
export function reportTo(worker: ReportingWorker, queue: string, reports: Reports): void {
  const sort = sortError(reports);
  worker.on('error', sort);
  worker.on('failed', (_job, error) => sort(error));
  worker.on('stalled', (jobId) => reports.onStalled(queue, jobId));
}
