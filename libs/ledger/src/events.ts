/** Reading the log: audit pages, one stream in order, and the feed that followers read. */
import { DoorError, type EventQuery, type StoredEvent } from '@countersign/contracts';
import type pg from 'pg';
import { toColumn } from './column-text.js';
import { decodeCursor, DEFAULT_PAGE, pageOf, type Page } from './cursor.js';
import type { Database } from './database.js';
import { EVENT_COLUMNS, storedEvent, type EventRow } from './event-rows.js';

/** Where a follower stands: everything up to here was delivered. */
export interface FeedPosition {
  readonly txid: string;
  readonly position: string;
}

export interface Events {
  /** Newest first. A page never repeats an event of an earlier one, whatever is appended meanwhile. */
  list(tenantId: string, query: Partial<EventQuery>): Promise<Page<StoredEvent>>;
  /** Events of one stream in order, after `afterSeq`. */
  ofStream(stream: { tenantId: string; streamId: string }, afterSeq: number, limit: number): Promise<StoredEvent[]>;
  /**
   * Events of all tenants after a position, each once and in a stable order: by transaction below the oldest one that still
   * runs, so that nothing can appear later before what was read. `next` is where to go on.
   */
  feed(after: FeedPosition, limit: number): Promise<{ items: StoredEvent[]; next: FeedPosition }>;
}

export const FEED_START: FeedPosition = { txid: '0', position: '0' };

export function createEvents(db: Database): Events {
  return {
    list: (tenantId, query) => list(db.pool, tenantId, query),
    ofStream: async (stream, afterSeq, limit) => {
      const text = `SELECT ${EVENT_COLUMNS} FROM events e WHERE e.tenant_id = $1 AND e.stream_id = $2 AND e.seq > $3
        ORDER BY e.seq, e."time" LIMIT $4`;
      const values = [toColumn(stream.tenantId), toColumn(stream.streamId), afterSeq, limit];
      const { rows } = await db.pool.query<EventRow>({ name: 'events_of_stream', text, values });
      return rows.map(storedEvent);
    },
    feed: (after, limit) => feed(db.pool, after, limit),
  };
}

/** Query field -> column. */
const FILTERS = {
  session: 'e.stream_id',
  tool: 'e.tool',
  decision: 'e.decision',
  rule: 'e.rule_id',
  person: 'e.person_id',
  channel: 'e.channel',
  type: 'e.type',
  call: 'e.call_id',
} as const;

async function list(pool: pg.Pool, tenantId: string, query: Partial<EventQuery>): Promise<Page<StoredEvent>> {
  const limit = query.limit ?? DEFAULT_PAGE;
  const values: unknown[] = [toColumn(tenantId)];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const where = ['e.tenant_id = $1', ...filters(query, place), ...(await sessionOfCall(pool, tenantId, query, place))];
  if (query.cursor !== undefined) where.push(`e.position < ${place(positionOf(query.cursor))}::bigint`);
  const text = `SELECT ${EVENT_COLUMNS} FROM events e WHERE ${where.join(' AND ')} ORDER BY e.position DESC LIMIT ${place(limit + 1)}`;
  const { rows } = await pool.query<EventRow>(text, values);
  return pageOf(rows, limit, storedEvent, (row) => [row.position]);
}

function positionOf(cursor: string): string {
  const [position = ''] = decodeCursor(cursor, 1);
  if (!/^\d{1,19}$/.test(position)) throw new DoorError('request.invalid', 'the cursor holds no position');
  return position;
}

function filters(query: Partial<EventQuery>, place: (value: unknown) => string): string[] {
  const where: string[] = [];
  for (const [field, column] of Object.entries(FILTERS)) {
    const value = query[field as keyof typeof FILTERS];
    if (value !== undefined) where.push(`${column} = ${place(toColumn(value))}`);
  }
  if (query.from !== undefined) where.push(`e."time" >= ${place(query.from)}::timestamptz`);
  if (query.to !== undefined) where.push(`e."time" < ${place(query.to)}::timestamptz`);
  return where;
}

/** The session of a call is known by its key, and one session's events are found at once; every event carries no index by call. */
async function sessionOfCall(
  pool: pg.Pool,
  tenantId: string,
  query: Partial<EventQuery>,
  place: (value: unknown) => string,
): Promise<string[]> {
  if (query.call === undefined || query.session !== undefined) return [];
  const text = 'SELECT session_id FROM call_keys WHERE call_id = $1 AND tenant_id = $2';
  const { rows } = await pool.query<{ session_id: string }>(text, [toColumn(query.call), toColumn(tenantId)]);
  return rows[0] ? [`e.stream_id = ${place(rows[0].session_id)}`] : [];
}

async function feed(pool: pg.Pool, after: FeedPosition, limit: number) {
  const text = `SELECT e.txid::text AS txid, ${EVENT_COLUMNS} FROM events e
    WHERE (e.txid, e.position) > ($1::xid8, $2::bigint) AND e.txid < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY e.txid, e.position LIMIT $3`;
  const values = [after.txid, after.position, limit];
  const { rows } = await pool.query<EventRow & { txid: string }>({ name: 'events_feed', text, values });
  const last = rows.at(-1);
  return { items: rows.map(storedEvent), next: last ? { txid: last.txid, position: last.position } : after };
}
