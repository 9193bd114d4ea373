/** A few numbers of the whole database, for whoever watches over it. Cheap: every count stops early. */
import type { Database } from './database.js';

/** Seconds by the database's clock. */
export interface Vitals {
  /** Counted up to 10,000. */
  readonly openAsks: number;
  readonly oldestAskSeconds: number;
  readonly killSwitches: number;
  /** Age of the oldest transaction of this role that may still write: readers of the feed must stay behind it. */
  readonly oldestWriteSeconds: number;
}

/** The pool of this process. */
export interface PoolUse {
  readonly idle: number;
  readonly busy: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}

export interface Watching {
  /** One query. Rejects when the database does not answer. */
  vitals(): Promise<Vitals>;
  poolUse(): PoolUse;
}

const MOST = 10_000;
const VITALS = {
  name: 'vitals',
  text: `
    SELECT
      (SELECT count(*) FROM (SELECT 1 FROM asks WHERE status = 'open' LIMIT ${MOST}) found)::int AS open_asks,
      coalesce((SELECT extract(epoch FROM clock_timestamp() - min(opened_at)) FROM
        (SELECT opened_at FROM asks WHERE status = 'open' LIMIT ${MOST}) found), 0)::float8 AS oldest_ask,
      (SELECT count(*) FROM (SELECT 1 FROM kill_switches WHERE released_at IS NULL LIMIT ${MOST}) found)::int AS kills,
      coalesce((SELECT extract(epoch FROM clock_timestamp() - min(xact_start)) FROM pg_stat_activity
        WHERE datname = current_database() AND backend_xid IS NOT NULL), 0)::float8 AS oldest_write`,
};

interface Row {
  readonly open_asks: number;
  readonly oldest_ask: number;
  readonly kills: number;
  readonly oldest_write: number;
}

export function createWatching({ pool }: Pick<Database, 'pool'>): Watching {
  return {
    vitals: async () => {
      const { rows } = await pool.query<Row>(VITALS);
      const row = rows[0];
      if (!row) throw new Error('the database gave no vitals');
      return {
        openAsks: row.open_asks,
        oldestAskSeconds: row.oldest_ask,
        killSwitches: row.kills,
        oldestWriteSeconds: row.oldest_write,
      };
    },
    poolUse: () => {
      const { totalCount, idleCount, waitingCount } = pool;
      return { idle: idleCount, busy: totalCount - idleCount, waiting: waitingCount };
    },
  };
}
