import { describe, expect, it } from '@jest/globals';
import { MAX_BATCH_BYTES, MAX_BATCH_CALLS, type EvaluateJob } from '@countersign/contracts';
import { createBatcher } from './batcher.js';

const plain = { seal: (text: string) => text };

function slowSink(fail: (job: EvaluateJob) => boolean = () => false) {
  const jobs: EvaluateJob[] = [];
  return {
    jobs,
    enqueue: async (job: EvaluateJob) => {
      jobs.push(job);
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (fail(job)) throw new Error('the queue is away');
      return `job-${jobs.length}`;
    },
  };
}

describe('batcher', () => {
  it('sends the first call alone and what gathered meanwhile together', async () => {
    const sink = slowSink();
    const batcher = createBatcher({ sink, seal: plain, replyTo: 'g1' });
    await Promise.all(['{"a":1}', '{"a":2}', '{"a":3}'].map((json) => batcher.add(json)));
    expect(sink.jobs).toEqual([
      { replyTo: 'g1', calls: '[{"a":1}]', count: 1 },
      { replyTo: 'g1', calls: '[{"a":2},{"a":3}]', count: 2 },
    ]);
    expect(batcher.gathered).toBe(0);
  });

  it('keeps a job within its number of calls and its size', async () => {
    const sink = slowSink();
    const batcher = createBatcher({ sink, seal: plain, replyTo: 'g1' });
    const big = JSON.stringify({ text: 'x'.repeat(MAX_BATCH_BYTES / 2) });
    const huge = JSON.stringify({ text: 'x'.repeat(2 * MAX_BATCH_BYTES) });
    const calls = ['{}', ...Array.from({ length: 300 }, () => '{}'), big, big, huge, '{}'];
    await Promise.all(calls.map((json) => batcher.add(json)));
    expect(sink.jobs.map((job) => job.count)).toEqual([1, MAX_BATCH_CALLS, 300 - MAX_BATCH_CALLS + 1, 1, 1, 1]);
  });

  it('fails only the calls of the job that was refused', async () => {
    const sink = slowSink((job) => job.calls.includes('bad'));
    const batcher = createBatcher({ sink, seal: plain, replyTo: 'g1' });
    const first = batcher.add('"bad"');
    const second = batcher.add('"good"');
    await expect(first).rejects.toThrow('the queue is away');
    await expect(second).resolves.toBe('job-2');
  });
});
