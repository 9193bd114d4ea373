/** BullMQ on Postgres, in a schema of its own: for one machine without Redis. */
import { createPostgresBackend, Queue as BullQueue, Worker } from 'bullmq';
import { Pool } from 'pg';
import { EVENT_LIMIT, WORKER_TIMES, reportTo, type Backend } from './backend.js';
import { QueueUnfit } from './queue-errors.js';
import { endsWithin } from './time-limit.js';

export interface PostgresBackendOptions {
  /** The role must be allowed to create the schema, or own it. */
  readonly url: string;
  readonly schema: string;
  readonly onError: (error: Error) => void;
}

/** Connects, makes the schema when it is missing; throws QueueUnfit. Every queue and worker has a small pool of its own. */
export async function postgresBackend({ url, schema, onError }: PostgresBackendOptions): Promise<Backend> {
  const pool = new Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 1_000 });
  pool.on('error', onError);
  await reachOrExplain(pool);
  const connectionWith = (max: number) => ({
    connectionString: url,
    schema,
    migrate: true,
    max,
    connectionTimeoutMillis: 1_000,
    // A query on a dead connection ends, and the pool throws that connection away.
    query_timeout: 10_000,
    keepAlive: true,
    application_name: 'countersign queue',
  });
  return {
    producer(name) {
      const connection = connectionWith(2);
      const queue = new BullQueue(name, { connection, streams: EVENT_LIMIT }, createPostgresBackend);
      queue.on('error', onError);
      return queue;
    },
    taker(name, processor, concurrency) {
      const options = { connection: connectionWith(3), concurrency, ...WORKER_TIMES };
      const worker = new Worker(name, processor, options, createPostgresBackend);
      reportTo(worker, onError);
      return { ready: () => worker.waitUntilReady(), settle: () => worker.pause(), cut: () => worker.close(true) };
    },
    ping: async () => {
      await pool.query('SELECT 1');
    },
    close: async () => {
      await endsWithin(500, pool.end());
    },
  };
}

async function reachOrExplain(pool: Pool): Promise<void> {
  try {
    await pool.query('SELECT 1');
  } catch (error) {
    await endsWithin(500, pool.end());
    const reason = error instanceof Error ? error.message || error.name : String(error);
    throw new QueueUnfit(`cannot reach the queue's Postgres: ${reason}`);
  }
}
