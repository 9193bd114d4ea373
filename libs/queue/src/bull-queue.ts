/** The queue over a BullMQ backend: names, checks, limits and time-outs. */
import { randomUUID } from 'node:crypto';
import { UnrecoverableError, WaitingError, type Job, type JobsOptions } from 'bullmq';
import { askJobSchema, evaluateJobSchema, type AskJob } from '@countersign/contracts';
import type { z } from 'zod';
import type { Backend, Producer, Reports, Taker } from './backend.js';
import { createDepthGuard } from './depth-guard.js';
import { JobReturned, QueueUnavailable, QueueUnfit } from './queue-errors.js';
import type { Consumer, JobHandler, JobRun, JobWhereabouts, NewAskJob, Queue } from './queue.js';
import { createBusy, type Busy } from './busy.js';
import { endsWithin, within } from './time-limit.js';

/** Making the schema takes its time. */
const START_LIMIT_MS = 15_000;
const CALL_LIMIT_MS = 1_000;
/** Together at most 5 s: running jobs, then the consumers, the producers and the shared connection. */
const SETTLE_LIMIT_MS = 3_500;
/** After its handler ended, a job is to be marked as done. */
const TOLD_LIMIT_MS = 1_500;
const DROP_LIMIT_MS = 500;
const JOB_ID = /^[A-Za-z0-9_-]{1,200}$/;

/** A failed batch stays a day for whoever looks into it, sealed as it came. */
const EVALUATE_JOB: JobsOptions = { removeOnComplete: true, removeOnFail: { count: 100, age: 24 * 3600 } };
/** A failed ask job goes: kept, it would keep a new one with its id out. */
const ASK_JOB: JobsOptions = {
  removeOnComplete: true,
  removeOnFail: true,
  attempts: 5,
  backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
};
/** Whoever handles a batch tells a bad call from a bad day by the number of starts; this only ends a job that no handler does. */
const EVALUATE_STALLS = 20;
const ASK_STALLS = 3;

interface BullQueueOptions {
  readonly maxDepth: number;
  readonly lockMs: number;
  readonly reports: Reports;
}

/** Starts the producers; throws QueueUnfit when they do not answer. */
export async function createBullQueue(backend: Backend, options: BullQueueOptions): Promise<Queue> {
  const evaluate = backend.producer('evaluate');
  const asks = backend.producer('asks');
  const consumers = new Set<Consumer>();
  const depth = async () => ({ evaluate: await evaluate.getWaitingCount(), asks: await asks.getWaitingCount() });
  const inTime = <T>(work: Promise<T>) => answered(work, options.reports);
  const close = async (): Promise<void> => {
    await Promise.all([...consumers].map((consumer) => consumer.close()));
    await Promise.all([evaluate, asks].map((producer) => endsWithin(DROP_LIMIT_MS, producer.close())));
    await backend.close();
  };
  const keep = (consumer: Consumer): Consumer => {
    consumers.add(consumer);
    return consumer;
  };
  await startOrExplain(depth, close);
  return {
    ...evaluateSide(evaluate, options),
    consume: (handler, { concurrency, settleMs }) => {
      const limits = { concurrency, lockMs: options.lockMs, maxStalledCount: EVALUATE_STALLS };
      const busy = createBusy(checked(evaluateJobSchema, handler));
      return keep(startConsumer(backend.taker('evaluate', busy.run, limits), busy, settleMs));
    },
    asks: {
      ...askSide(asks, options),
      consume: (handler, { concurrency, settleMs }) => {
        const limits = { concurrency, lockMs: options.lockMs, maxStalledCount: ASK_STALLS };
        const busy = createBusy(checked(askJobSchema, handler));
        return keep(startConsumer(backend.taker('asks', busy.run, limits), busy, settleMs));
      },
    },
    depth: () => inTime(depth()),
    ping: () => inTime(backend.ping()),
    generation: () => inTime(backend.generation()),
    board: async (basePath) => (await import('./board.js')).createBoard([evaluate, asks], basePath),
    close,
  };
}

async function startOrExplain(depth: () => Promise<unknown>, close: () => Promise<void>): Promise<void> {
  try {
    await within(START_LIMIT_MS, depth(), () => new Error('no answer'));
  } catch (cause) {
    await close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new QueueUnfit(`the queue cannot start: ${reason}`, { cause });
  }
}

