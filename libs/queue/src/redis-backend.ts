/** BullMQ on Redis. */
import { randomUUID } from 'node:crypto';
import { Queue as BullQueue, Worker } from 'bullmq';
import { EVENT_LIMIT, reportTo, sortError, workerTimes, type Backend, type Reports } from './backend.js';
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
  readonly reports: Reports;
}

/** How long a written sign of life stays. */
const ALIVE_MS = 60_000;

/** Connects and checks Redis; throws QueueUnfit. All producers share one connection; each worker has two of its own. */
export async function redisBackend({ url, prefix, reports }: RedisBackendOptions): Promise<Backend> {
  const onError = sortError(reports);
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
    taker(name, processor, { lockMs, ...limits }) {
      const { redis: connection, end } = consumerConnection(url, onError);
      const worker = new Worker(name, processor, { connection, prefix, ...limits, ...workerTimes(lockMs) });
      reportTo(worker, name, reports);
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
    // A write: a full or read-only Redis answers PING, but takes no job.
    ping: async () => {
      await shared.set(`${prefix}:alive`, '1', 'PX', ALIVE_MS);
    },
    generation: async () => {
      await shared.set(`${prefix}:generation`, randomUUID(), 'NX');
      const [stored, server] = await Promise.all([shared.get(`${prefix}:generation`), shared.info('server')]);
      return `${stored} ${/^run_id:(\S+)/m.exec(server)?.[1]}`;
    },
    close: () => closeConnection(shared),
  };
}
