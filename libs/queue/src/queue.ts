/** The queue of the house: which jobs there are, and how to send and handle them. */
import type { AskJob, EvaluateJob } from '@countersign/contracts';
import { createBullQueue } from './bull-queue.js';
import { postgresBackend } from './postgres-backend.js';
import { redisBackend } from './redis-backend.js';

/** Handles one job. Throwing fails it; `signal` fires when the job's lock was lost and somebody else may run it. */
export type JobHandler<Job> = (job: Job, signal: AbortSignal) => Promise<void>;

/** A running consumer. `close` takes no new jobs and waits for running ones, at most 3.5 s. */
export interface Consumer {
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Where a job is: `gone` when it was done, failed or lost. A job whose worker died is `waiting` again within 10 s. */
export type JobWhereabouts = 'waiting' | 'active' | 'gone';

export interface Queue {
  /**
   * Adds one batch of calls and gives its job id. Throws QueueUnavailable after 1 s and QueueFull beyond the limit; after
   * QueueUnavailable the job may still arrive, which the calls' keys make harmless.
   */
  enqueue(job: EvaluateJob): Promise<string>;
  consume(handler: JobHandler<EvaluateJob>, options: { concurrency: number }): Consumer;
  /** Looks a batch up by its job id. Throws QueueUnavailable. */
  whereabouts(jobId: string): Promise<JobWhereabouts>;
  asks: {
    /** Adds a job; one with the same id that is not done yet stands instead. Ids: letters, digits, `-` and `_`. */
    add(job: AskJob, options?: { delayMs?: number; id?: string }): Promise<void>;
    /** Takes a waiting job away; a running or unknown one is left alone. */
    remove(id: string): Promise<void>;
    /** A handler that throws is tried again, five times in all, with growing pauses. */
    consume(handler: JobHandler<AskJob>, options: { concurrency: number }): Consumer;
  };
  /** Jobs that wait to be taken, without delayed ones. Throws QueueUnavailable. */
  depth(): Promise<{ evaluate: number; asks: number }>;
  /** Resolves when the service answers within 1 s, else throws QueueUnavailable. */
  ping(): Promise<void>;
  /** Ends consumers and connections within 5 s, even when the service is away; jobs still running then run again elsewhere. */
  close(): Promise<void>;
}

export interface QueueOptions {
  /** Most waiting jobs per queue; 10,000 by default. */
  readonly maxDepth?: number;
  /** Hears of lost connections and failed jobs. */
  readonly onError?: (error: Error) => void;
}

export type QueueTarget =
  | { readonly kind: 'redis'; readonly url: string; readonly prefix?: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly schema?: string };

/** The hash tag keeps all keys in one slot of a Redis Cluster. */
export const DEFAULT_PREFIX = '{countersign}';
/** Schema of the queue's own tables. */
export const DEFAULT_SCHEMA = 'countersign_queue';

/** Connects and checks the service; throws QueueUnfit when it cannot be used. On Postgres it makes and migrates its schema. */
export async function createQueue(target: QueueTarget & QueueOptions): Promise<Queue> {
  const onError = target.onError ?? (() => undefined);
  const backend =
    target.kind === 'redis'
      ? await redisBackend({ url: target.url, prefix: target.prefix ?? DEFAULT_PREFIX, onError })
      : await postgresBackend({ url: target.url, schema: target.schema ?? DEFAULT_SCHEMA, onError });
  return createBullQueue(backend, { maxDepth: target.maxDepth ?? 10_000, onError });
}