function evaluateSide(producer: Producer, options: BullQueueOptions): Pick<Queue, 'enqueue' | 'whereabouts'> {
  const guard = guardOf(producer, options);
  const { reports } = options;
  return {
    enqueue: async (job) => {
      const jobId = randomUUID();
      await guard();
      await answered(producer.add('evaluate', evaluateJobSchema.parse(job), { jobId, ...EVALUATE_JOB }), reports);
      return jobId;
    },
    whereabouts: async (jobId) => whereabouts(await answered(producer.getJobState(jobId), reports)),
  };
}

function askSide(producer: Producer, options: BullQueueOptions): Pick<Queue['asks'], 'add' | 'addMany' | 'remove'> {
  const guard = guardOf(producer, options);
  const { reports } = options;
  const addMany = async (jobs: readonly NewAskJob[]): Promise<void> => {
    const bulk = jobs.map(bulkAskJob);
    if (bulk.length === 0) return;
    await guard(bulk.length);
    await answered(producer.addBulk(bulk), reports);
  };
  return {
    add: (job, { delayMs = 0, id = randomUUID() } = {}) => addMany([{ job, id, delayMs }]),
    addMany,
    remove: async (id) => {
      await answered(producer.remove(id), reports);
    },
  };
}

function bulkAskJob({ job, id, delayMs = 0 }: NewAskJob): { name: string; data: AskJob; opts: JobsOptions } {
  if (!JOB_ID.test(id) || /^\d+$/.test(id)) throw new TypeError(`not a job id: ${JSON.stringify(id)}`);
  return { name: job.kind, data: askJobSchema.parse(job), opts: { ...ASK_JOB, jobId: id, delay: delayMs } };
}

function guardOf(producer: Producer, { maxDepth, reports }: BullQueueOptions): (jobs?: number) => Promise<void> {
  const count = () => answered(producer.getWaitingCount(), reports);
  // `answered` has told already.
  return createDepthGuard({ getWaitingCount: count }, { maxDepth, onError: () => undefined });
}

/** The result within 1 s; anything else is QueueUnavailable, whatever the driver calls it. */
async function answered<T>(work: Promise<T>, { onAway }: Reports): Promise<T> {
  try {
    return await within(CALL_LIMIT_MS, work, () => new QueueUnavailable('no answer within 1 s'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const error = new QueueUnavailable(`the queue is unavailable: ${reason}`, { cause });
    onAway(error);
    throw error;
  }
}

function whereabouts(state: string): JobWhereabouts {
  if (state === 'active') return 'active';
  return ['waiting', 'delayed', 'prioritized', 'paused'].includes(state) ? 'waiting' : 'gone';
}

/** A job of a foreign shape fails for good; it is never handed on. */
function checked<S extends z.ZodType>(schema: S, handler: JobHandler<z.infer<S>>) {
  return async (job: Job, token?: string, signal?: AbortSignal): Promise<void> => {
    const parsed = schema.safeParse(job.data);
    if (!parsed.success) throw new UnrecoverableError('the job does not have the expected shape');
    // BullMQ's own lists hold on to finished jobs for a while, and the text of a batch is long.
    job.data = null;
    try {
      await handler(parsed.data, runOf(job, signal ?? new AbortController().signal));
    } catch (error) {
      if (!(error instanceof JobReturned)) throw error;
      await job.moveToWait(token);
      throw new WaitingError();
    }
  };
}

function runOf(job: Job, signal: AbortSignal): JobRun {
  return {
    starts: job.attemptsStarted,
    ageMs: Math.max(0, Date.now() - job.timestamp),
    // BullMQ's word for "nothing yet" is 0.
    noted: typeof job.progress === 'object' ? job.progress : null,
    note: (text) => job.updateProgress(text),
    signal,
  };
}

function startConsumer(taker: Taker, busy: Busy, settleMs = SETTLE_LIMIT_MS): Consumer {
  let closing: Promise<void> | undefined;
  return { ready: () => taker.ready(), close: () => (closing ??= closeTaker(taker, busy, settleMs)) };
}

/** While the service is away BullMQ waits for it without end, so beyond the handlers it gets only a moment. */
async function closeTaker(taker: Taker, busy: Busy, settleMs: number): Promise<void> {
  const settled = taker.settle();
  const idle = busy.idle().then(() => endsWithin(TOLD_LIMIT_MS, settled));
  await endsWithin(settleMs, Promise.race([settled, idle]));
  await endsWithin(DROP_LIMIT_MS, taker.cut());
}
