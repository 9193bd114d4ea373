/** BullMQ on Redis. */
import { Queue as BullQueue, Worker } from 'bullmq';
import { EVENT_LIMIT, WORKER_TIMES, reportTo, type Backend } from './backend.js';
import {
  closeConnection,
  connectOrExplain,
  consumerConnection,
  producerConnection,
  requireNoEviction,
} from './redis-connection.js';

export interface RedisBackendOptions {
  readonly url: string;
  readonly prefix: string;
  readonly onError: (error: Error) => void;
}

/** Connects and checks Redis; throws QueueUnfit. All producers share one connection; each worker has two of its own. */
export async function redisBackend({ url, prefix, onError }: RedisBackendOptions): Promise<Backend> {
  const shared = producerConnection(url, onError);
  await connectOrExplain(shared, url);
  try {
    await requireNoEviction(shared, url);
  } catch (error) {
    await closeConnection(shared);
    throw error;
  }
  return {
    producer(name) {
      const queue = new BullQueue(name, { connection: shared, prefix, streams: EVENT_LIMIT });
      queue.on('error', onError);
      return queue;
    },
    taker(name, processor, concurrency) {
      const { redis: connection, end } = consumerConnection(url, onError);
      const worker = new Worker(name, processor, { connection, prefix, concurrency, ...WORKER_TIMES });
      reportTo(worker, onError);
      return {
        ready: async () => {
          await worker.waitUntilReady();
        },
        settle: () => worker.pause(),
        // BullMQ leaves a connection that it was given open.
        cut: async () => {
          end();
          await worker.close(true);
        },
      };
    },
    ping: async () => {
      await shared.ping();
    },
    close: () => closeConnection(shared),
  };
}
