/** Redis connections in two profiles: producers fail fast, consumers reconnect for ever. */
import { Redis } from 'ioredis';
import { isDemoted } from './away.js';
import { QueueUnfit } from './queue-errors.js';
import { endsWithin } from './time-limit.js';

const START_LIMIT_MS = 5_000;
const reconnectDelay = (attempt: number): number => Math.min(attempt * 100, 1_000);

/** 2: connect again and send the command once more; a read-only answer means that another server is the primary now. */
const reconnectOnError = (error: Error): false | 2 => (isDemoted(error) ? 2 : false);
const SHARED = { connectTimeout: 2_000, disconnectTimeout: 200, lazyConnect: true, reconnectOnError } as const;

/** For adding, publishing and looking: a command fails at once while Redis is away. */
export function producerConnection(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    ...SHARED,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // Commands that nobody answers show a dead connection.
    socketTimeout: 3_000,
    retryStrategy: reconnectDelay,
  });
  redis.on('error', onError);
  return redis;
}

/** A connection whose commands wait until Redis is back, and the end of it and of every duplicate that BullMQ made. */
export interface ConsumerConnection {
  readonly redis: Redis;
  end(): void;
}

/** For workers and subscribers. */
export function consumerConnection(url: string, onError: (error: Error) => void): ConsumerConnection {
  let ended = false;
  const redis = new Redis(url, {
    ...SHARED,
    maxRetriesPerRequest: null,
    // Longer than the longest blocking wait for a job, 10 s.
    socketTimeout: 15_000,
    retryStrategy: (attempt) => (ended ? null : reconnectDelay(attempt)),
  });
  redis.on('error', onError);
  const all = [redis];
  // BullMQ connects its duplicate again when a worker settles, which may be after the end.
  const endIfOver = (one: Redis): Redis => one.on('connect', () => ended && one.disconnect());
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (...options) => {
    const made = endIfOver(duplicate(...options));
    all.push(made);
    return made;
  };
  return {
    redis: endIfOver(redis),
    end: () => {
      ended = true;
      for (const one of all) one.disconnect();
    },
  };
}

/** Connects or throws QueueUnfit with the reason in one line; the URL's password is never shown. */
export async function connectOrExplain(redis: Redis, url: string): Promise<void> {
  let reason = 'no answer';
  const keepReason = (error: Error): void => {
    reason = error.message || ('code' in error ? String(error.code) : error.name);
  };
  redis.on('error', keepReason);
  const connected = await endsWithin(START_LIMIT_MS, redis.connect());
  redis.off('error', keepReason);
  if (connected) return;
  redis.disconnect();
  throw new QueueUnfit(`cannot reach Redis at ${hostOf(url)}: ${reason}`);
}

/** Throws QueueUnfit unless Redis keeps every key: an eviction would lose jobs silently. */
export async function requireNoEviction(redis: Redis, url: string): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1];
  if (policy === 'noeviction') return;
  throw new QueueUnfit(
    `Redis at ${hostOf(url)} has maxmemory-policy ${policy ?? 'unknown'}; set it to noeviction, otherwise jobs get lost`,
  );
}

/** Ends a connection within half a second, politely when Redis answers. */
export async function closeConnection(redis: Redis): Promise<void> {
  if (redis.status === 'ready') await endsWithin(500, redis.quit());
  redis.disconnect();
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unreadable address';
}
