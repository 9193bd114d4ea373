/** One pool of connections for everything: our own named statements on the hot path, Prisma for read models. */
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/client.js';
import { appendInTransaction, type Queryable } from './append.js';
import { toColumn } from './column-text.js';
import { loadRound } from './load-round.js';
import { retrying } from './retry.js';
import type { LedgerTransaction, StreamKey } from './types.js';

export interface DatabaseOptions {
  /** URL of the application role. */
  readonly databaseUrl: string;
  /** Most connections at once; 8 when absent. */
  readonly poolSize?: number;
  /** Failures of idle connections; the pool replaces them by itself. */
  readonly onError?: (error: Error) => void;
}

export interface Database {
  readonly pool: pg.Pool;
  readonly prisma: PrismaClient;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;

export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: options.poolSize ?? 8,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'countersign',
    keepAlive: true,
  });
  let closing = false;
  // Connections are taken down in the background when the pool ends; what they say then is no news.
  const onError = (error: Error): void => {
    if (!closing) options.onError?.(error);
  };
  pool.on('error', onError);
  // A connection that breaks between two queries of a transaction says so to whoever holds it; its next query fails anyway.
  // Without a listener that word would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { onPoolError: onError, onConnectionError: onError }),
  });
  return {
    pool,
    prisma,
    close: async () => {
      closing = true;
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/** A transaction on one connection, begun again after a deadlock or a serialization failure. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return retrying(async () => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  });
}

/**
 * Locks heads in the one order that all writers keep, for the rest of the transaction. `raised`: the tenants whose epoch the
 * transaction may raise.
 */
export async function lockHeads(
  db: Queryable,
  heads: readonly StreamKey[],
  raised: readonly string[] = [],
): Promise<void> {
  const rows = heads.map((head) => [toColumn(head.tenantId), toColumn(head.streamId)]);
  await db.query({ name: 'lock_heads', text: 'SELECT lock_heads($1, $2)', values: [rows, raised.map(toColumn)] });
}

/** Locks the heads, then runs `work` in that transaction: what it loads cannot move before it appends. */
export async function withLockedHeads<T>(
  pool: pg.Pool,
  heads: readonly StreamKey[],
  work: (tx: LedgerTransaction) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (client) => {
    await lockHeads(client, heads);
    return work({
      loadRound: (query) => loadRound(client, query),
      append: (units) => appendInTransaction(client, units),
    });
  });
}
