/** One suite for every backend: what the queue promises holds on Redis and on Postgres alike. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AskJob, EvaluateJob } from '@countersign/contracts';
import { startOwnRedis, startPostgres, startRedis, startTcpProxy, type TcpProxy } from '@countersign/testing';
import { createQueue, QueueFull, QueueUnavailable, QueueUnfit, type Queue, type QueueOptions } from './index.js';

interface Place {
  readonly proxy: TcpProxy;
  /** A queue in a name space of its own for every test; the same `space` gives the same queue. */
  open(space: string, options?: QueueOptions): Promise<Queue>;
  stop(): Promise<void>;
}

async function redisPlace(): Promise<Place> {
  const redis = await startRedis();
  const proxy = await startTcpProxy(redis.url);
  return {
    proxy,
    open: (space, options) => createQueue({ kind: 'redis', url: proxy.url, prefix: `{test-${space}}`, ...options }),
    stop: async () => {
      await proxy.close();
      await redis.stop();
    },
  };
}

async function postgresPlace(): Promise<Place> {
  const postgres = await startPostgres();
  const database = await postgres.createEmptyDatabase();
  const proxy = await startTcpProxy(database.ownerUrl);
  return {
    proxy,
    open: (space, options) =>
      createQueue({ kind: 'postgres', url: proxy.url, schema: `q_${space.replaceAll('-', '')}`, ...options }),
    stop: async () => {
      await proxy.close();
      await database.drop();
      await postgres.stop();
    },
  };
}

const job = (calls = 'c2VhbGVk'): EvaluateJob => ({ replyTo: 'gateway-1', calls, count: 1 });
const askJob = (askId: string): AskJob => ({ kind: 'expire', tenantId: 't', askId });

