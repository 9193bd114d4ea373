/** The owner's chores: partitions made ahead, and everything that has been kept long enough forgotten. One process at a time. */
import pg from 'pg';

/** How long things are kept. Nothing here ends what is open or active. */
export interface Retention {
  /** Months of events after the current one; null: for ever. Older partitions are dropped. */
  readonly eventMonths: number | null;
  /** Call keys: after it a repeated call is judged as a new one. */
  readonly callDays: number;
  /** Ended asks, ended grants and released kill switches. */
  readonly askDays: number;
  /** Sealed originals. */
  readonly originalDays: number;
  /** What channels sent. */
  readonly deliveryDays: number;
  /** Remembered answers to requests with an Idempotency-Key. */
  readonly idempotencyDays: number;
  /** Partitions that are made ahead of the current month. */
  readonly monthsAhead: number;
}

export const DEFAULT_RETENTION: Retention = {
  eventMonths: null,
  callDays: 90,
  askDays: 365,
  originalDays: 90,
  deliveryDays: 90,
  idempotencyDays: 7,
  monthsAhead: 12,
};

/** What one run did: names of partitions, and rows that went. */
export interface ChoresDone {
  readonly made: readonly string[];
  readonly dropped: readonly string[];
  readonly forgotten: Readonly<Record<'calls' | 'asks' | 'originals' | 'deliveries' | 'idempotency', number>>;
}

const LOCK = 'countersign.chores';
/** A chore that waits for a lock waits in vain: the next run tries again. */
const SETTINGS = { lock_timeout: 2_000, statement_timeout: 300_000, connectionTimeoutMillis: 5_000 };

/** Does all of it; null while another process does. Throws what the driver throws. */
export async function runChores(ownerUrl: string, retention: Retention): Promise<ChoresDone | null> {
  const owner = new pg.Client({ connectionString: ownerUrl, application_name: 'countersign chores', ...SETTINGS });
  owner.on('error', () => undefined);
  await owner.connect();
  try {
    const { rows } = await owner.query<{ mine: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS mine',
      [LOCK],
    );
    return rows[0]?.mine === true ? await allChores(owner, retention) : null;
  } finally {
    await owner.end();
  }
}

async function allChores(owner: pg.Client, retention: Retention): Promise<ChoresDone> {
  // Partitions first: without them no event can be stored, whatever else fails.
  const made = await names(owner, 'make_partitions', retention.monthsAhead);
  const forgotten = {
    idempotency: await count(owner, 'forget_idempotency', retention.idempotencyDays),
    calls: await count(owner, 'forget_call_keys', retention.callDays),
    deliveries: await count(owner, 'forget_deliveries', retention.deliveryDays),
    originals: await count(owner, 'forget_vault', retention.originalDays),
    asks: await count(owner, 'forget_asks', retention.askDays),
  };
  const { eventMonths } = retention;
  const dropped = eventMonths === null ? [] : await names(owner, 'drop_partitions', eventMonths);
  return { made, dropped, forgotten };
}

type Counting = 'forget_idempotency' | 'forget_call_keys' | 'forget_deliveries' | 'forget_vault' | 'forget_asks';

async function count(owner: pg.Client, chore: Counting, days: number): Promise<number> {
  const { rows } = await owner.query<{ gone: string }>(`SELECT ${chore}($1)::text AS gone`, [days]);
  return Number(rows[0]?.gone ?? 0);
}

async function names(
  owner: pg.Client,
  chore: 'make_partitions' | 'drop_partitions',
  months: number,
): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(`SELECT name FROM ${chore}($1) AS name`, [months]);
  return rows.map((row) => row.name);
}
