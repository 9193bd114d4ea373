/** The queue of the house: which jobs there are, and how to send and handle them. */
import type { AskJob, EvaluateJob } from '@countersign/contracts';
import type { Reports } from './backend.js';
import type { Board } from './board.js';
import { createBullQueue } from './bull-queue.js';
import { postgresBackend } from './postgres-backend.js';
import { redisBackend } from './redis-backend.js';

/** What is known of a job that is being run. */
export interface JobRun {
  /** How often a worker has begun with it, this time included: above 1, the one before died, hung or gave it back. */
  readonly starts: number;
  /** Milliseconds since it was put into the queue, by this host's clock. */
  readonly ageMs: number;
  /** What the last `note` left; null when there is none. */
  readonly noted: unknown;
  /** Writes something beside the job that outlives this worker: small, no agent's data. */
  note(text: object): Promise<void>;
  /** Fires when the job's lock was lost and somebody else may run it. */
  readonly signal: AbortSignal;
}

/** Handles one job. Throwing fails it; throwing JobReturned puts it back for another worker. */
export type JobHandler<Job> = (job: Job, run: JobRun) => Promise<void>;

/** A job for `asks.addMany`. Ids: letters, digits, `-` and `_`. */
export interface NewAskJob {
  readonly job: AskJob;
  readonly id: string;
  readonly delayMs?: number;
}

export interface ConsumerOptions {
  readonly concurrency: number;
  /** How long `close` waits for running jobs; 3,500 ms by default. */
  readonly settleMs?: number;
}

/** A running consumer. `close` takes no new jobs and waits for running ones; those still running then run again elsewhere. */
export interface Consumer {
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Where a job is: `gone` when it was done, failed or lost. A job whose worker died is `waiting` again within 7.5 s. */
export type JobWhereabouts = 'waiting' | 'active' | 'gone';

export interface Queue {
  /**
   * Adds one batch of calls and gives its job id. Throws QueueUnavailable after 1 s and QueueFull beyond the limit; after
   * QueueUnavailable the job may still arrive, which the calls' keys make harmless.
   */
  enqueue(job: EvaluateJob): Promise<string>;
  consume(handler: JobHandler<EvaluateJob>, options: ConsumerOptions): Consumer;
  /** Looks a batch up by its job id. Throws QueueUnavailable. */
  whereabouts(jobId: string): Promise<JobWhereabouts>;
  asks: {
    /** Adds a job; one with the same id that is not done yet stands instead. Ids: letters, digits, `-` and `_`. */
    add(job: AskJob, options?: { delayMs?: number; id?: string }): Promise<void>;
    /** Adds all of them in one exchange; one whose id is not done yet stays as it is. */
    addMany(jobs: readonly NewAskJob[]): Promise<void>;
    /** Takes a waiting job away; a running or unknown one is left alone. */
    remove(id: string): Promise<void>;
    /** A handler that throws is tried again, five times in all, with growing pauses. */
    consume(handler: JobHandler<AskJob>, options: ConsumerOptions): Consumer;
  };
  /** Jobs that wait to be taken, without delayed ones. Throws QueueUnavailable. */
  depth(): Promise<{ evaluate: number; asks: number }>;
  /** Resolves when the service takes writes within 1 s, else throws QueueUnavailable. */
  ping(): Promise<void>;
  /**
   * Another text than before once jobs may have been lost: the service was emptied, started again, or another server took
   * over. Throws QueueUnavailable.
   */
  generation(): Promise<string>;
  /** What people may look at; nothing there changes a job. `basePath`: where it lies at the door. */
  board(basePath: string): Promise<Board>;
  /** Ends consumers and connections within 5 s, even when the service is away; jobs still running then run again elsewhere. */
  close(): Promise<void>;
}

export interface QueueOptions {
  /** Most waiting jobs per queue; 10,000 by default. */
  readonly maxDepth?: number;
  /** A worker that is silent for this long has lost its jobs; 5,000 ms by default. */
  readonly lockMs?: number;
  /** Hears of failed jobs, lost locks and the like. */
  readonly onError?: (error: Error) => void;
  /** Hears of every failure of the service itself, many in an outage; `onError` does when absent. */
  readonly onAway?: (error: Error) => void;
  /** A job was taken over from a worker that died or hung. */
  readonly onStalled?: (queue: string, jobId: string) => void;
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
  const reports: Reports = {
    onError,
    onAway: target.onAway ?? onError,
    onStalled: target.onStalled ?? (() => undefined),
  };
  const backend =
    target.kind === 'redis'
      ? await redisBackend({ url: target.url, prefix: target.prefix ?? DEFAULT_PREFIX, reports })
      : await postgresBackend({ url: target.url, schema: target.schema ?? DEFAULT_SCHEMA, reports });
  return createBullQueue(backend, {
    maxDepth: target.maxDepth ?? 10_000,
    lockMs: target.lockMs ?? 5_000,
    reports,
  });
}
