/** What Redis can do to the queue: full, emptied, slow to give memory back, kept jobs in the way, many jobs at once. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AskJob, EvaluateJob } from '@countersign/contracts';
import { startOwnRedis, type OwnRedis } from '@countersign/testing';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { createQueue, JobReturned, QueueUnavailable, type JobRun, type Queue, type QueueOptions } from './index.js';

const batch = (calls = 'c2VhbGVk'): EvaluateJob => ({ replyTo: 'gateway-1', calls, count: 1 });
const askJob = (askId: string): AskJob => ({ kind: 'notify', tenantId: 't', askId });

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('waited in vain');
    await pause(20);
  }
}

let redis: OwnRedis;
let client: Redis;
const queues: Queue[] = [];
const open = async (space: string = randomUUID(), options: QueueOptions = {}): Promise<Queue> => {
  const queue = await createQueue({ kind: 'redis', url: redis.url, prefix: `{test-${space}}`, ...options });
  queues.push(queue);
  return queue;
};
beforeAll(async () => {
  redis = await startOwnRedis();
  client = new Redis(redis.url);
});
afterEach(async () => {
  await client.config('SET', 'maxmemory', '0');
  await Promise.all(queues.splice(0).map((queue) => queue.close()));
});
afterAll(async () => {
  await client.quit();
  await redis.stop();
});

async function usedMemory(): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
}

describe('the queue on Redis', () => {
  it('C07 keeps neither jobs nor events: memory does not grow with what went through', async () => {
    const space = randomUUID();
    const queue = await open(space);
    let done = 0;
    queue.consume(async () => void (done += 1), { concurrency: 64 });
    const send = async (count: number): Promise<void> => {
      const wanted = done + count;
      const calls = Buffer.alloc(4_096, 7).toString('base64');
      // Each has a second: on a busy machine a thousand at once have not.
      for (let sent = 0; sent < count; sent += 50) {
        await Promise.all(Array.from({ length: 50 }, () => queue.enqueue(batch(calls))));
      }
      await until(() => done >= wanted);
    };
    await send(500);
    await pause(200);
    const before = await usedMemory();
    for (let round = 0; round < 4; round += 1) await send(1_000);
    await until(async () => (await client.keys(`{test-${space}}:*`)).length < 20);
    // 4,000 batches of 5.5 KB were 22 MB.
    expect((await usedMemory()) - before).toBeLessThan(3 * 1024 * 1024);
    expect(await client.xlen(`{test-${space}}:evaluate:events`)).toBeLessThan(1_000);
  }, 60_000);

  it('C08 takes no id from outside that BullMQ would misread, and makes its own', async () => {
    const queue = await open();
    const id = await queue.enqueue(batch());
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 300 }), async (text) => {
        const fine = /^[A-Za-z0-9_-]{1,200}$/.test(text) && !/^\d+$/.test(text);
        const added = queue.asks.add(askJob('a'), { id: text }).then(
          () => true,
          (error: unknown) => !(error instanceof TypeError),
        );
        expect(await added).toBe(fine);
      }),
      { numRuns: 200, examples: [['sess:42:call:7'], ['12345'], ['é'], ['x'.repeat(300)], ['r-5'], ['']] },
    );
  });

  it('C09 lets a job that failed for good be added again under its id', async () => {
    const queue = await open();
    let runs = 0;
    let broken = true;
    queue.asks.consume(
      async () => {
        runs += 1;
        if (broken) throw new Error('no');
      },
      { concurrency: 1 },
    );
    await queue.asks.addMany([{ job: askJob('a'), id: 'a-notify' }]);
    // Tried five times in all, with pauses of 1, 2, 4 and 8 s: no need to wait for all of them.
    await until(() => runs === 1);
    await queue.asks.remove('a-notify');
    broken = false;
    await queue.asks.addMany([{ job: askJob('a'), id: 'a-notify' }]);
    await until(() => runs === 2);
    await queue.asks.addMany([{ job: askJob('a'), id: 'a-notify' }]);
    await until(() => runs === 3);
  });

  it('C10 never lets the jobs of asks stand in the way of calls', async () => {
    const queue = await open();
    const asks = Array.from({ length: 5_000 }, (_, index) => ({ job: askJob(`a${index}`), id: `a${index}-notify` }));
    for (let from = 0; from < asks.length; from += 1_000) await queue.asks.addMany(asks.slice(from, from + 1_000));
    const got: string[] = [];
    queue.asks.consume(async (job) => pause(20).then(() => void got.push(job.askId)), { concurrency: 1 });
    queue.consume(async () => void got.push('call'), { concurrency: 1 });
    await queue.enqueue(batch());
    await until(() => got.includes('call'));
    expect(got.length).toBeLessThan(500);
    expect((await queue.depth()).asks).toBeGreaterThan(4_000);
  });

  it('C13 refuses while Redis is full, loses nothing, and goes on when there is room', async () => {
    const away: Error[] = [];
    const queue = await open(randomUUID(), { onAway: (error) => away.push(error) });
    const kept = await queue.enqueue(batch('kept'));
    await client.config('SET', 'maxmemory', '1mb');
    await expect(queue.enqueue(batch('refused'))).rejects.toThrow(QueueUnavailable);
    await expect(queue.asks.addMany([{ job: askJob('b'), id: 'b-notify' }])).rejects.toThrow(QueueUnavailable);
    await expect(queue.ping()).rejects.toThrow(/OOM/);
    expect(away.length).toBeGreaterThan(0);
    expect(await queue.whereabouts(kept)).toBe('waiting');
    const got: string[] = [];
    queue.consume(async (job) => void got.push(job.calls), { concurrency: 1 });
    await client.config('SET', 'maxmemory', '0');
    await queue.ping();
    await queue.enqueue(batch('later'));
    await until(() => got.length === 2);
    expect(got).toEqual(['kept', 'later']);
  });

  it('C14 tells that jobs may be lost: another generation after a flush, the same one otherwise', async () => {
    const queue = await open();
    const first = await queue.generation();
    expect(await queue.generation()).toBe(first);
    await client.flushall();
    expect(await queue.generation()).not.toBe(first);
  });

  it('gives a job back to be taken by another, with what was noted and how often it was begun', async () => {
    const space = randomUUID();
    const queue = await open(space);
    const runs: Pick<JobRun, 'starts' | 'noted'>[] = [];
    queue.consume(
      async (_job, run) => {
        runs.push({ starts: run.starts, noted: run.noted });
        if (runs.length > 1) return;
        await run.note({ step: 1 });
        throw new JobReturned('not now');
      },
      { concurrency: 1 },
    );
    const id = await queue.enqueue(batch());
    await until(async () => (await queue.whereabouts(id)) === 'gone');
    expect(runs).toEqual([
      { starts: 1, noted: null },
      { starts: 2, noted: { step: 1 } },
    ]);
  });

  it('tells of a job that was taken over from a silent worker', async () => {
    const space = randomUUID();
    const stalled: string[] = [];
    const lost = await open(space, { lockMs: 600 });
    let begun = false;
    lost.consume(
      () => {
        begun = true;
        return new Promise(() => undefined);
      },
      { concurrency: 1, settleMs: 0 },
    );
    const id = await lost.enqueue(batch());
    await until(() => begun);
    await lost.close();
    const other = await open(space, { lockMs: 600, onStalled: (queue, job) => stalled.push(`${queue} ${job}`) });
    const starts: number[] = [];
    other.consume(async (_job, run) => void starts.push(run.starts), { concurrency: 1 });
    await until(() => starts.length > 0);
    expect(starts).toEqual([2]);
    expect(stalled).toEqual([`evaluate ${id}`]);
  }, 30_000);
});
