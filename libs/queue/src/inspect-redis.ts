/** Looks at a Redis as the queue needs it: version, eviction, memory, cluster, clock. Judges nothing. */
import { RedisConnection } from 'bullmq';
import { closeConnection, connectOrExplain, producerConnection } from './redis-connection.js';
import { within } from './time-limit.js';

/** What start-up and the doctor judge by. */
export interface RedisFacts {
  readonly version: string;
  /** The least that BullMQ takes. */
  readonly neededVersion: string;
  /** `noeviction` or what else `maxmemory-policy` says. */
  readonly evictionPolicy: string;
  /** Bytes; 0: no limit. */
  readonly maxMemory: number;
  readonly cluster: boolean;
  /** Milliseconds by which its clock is ahead of ours; negative: behind. */
  readonly clockAheadMs: number;
  /** `master` or `slave`: a replica takes no writes. */
  readonly role: string;
}

const LOOK_MS = 3_000;

/** Throws QueueUnfit, with the address but without the password, when it cannot be reached. */
export async function inspectRedis(url: string): Promise<RedisFacts> {
  const redis = producerConnection(url, () => undefined);
  await connectOrExplain(redis, url);
  try {
    return await within(
      LOOK_MS,
      (async () => {
        const info = await redis.info();
        const before = Date.now();
        const [seconds, micros] = await redis.time();
        const clock = Number(seconds) * 1_000 + Number(micros) / 1_000;
        return factsOf(info, Math.round(clock - (before + Date.now()) / 2));
      })(),
      () => new Error('Redis does not answer'),
    );
  } finally {
    await closeConnection(redis);
  }
}

function factsOf(info: string, clockAheadMs: number): RedisFacts {
  const field = (name: string): string => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? 'unknown';
  return {
    version: field('redis_version'),
    neededVersion: RedisConnection.minimumVersion,
    evictionPolicy: field('maxmemory_policy'),
    maxMemory: Number(field('maxmemory')) || 0,
    cluster: field('cluster_enabled') === '1',
    clockAheadMs,
    role: field('role'),
  };
}
