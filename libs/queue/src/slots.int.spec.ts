/** Redis Cluster spreads keys over slots and refuses scripts that touch two: all keys of our queues lie in one. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startOwnRedis, type OwnRedis } from '@countersign/testing';
import { Redis } from 'ioredis';
import { createBus, createQueue, DEFAULT_PREFIX } from './index.js';

let redis: OwnRedis;
beforeAll(async () => {
  redis = await startOwnRedis();
});
afterAll(() => redis.stop());

/** CRC16 (XMODEM) of the hash tag, or of the whole key without one, as the cluster specification says. */
function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open === -1 ? -1 : key.indexOf('}', open + 1);
  const hashed = close > open + 1 ? key.slice(open + 1, close) : key;
  let crc = 0;
  for (const byte of Buffer.from(hashed)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021) & 0xffff;
  }
  return crc % 16_384;
}

/** Every key that comes into being while all kinds of jobs pass. */
async function keysOf(prefix: string): Promise<string[]> {
  const client = new Redis(redis.url);
  await client.flushall();
  const queue = await createQueue({ kind: 'redis', url: redis.url, prefix });
  const bus = await createBus({ kind: 'redis', url: redis.url, prefix });
  const seen = new Set<string>();
  const look = async () => (await client.keys('*')).forEach((key) => seen.add(key));
  const consumers = [
    queue.consume(async () => look(), { concurrency: 2 }),
    queue.asks.consume(async () => look(), { concurrency: 2 }),
  ];
  await Promise.all(consumers.map((consumer) => consumer.ready()));
  await queue.enqueue({ replyTo: 'g', calls: 'sealed', count: 1 });
  const ask = { kind: 'expire', tenantId: 't', askId: 'a' } as const;
  await queue.asks.addMany([
    { job: ask, id: 'a-expire', delayMs: 60_000 },
    { job: { ...ask, kind: 'notify' }, id: 'a-notify' },
  ]);
  await queue.generation();
  await queue.ping();
  await pause(3_000);
  await look();
  await Promise.all([queue.close(), bus.close()]);
  await client.quit();
  return [...seen];
}

it('C15 puts all keys of all queues into one slot of a cluster, by the hash tag of the prefix', async () => {
  expect(slotOf('123456789')).toBe(12_739);
  const keys = await keysOf(DEFAULT_PREFIX);
  expect(keys.length).toBeGreaterThan(8);
  expect(keys.some((key) => /:lock$/.test(key))).toBe(true);
  expect(keys.some((key) => /stalled-check$/.test(key))).toBe(true);
  expect(new Set(keys.map(slotOf)).size).toBe(1);
  // Without it the same keys are spread.
  expect(new Set(keys.map((key) => slotOf(key.replace(/[{}]/g, '')))).size).toBeGreaterThan(1);
}, 30_000);