async function until(holds: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each([
  ['Redis', redisPlace],
  ['Postgres', postgresPlace],
])('the queue on %s', (_name, start) => {
  let place: Place;
  const queues: Queue[] = [];
  const open = async (space: string = randomUUID(), options: QueueOptions = {}): Promise<Queue> => {
    const queue = await place.open(space, options);
    queues.push(queue);
    return queue;
  };
  beforeAll(async () => {
    place = await start();
  }, 60_000);
  afterEach(async () => {
    place.proxy.restore();
    await Promise.all(queues.splice(0).map((queue) => queue.close()));
  }, 20_000);
  afterAll(() => place.stop(), 30_000);

  it('hands a job over once, whole, and forgets it', async () => {
    const queue = await open();
    const got: EvaluateJob[] = [];
    const sent = job(Buffer.alloc(700_000, 7).toString('base64'));
    queue.consume(async (item) => void got.push(item), { concurrency: 4 });
    const id = await queue.enqueue(sent);
    await until(async () => (await queue.whereabouts(id)) === 'gone');
    expect(got).toEqual([sent]);
    expect(await queue.depth()).toEqual({ evaluate: 0, asks: 0 });
  });

  it('shares the work among consumers, each job once', async () => {
    const space = randomUUID();
    const [one, two] = [await open(space), await open(space)];
    const got: string[] = [];
    for (const queue of [one, two]) queue.consume(async (item) => void got.push(item.calls), { concurrency: 8 });
    const sent = Array.from({ length: 100 }, (_, i) => `call${i}`);
    await Promise.all(sent.map((calls) => one.enqueue(job(calls))));
    await until(() => got.length >= 100);
    await pause(200);
    expect(got.sort()).toEqual(sent.sort());
  });

  it('tells where a job is', async () => {
    const queue = await open();
    const id = await queue.enqueue(job());
    expect(await queue.whereabouts(id)).toBe('waiting');
    expect(await queue.whereabouts(randomUUID())).toBe('gone');
    let finish = (): void => undefined;
    queue.consume(() => new Promise<void>((resolve) => (finish = resolve)), { concurrency: 1 });
    await until(async () => (await queue.whereabouts(id)) === 'active');
    finish();
    await until(async () => (await queue.whereabouts(id)) === 'gone');
  });

  it('takes no job of a wrong shape and fails one that throws', async () => {
    const errors: Error[] = [];
    const queue = await open(undefined, { onError: (error) => errors.push(error) });
    await expect(queue.enqueue({ replyTo: 'x', calls: 5, count: 1 } as unknown as EvaluateJob)).rejects.toThrow();
    let runs = 0;
    queue.consume(
      async () => {
        runs += 1;
        throw new Error('broken handler');
      },
      { concurrency: 1 },
    );
    const id = await queue.enqueue(job());
    await until(async () => (await queue.whereabouts(id)) === 'gone');
    // The queue may tell of it a moment after the job is gone.
    await until(async () => errors.some((error) => error.message === 'broken handler'));
    expect(runs).toBe(1);
  });

  it('refuses more than it may hold, and opens again', async () => {
    const queue = await open(undefined, { maxDepth: 5 });
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => queue.enqueue(job())));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(7);
    expect(refused.every((result) => result.reason instanceof QueueFull)).toBe(true);
    queue.consume(async () => undefined, { concurrency: 5 });
    await until(async () => (await queue.depth()).evaluate === 0);
    await pause(300);
    await queue.enqueue(job());
  });

  it('delays ask jobs, keeps one per id, and takes them back', async () => {
    const queue = await open();
    const got: [string, number][] = [];
    queue.asks.consume(async (item) => void got.push([item.askId, performance.now()]), { concurrency: 2 });
    const sentAt = performance.now();
    await queue.asks.add(askJob('later'), { delayMs: 700, id: 'expire-later' });
    await queue.asks.add(askJob('again'), { delayMs: 700, id: 'expire-later' });
    await queue.asks.add(askJob('never'), { delayMs: 700, id: 'expire-never' });
    await queue.asks.add(askJob('now'));
    await queue.asks.remove('expire-never');
    await queue.asks.remove('expire-unknown');
    await expect(queue.asks.add(askJob('x'), { id: 'a:b' })).rejects.toThrow(TypeError);
    await until(() => got.length === 2);
    await pause(300);
    expect(got.map(([askId]) => askId)).toEqual(['now', 'later']);
    expect(got[1]![1] - sentAt).toBeGreaterThanOrEqual(690);
  });

  it('tries an ask job again after a failure', async () => {
    const queue = await open();
    let runs = 0;
    queue.asks.consume(
      async () => {
        runs += 1;
        if (runs < 2) throw new Error('not yet');
      },
      { concurrency: 1 },
    );
    await queue.asks.add(askJob('a'));
    await until(() => runs === 2);
  }, 15_000);

  it('gives the job of a worker that hangs to another, and closes in time', async () => {
    const space = randomUUID();
    const [hanging, other] = [await open(space), await open(space)];
    let taken = false;
    const release: (() => void)[] = [];
    hanging.consume(
      () => {
        taken = true;
        return new Promise<void>((resolve) => release.push(resolve));
      },
      { concurrency: 1 },
    );
    const id = await hanging.enqueue(job('precious'));
    await until(() => taken);
    const closedAt = performance.now();
    await hanging.close();
    expect(performance.now() - closedAt).toBeLessThan(5_500);
    const got: string[] = [];
    other.consume(async (item) => void got.push(item.calls), { concurrency: 1 });
    await until(() => got.length > 0);
    expect(got).toEqual(['precious']);
    await until(async () => (await other.whereabouts(id)) === 'gone');
    release.forEach((end) => end());
  }, 40_000);

  it.each(['cut', 'silence'] as const)(
    'fails fast while the service is away (%s), and recovers',
    async (fault) => {
      const queue = await open();
      const got: string[] = [];
      const consumer = queue.consume(async (item) => void got.push(item.calls), { concurrency: 1 });
      await consumer.ready();
      place.proxy[fault]();
      for (const attempt of [() => queue.enqueue(job('lost')), () => queue.ping(), () => queue.depth()]) {
        const startedAt = performance.now();
        await expect(attempt()).rejects.toThrow(QueueUnavailable);
        expect(performance.now() - startedAt).toBeLessThan(1_500);
      }
      place.proxy.restore();
      await until(() =>
        queue.ping().then(
          () => true,
          () => false,
        ),
      );
      await queue.enqueue(job('found'));
      await until(() => got.includes('found'));
    },
    40_000,
  );

  it.each(['cut', 'silence'] as const)(
    'closes in time while the service is away (%s)',
    async (fault) => {
      const queue = await open();
      await queue.consume(async () => undefined, { concurrency: 1 }).ready();
      place.proxy[fault]();
      const startedAt = performance.now();
      await queue.close();
      expect(performance.now() - startedAt).toBeLessThan(5_500);
    },
    20_000,
  );

  it('explains at start-up that the service cannot be reached', async () => {
    place.proxy.cut();
    await expect(place.open(randomUUID())).rejects.toThrow(QueueUnfit);
  }, 20_000);
});

describe('Redis at start-up', () => {
  it('is refused when it may evict jobs', async () => {
    const redis = await startOwnRedis({ maxmemoryPolicy: 'allkeys-lru' });
    const refused = createQueue({ kind: 'redis', url: redis.url });
    await expect(refused).rejects.toThrow(
      /^Redis at 127\.0\.0\.1:\d+ has maxmemory-policy allkeys-lru; set it to noevic/,
    );
    await redis.stop();
  });

  it('is named without its password when it does not answer', async () => {
    const refused = createQueue({ kind: 'redis', url: 'redis://user:secret@127.0.0.1:1' });
    await expect(refused).rejects.toThrow(/^cannot reach Redis at 127\.0\.0\.1:1: (?!.*secret).*ECONNREFUSED/);
  }, 10_000);
});
