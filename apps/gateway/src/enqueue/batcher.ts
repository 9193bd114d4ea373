/** Natural batching: while one enqueue is in flight, or enough jobs are, calls gather, and leave together as one sealed `evaluate` job. */
import {
  MAX_BATCH_BYTES,
  MAX_BATCH_CALLS,
  NO_TRACING,
  type EvaluateJob,
  type Span,
  type TraceParent,
  type Tracing,
} from '@countersign/contracts';
import type { Pace } from './pace.js';

/** The part of the queue that batching needs. */
export interface EvaluateSink {
  /** Gives the id of the job. */
  enqueue(job: EvaluateJob): Promise<string>;
}

export interface Batcher {
  /** Takes the JSON text of one call; gives the id of the job that holds it once that is queued, rejects when the queue refused. */
  add(callJson: string): Promise<string>;
  /** Calls that must be judged together and in order: they leave in one job. Together at most MAX_BATCH_CALLS and MAX_BATCH_BYTES. */
  addAll(callJsons: readonly string[]): Promise<string>;
  /** Calls that have not left yet. */
  readonly gathered: number;
}

interface Entry {
  readonly json: string;
  readonly bytes: number;
  /** Calls that the text holds. */
  readonly count: number;
  readonly trace: TraceParent | null;
  readonly resolve: (jobId: string) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatcherOptions {
  readonly sink: EvaluateSink;
  readonly seal: { seal(text: string): string };
  /** Where the replies go: this gateway's id. */
  readonly replyTo: string;
  readonly tracing?: Tracing;
  /** Absent: a batch leaves as soon as the one before is queued. */
  readonly pace?: Pace;
}

/** An idle gateway adds no delay: the first call leaves at once and alone. */
export function createBatcher({ sink, seal, replyTo, tracing = NO_TRACING, pace }: BatcherOptions): Batcher {
  const waiting: Entry[] = [];
  let sending = false;
  let gathered = 0;
  let bytes = 0;
  const isFull = (): boolean => gathered >= MAX_BATCH_CALLS || bytes >= MAX_BATCH_BYTES;

  async function sendOne(): Promise<void> {
    const batch = takeBatch(waiting);
    const count = countOf(batch);
    gathered -= count;
    bytes -= batch.reduce((sum, entry) => sum + entry.bytes, 0);
    const span = startEnqueue(tracing, batch);
    try {
      const calls = seal.seal(`[${batch.map((entry) => entry.json).join(',')}]`);
      const jobId = await sink.enqueue({ replyTo, calls, count, ...tracesOf(tracing, span, batch) });
      span.end();
      pace?.left(jobId, count);
      for (const entry of batch) entry.resolve(jobId);
    } catch (error) {
      span.end(true);
      for (const entry of batch) entry.reject(error);
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      if (pace && !isFull()) await pace.turn(() => gathered);
      await sendOne();
    }
    sending = false;
  }

  const push = (json: string, count: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const trace = tracing.active();
      gathered += count;
      const entry = { json, bytes: Buffer.byteLength(json) + 1, count, trace, resolve, reject };
      bytes += entry.bytes;
      waiting.push(entry);
      if (isFull()) pace?.hurry();
      else if (sending) pace?.grew();
      if (sending) return;
      sending = true;
      void drain();
    });

  return {
    add: (json) => push(json, 1),
    addAll: (jsons) => push(jsons.join(','), jsons.length),
    get gathered() {
      return gathered;
    },
  };
}

/** In the trace of the first call; the others are linked. */
function startEnqueue(tracing: Tracing, batch: readonly Entry[]): Span {
  const [first, ...others] = batch.map((entry) => entry.trace);
  const links = others.filter((trace) => trace !== null);
  return tracing.start('enqueue', { kind: 'producer', parent: first ?? null, links });
}

/** A context for each call, so that the worker goes on in that call's trace. */
function tracesOf(tracing: Tracing, span: Span, batch: readonly Entry[]): Pick<EvaluateJob, 'traces'> {
  if (!tracing.on) return {};
  const all = batch.flatMap(({ trace, count }) => Array.from({ length: count }, () => trace));
  return { traces: [span.context, ...all.slice(1)] };
}

function countOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + entry.count, 0);
}

/** A call that alone is larger than a batch may be travels alone. */
function takeBatch(waiting: Entry[]): Entry[] {
  let bytes = 2;
  let calls = 0;
  let taken = 0;
  for (const entry of waiting) {
    const full = calls + entry.count > MAX_BATCH_CALLS || bytes + entry.bytes > MAX_BATCH_BYTES;
    if (taken > 0 && full) break;
    bytes += entry.bytes;
    calls += entry.count;
    taken += 1;
  }
  return waiting.splice(0, taken);
}
