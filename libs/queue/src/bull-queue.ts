/** The queue over a BullMQ backend: names, checks, limits and time-outs. */
import { randomUUID } from 'node:crypto';
import { UnrecoverableError, type JobsOptions } from 'bullmq';
import { askJobSchema, evaluateJobSchema } from '@countersign/contracts';
import type { z } from 'zod';
import type { Backend, Producer, Taker } from './backend.js';
import { createDepthGuard } from './depth-guard.js';
import { QueueUnavailable, QueueUnfit } from './queue-errors.js';
import type { Consumer, JobHandler, JobWhereabouts, Queue } from './queue.js';
import { endsWithin, within } from './time-limit.js';

/** Making the schema takes its time. */
const START_LIMIT_MS = 15_000;
const CALL_LIMIT_MS = 1_000;
/** Together at most 5 s: running jobs, then the consumers, the producers and the shared connection. */
const CLOSE_LIMIT_MS = 3_500;
const DROP_LIMIT_MS = 500;
const JOB_ID = /^[A-Za-z0-9_-]{1,200}$/;

const KEEP: JobsOptions = { removeOnComplete: true, removeOnFail: { count: 100, age: 24 * 3600 } };
const ASK_JOB: JobsOptions = { ...KEEP, attempts: 5, backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 } };

interface BullQueueOptions {
  readonly maxDepth: number;
  readonly onError: (error: Error) => void;
}

/** Starts the producers; throws QueueUnfit when they do not answer. */
export async function createBullQueue(backend: Backend, options: BullQueueOptions): Promise<Queue> {
  const evaluate = backend.producer('evaluate');
  const asks = backend.producer('asks');
  const consumers = new Set<Consumer>();
  const depth = async () => ({ evaluate: await evaluate.getWaitingCount(), asks: await asks.getWaitingCount() });
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
    consume: (handler, { concurrency }) =>
      keep(startConsumer(backend.taker('evaluate', checked(evaluateJobSchema, handler), concurrency))),
    asks: {
      ...askSide(asks, options),
      consume: (handler, { concurrency }) =>
        keep(startConsumer(backend.taker('asks', checked(askJobSchema, handler), concurrency))),
    },
    depth: () => inTime(depth()),
    ping: () => inTime(backend.ping()),
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
  return {
    enqueue: async (job) => {
      const jobId = randomUUID();
      await guard();
      await inTime(producer.add('evaluate', evaluateJobSchema.parse(job), { ...KEEP, jobId }));
      return jobId;
    },
    whereabouts: async (jobId) => whereabouts(await inTime(producer.getJobState(jobId))),
  };
}

function askSide(producer: Producer, options: BullQueueOptions): Pick<Queue['asks'], 'add' | 'remove'> {
  const guard = guardOf(producer, options);
  return {
    add: async (job, { delayMs = 0, id = randomUUID() } = {}) => {
      if (!JOB_ID.test(id) || /^\d+$/.test(id)) throw new TypeError(`not a job id: ${JSON.stringify(id)}`);
      await guard();
      await inTime(producer.add(job.kind, askJobSchema.parse(job), { ...ASK_JOB, jobId: id, delay: delayMs }));
    },
    remove: async (id) => {
      await inTime(producer.remove(id));
    },
  };
}

function guardOf(producer: Producer, options: BullQueueOptions): () => Promise<void> {
  return createDepthGuard({ getWaitingCount: () => inTime(producer.getWaitingCount()) }, options);
}

/** The result within 1 s; anything else is QueueUnavailable, whatever the driver calls it. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await within(CALL_LIMIT_MS, work, () => new Error('no answer within 1 s'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new QueueUnavailable(`the queue is unavailable: ${reason}`, { cause });
  }
}

function whereabouts(state: string): JobWhereabouts {
  if (state === 'active') return 'active';
  return ['waiting', 'delayed', 'prioritized', 'paused'].includes(state) ? 'waiting' : 'gone';
}

/** A job of a foreign shape fails for good; it is never handed on. */
function checked<S extends z.ZodType>(schema: S, handler: JobHandler<z.infer<S>>) {
  return async (job: { data: unknown }, _token?: string, signal?: AbortSignal): Promise<void> => {
    const parsed = schema.safeParse(job.data);
    if (!parsed.success) throw new UnrecoverableError('the job does not have the expected shape');
    await handler(parsed.data, signal ?? new AbortController().signal);
  };
}

function startConsumer(taker: Taker): Consumer {
  let closing: Promise<void> | undefined;
  return { ready: () => taker.ready(), close: () => (closing ??= closeTaker(taker)) };
}

async function closeTaker(taker: Taker): Promise<void> {
  await endsWithin(CLOSE_LIMIT_MS, taker.settle());
  await endsWithin(DROP_LIMIT_MS, taker.cut());
}
