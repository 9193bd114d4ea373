/** A call that ends every worker which judges it, over a real queue: it is denied, and the calls beside it are judged. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ToolCall } from '@countersign/contracts';
import { createQueue, type Queue } from '@countersign/queue';
import { startRedis, type RedisFixture } from '@countersign/testing';
import type { RoundItem } from '../rounds/round-item.js';
import { judgeJob } from './judge-job.js';
import { createTurns } from './turns.js';

const LOCK_MS = 600;
const ids = ['a', 'bad', 'c'];

let redis: RedisFixture;
const queues: Queue[] = [];
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await Promise.all(queues.map((queue) => queue.close()));
  await redis.stop();
});

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 30_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it('C02 a call that ends its workers is a recorded deny, never silence', async () => {
  const space = randomUUID();
  const stored = new Map<string, string>();
  let worker = 0;
  let struck = false;

  /** A worker whose process ends while it judges `bad`: nothing of that round is stored, and it says nothing more. */
  async function startWorker(): Promise<Queue> {
    const queue = await createQueue({ kind: 'redis', url: redis.url, prefix: `{test-${space}}`, lockMs: LOCK_MS });
    queues.push(queue);
    const judge = async (items: readonly RoundItem[]): Promise<void> => {
      if (items.some(({ call, guilty }) => call.id === 'bad' && !guilty)) {
        struck = true;
        await new Promise(() => undefined);
      }
      for (const { call, guilty } of items) stored.set(call.id, guilty ? 'internal.error' : 'judged');
    };
    const deps = {
      judge: { judge, judgeAlone: judge, idle: async () => undefined },
      turns: createTurns(),
      isOutage: () => false,
      onGuilty: () => undefined,
      leaving: new AbortController().signal,
    };
    const items = ids.map((id): RoundItem => ({ call: { id } as ToolCall, replyTo: 'g' }));
    queue.consume((_job, run) => judgeJob(items, run, deps), { concurrency: 1, settleMs: 0 });
    return queue;
  }

  const sender = await createQueue({ kind: 'redis', url: redis.url, prefix: `{test-${space}}`, lockMs: LOCK_MS });
  queues.push(sender);
  await sender.enqueue({ replyTo: 'g', calls: 'sealed', count: ids.length });
  for (worker = 1; worker <= 3; worker += 1) {
    struck = false;
    const doomed = await startWorker();
    await until(() => struck);
    await doomed.close();
  }
  expect([...stored]).toEqual([['a', 'judged']]);
  await startWorker();
  await until(() => stored.size === ids.length);
  expect(Object.fromEntries(stored)).toEqual({ a: 'judged', bad: 'internal.error', c: 'judged' });
}, 60_000);
