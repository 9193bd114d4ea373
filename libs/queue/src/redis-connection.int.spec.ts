/** Connections of workers: when they end, all of them do. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startOwnRedis, type OwnRedis } from '@countersign/testing';
import { Redis } from 'ioredis';
import { consumerConnection } from './redis-connection.js';

let server: OwnRedis;
let watcher: Redis;
beforeAll(async () => {
  server = await startOwnRedis();
  watcher = new Redis(server.url);
});
afterAll(async () => {
  await watcher.quit();
  await server.stop();
});

const others = async (): Promise<number> =>
  String(await watcher.client('LIST'))
    .trim()
    .split('\n').length - 1;

async function until(count: number): Promise<void> {
  const end = performance.now() + 20_000;
  while ((await others()) !== count) {
    if (performance.now() > end) throw new Error(`${await others()} connections are open, not ${count}`);
    await pause(20);
  }
}

it('ends every duplicate with the first, one that is connected again afterwards too', async () => {
  const { redis, end } = consumerConnection(server.url, () => undefined);
  const [second, late] = [redis.duplicate(), redis.duplicate()];
  await Promise.all([redis.connect(), second.connect()]);
  await until(2);
  end();
  await until(0);
  for (const one of [second, late]) await one.connect().catch(() => undefined);
  await until(0);
  expect([redis, second, late].map(({ status }) => status)).toEqual(['end', 'end', 'end']);
});
