/** Natural batching: while one enqueue is in flight calls gather, and leave together as one sealed `evaluate` job. */
import { MAX_BATCH_BYTES, MAX_BATCH_CALLS, type EvaluateJob } from '@countersign/contracts';

/** The part of the queue that batching needs. */
export interface EvaluateSink {
  /** Gives the id of the job. */
  enqueue(job: EvaluateJob): Promise<string>;
}

export interface Batcher {
  /** Takes the JSON text of one call; gives the id of the job that holds it once that is queued, rejects when the queue refused. */
  add(callJson: string): Promise<string>;
  /** Calls that have not left yet. */
  readonly gathered: number;
}

interface Entry {
  readonly json: string;
  readonly bytes: number;
  readonly resolve: (jobId: string) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatcherOptions {
  readonly sink: EvaluateSink;
  readonly seal: { seal(text: string): string };
  /** Where the replies go: this gateway's id. */
  readonly replyTo: string;
}

/** An idle gateway adds no delay: the first call leaves at once and alone. */
export function createBatcher({ sink, seal, replyTo }: BatcherOptions): Batcher {
  const waiting: Entry[] = [];
  let sending = false;

  async function sendOne(): Promise<void> {
    const batch = takeBatch(waiting);
    try {
      const calls = seal.seal(`[${batch.map((entry) => entry.json).join(',')}]`);
      const jobId = await sink.enqueue({ replyTo, calls, count: batch.length });
      for (const entry of batch) entry.resolve(jobId);
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) await sendOne();
    sending = false;
  }

  return {
    add: (json) =>
      new Promise((resolve, reject) => {
        waiting.push({ json, bytes: Buffer.byteLength(json) + 1, resolve, reject });
        if (sending) return;
        sending = true;
        void drain();
      }),
    get gathered() {
      return waiting.length;
    },
  };
}

/** A call that alone is larger than a batch may be travels alone. */
function takeBatch(waiting: Entry[]): Entry[] {
  let bytes = 2;
  let count = 0;
  for (const entry of waiting) {
    if (count === MAX_BATCH_CALLS || (count > 0 && bytes + entry.bytes > MAX_BATCH_BYTES)) break;
    bytes += entry.bytes;
    count += 1;
  }
  return waiting.splice(0, count);
}
