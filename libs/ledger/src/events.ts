/** Reading the log: audit pages, one stream in order, and the feed that followers read. */
import { DoorError, type EventQuery, type StoredEvent } from '@countersign/contracts';
import type pg from 'pg';
import { fromColumn, toColumn } from './column-text.js';
import { decodeCursor, DEFAULT_PAGE, pageOf, type Page } from './cursor.js';
import type { Database } from './database.js';
import { EVENT_COLUMNS, storedEvent, type EventRow } from './event-rows.js';

/** Where a follower stands: everything up to here was delivered. */
export interface FeedPosition {
  readonly txid: string;
  readonly position: string;
}

/** What a follower asks for. */
export interface FollowQuery {
  readonly after: FeedPosition;
  /** Only events of these types; absent: all. */
  readonly types?: readonly string[];
  /** How many events are looked at, whatever their type. */
  readonly limit: number;
}

/** `next` is where to go on, also when nothing of the types was found; `more`: there may be some right now. */
export interface Followed {
  readonly items: StoredEvent[];
  readonly next: FeedPosition;
  readonly more: boolean;
}

/** How far a follower is behind. */
export interface FollowerLag {
  /** Events after the position, counted up to 10,000; those that no reader may see yet included. */
  readonly events: number;
  /** Age of the first of them by the database's clock; 0 when there is none. */
  readonly seconds: number;
}

/** `seq`: the place of an event in its stream. */
export interface StreamPlace {
  readonly streamId: string;
  readonly seq: number;
}

/** `events`: of type SessionCancelled and SessionStopped, in order. */
export interface StreamEnds extends StreamPlace {
  readonly events: readonly StoredEvent[];
}

export interface Events {
  /** Newest first. A page never repeats an event of an earlier one, whatever is appended meanwhile. */
  list(tenantId: string, query: Partial<EventQuery>): Promise<Page<StoredEvent>>;
  /** Events of one stream in order, after `afterSeq`. */
  ofStream(stream: { tenantId: string; streamId: string }, afterSeq: number, limit: number): Promise<StoredEvent[]>;
  /** What ended each of these sessions after the place that is known of it, and its newest place. Unknown ones are left out. */
  endsAfter(tenantId: string, places: readonly StreamPlace[]): Promise<StreamEnds[]>;
  /** The decisions on one call, newest first, at most five. */
  decisionsOn(stream: { tenantId: string; streamId: string }, callId: string): Promise<StoredEvent[]>;
  /**
   * Events of all tenants after a position, each once and in a stable order: by transaction below the oldest one that still
   * runs, so that nothing can appear later before what was read. `next` is where to go on.
   */
  follow(query: FollowQuery): Promise<Followed>;
  /** `follow` without types. */
  feed(after: FeedPosition, limit: number): Promise<Followed>;
  /** For the gauge of a follower. */
  lag(after: FeedPosition): Promise<FollowerLag>;
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
    endsAfter: (tenantId, places) => endsAfter(db.pool, tenantId, places),
    decisionsOn: async (stream, callId) => {
      // By the key of the stream: every event carries no index by call.
      const text = `SELECT ${EVENT_COLUMNS} FROM events e WHERE e.tenant_id = $1 AND e.stream_id = $2
        AND e.type = 'ToolCallDecided' AND e.call_id = $3 ORDER BY e.seq DESC LIMIT 5`;
      const values = [toColumn(stream.tenantId), toColumn(stream.streamId), toColumn(callId)];
      const { rows } = await db.pool.query<EventRow>({ name: 'decisions_on', text, values });
      return rows.map(storedEvent);
    },
    follow: (query) => follow(db.pool, query),
    feed: (after, limit) => follow(db.pool, { after, limit }),
    lag: (after) => lag(db.pool, after),
  };
}

/** One statement sees one moment: no end at or before `seq` is missing. */
const ENDS_AFTER = {
  name: 'ends_after',
  text: `SELECT h.stream_id AS of_stream, h.seq::text AS head_seq, ${EVENT_COLUMNS}
    FROM unnest($2::text[], $3::bigint[]) q(stream, seq)
    JOIN heads h ON h.tenant_id = $1 AND h.stream_id = q.stream
    LEFT JOIN events e ON e.tenant_id = $1 AND e.stream_id = q.stream AND e.seq > q.seq AND e.seq <= h.seq
      AND e.type IN ('SessionCancelled', 'SessionStopped')
    ORDER BY h.stream_id, e.seq`,
};

async function endsAfter(pool: pg.Pool, tenantId: string, places: readonly StreamPlace[]): Promise<StreamEnds[]> {
  if (places.length === 0) return [];
  const values = [toColumn(tenantId), places.map(({ streamId }) => toColumn(streamId)), places.map(({ seq }) => seq)];
  const { rows } = await pool.query<EventRow & { of_stream: string; head_seq: string }>({ ...ENDS_AFTER, values });
  const found = new Map<string, { streamId: string; seq: number; events: StoredEvent[] }>();
  for (const row of rows) {
    const streamId = fromColumn(row.of_stream);
    const ends = found.get(streamId) ?? { streamId, seq: Number(row.head_seq), events: [] };
    found.set(streamId, ends);
    if ((row.seq as string | null) !== null) ends.events.push(storedEvent(row));
  }
  return [...found.values()];
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

const FOLLOW = {
  name: 'events_follow',
  text: `SELECT e.txid::text AS txid, ($4::text[] IS NULL OR e.type = ANY($4)) AS wanted, ${EVENT_COLUMNS} FROM events e
    WHERE (e.txid, e.position) > ($1::xid8, $2::bigint) AND e.txid < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY e.txid, e.position LIMIT $3`,
};

/** The position alone would lose events: numbers are taken before the commit, and a later transaction may hold a lower one. */
async function follow(pool: pg.Pool, { after, types, limit }: FollowQuery): Promise<Followed> {
  const values = [after.txid, after.position, limit, types ?? null];
  const { rows } = await pool.query<EventRow & { txid: string; wanted: boolean }>({ ...FOLLOW, values });
  const last = rows.at(-1);
  return {
    items: rows.filter((row) => row.wanted).map(storedEvent),
    next: last ? { txid: last.txid, position: last.position } : after,
    more: rows.length === limit,
  };
}

const LAG = {
  name: 'events_lag',
  text: `SELECT count(*)::int AS events, coalesce(extract(epoch FROM clock_timestamp() - min(after."time")), 0)::float8 AS seconds
    FROM (SELECT e."time" FROM events e WHERE (e.txid, e.position) > ($1::xid8, $2::bigint)
      ORDER BY e.txid, e.position LIMIT 10000) after`,
};

async function lag(pool: pg.Pool, after: FeedPosition): Promise<FollowerLag> {
  const { rows } = await pool.query<FollowerLag>({ ...LAG, values: [after.txid, after.position] });
  const [row] = rows;
  return { events: row?.events ?? 0, seconds: Math.max(0, row?.seconds ?? 0) };
}
