/** A call that ends every worker which judges it, over a real queue: it is denied, and the calls beside it are judged. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ToolCall } from '@countersign/contracts';
import { createQueue, type Queue } from '@countersign/queue';
import { startRedis, type RedisFixture } from '@countersign/testing';
import type { RoundItem } from '../rounds/round-item.js';
import { judgeJob } from './judge-job.js';
import { createLeaving } from './leaving.js';
import { createTurns } from './turns.js';

const LOCK_MS = 600;

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

interface House {
  readonly queue: () => Promise<Queue>;
  /** What became of each call. */
  readonly stored: Map<string, string>;
}

function openHouse(): House {
  const prefix = `{test-${randomUUID()}}`;
  const queue = async (): Promise<Queue> => {
    const opened = await createQueue({ kind: 'redis', url: redis.url, prefix, lockMs: LOCK_MS });
    queues.push(opened);
    return opened;
  };
  return { queue, stored: new Map() };
}

interface Worker {
  readonly ids: readonly string[];
  readonly leaving?: AbortSignal;
  /** Before a call is stored. */
  readonly onCall?: (item: RoundItem) => Promise<void>;
  readonly onStart?: (starts: number) => void;
}

async function startWorker({ queue, stored }: House, { ids, leaving, onCall, onStart }: Worker): Promise<Queue> {
  const judge = async (some: readonly RoundItem[]): Promise<void> => {
    for (const item of some) await onCall?.(item);
    for (const { call, guilty } of some) stored.set(call.id, guilty ? 'internal.error' : 'judged');
  };
  const deps = {
    judge: { judge, judgeAlone: judge, idle: async () => undefined },
    turns: createTurns(),
    isOutage: () => false,
    onGuilty: () => undefined,
    leaving: createLeaving(leaving ?? new AbortController().signal),
  };
  const items = ids.map((id): RoundItem => ({ call: { id } as ToolCall, replyTo: 'g' }));
  const opened = await queue();
  opened.consume(
    (_job, run) => {
      onStart?.(run.starts);
      return judgeJob(items, run, deps);
    },
    { concurrency: 1, settleMs: 0 },
  );
  return opened;
}

it('C02 a call that ends its workers is a recorded deny, never silence', async () => {
  const house = openHouse();
  const { stored } = house;
  const ids = ['a', 'bad', 'c'];
  let struck = false;
  /** The process ends while it judges `bad`: nothing of that round is stored, and it says nothing more. */
  const onCall = async ({ call, guilty }: RoundItem): Promise<void> => {
    if (call.id !== 'bad' || guilty) return;
    struck = true;
    await new Promise(() => undefined);
  };
  await (await house.queue()).enqueue({ replyTo: 'g', calls: 'sealed', count: ids.length });
  for (let worker = 1; worker <= 3; worker += 1) {
    struck = false;
    const doomed = await startWorker(house, { ids, onCall });
    await until(() => struck);
    await doomed.close();
  }
  expect([...stored]).toEqual([['a', 'judged']]);
  await startWorker(house, { ids, onCall });
  await until(() => stored.size === ids.length);
  expect(Object.fromEntries(stored)).toEqual({ a: 'judged', bad: 'internal.error', c: 'judged' });
}, 60_000);

it('C02 a worker that leaves gives a job back as often as it gets it, and nobody is denied for that', async () => {
  const house = openHouse();
  let begun = 0;
  await (await house.queue()).enqueue({ replyTo: 'g', calls: 'sealed', count: 1 });
  const onStart = (starts: number): void => void (begun = Math.max(begun, starts));
  const leaves = await startWorker(house, { ids: ['a'], leaving: AbortSignal.abort(), onStart });
  await until(() => begun > 12);
  await leaves.close();
  await startWorker(house, { ids: ['a'] });
  await until(() => house.stored.size === 1);
  expect([...house.stored]).toEqual([['a', 'judged']]);
}, 60_000);
