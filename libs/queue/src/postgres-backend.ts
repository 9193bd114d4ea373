/** BullMQ on Postgres, in a schema of its own: for one machine without Redis. */
import { createPostgresBackend, Queue as BullQueue, Worker } from 'bullmq';
import { Pool } from 'pg';
import { EVENT_LIMIT, reportTo, sortError, workerTimes, type Backend, type Reports } from './backend.js';
import { QueueUnfit } from './queue-errors.js';
import { endsWithin } from './time-limit.js';

export interface PostgresBackendOptions {
  /** The role must be allowed to create the schema, or own it. */
  readonly url: string;
  readonly schema: string;
  readonly reports: Reports;
}

/**
 * Queues whose jobs need not outlive a crash of the database: a call whose job is gone is sent again by its gateway. The append is
 * the one commit of a call that waits for the disk.
 */
const UNHURRIED: ReadonlySet<string> = new Set(['evaluate']);

/** Connects, makes the schema when it is missing; throws QueueUnfit. Every queue and worker has a small pool of its own. */
export async function postgresBackend({ url, schema, reports }: PostgresBackendOptions): Promise<Backend> {
  const onError = sortError(reports);
  const pool = new Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 1_000 });
  pool.on('error', onError);
  await reachOrExplain(pool);
  const connectionWith = (name: string, max: number) => ({
    connectionString: url,
    schema,
    migrate: true,
    max,
    connectionTimeoutMillis: 1_000,
    // A query on a dead connection ends, and the pool throws that connection away.
    query_timeout: 10_000,
    keepAlive: true,
    application_name: 'countersign queue',
    ...(UNHURRIED.has(name) ? { options: '-c synchronous_commit=off' } : {}),
  });
  return {
    producer(name) {
      const connection = connectionWith(name, 2);
      const queue = new BullQueue(name, { connection, streams: EVENT_LIMIT }, createPostgresBackend);
      queue.on('error', onError);
      return queue;
    },
    taker(name, processor, { lockMs, ...limits }) {
      const options = { connection: connectionWith(name, 3), ...limits, ...workerTimes(lockMs) };
      const worker = new Worker(name, processor, options, createPostgresBackend);
      reportTo(worker, name, reports);
      return { ready: () => worker.waitUntilReady(), settle: () => worker.pause(), cut: () => worker.close(true) };
    },
    ping: async () => {
      await pool.query('SELECT 1');
    },
    // The jobs lie in a durable database beside the ledger.
    generation: async () => 'durable',
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
