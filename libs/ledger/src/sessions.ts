/** Sessions as they stand: the cached state of each stream. */
import type { SessionState } from '@countersign/approval';
import { MAX_SESSION_LINE, TENANT_STREAM } from '@countersign/contracts';
import { countSession, type SessionCounts } from './session-metrics.js';
import type pg from 'pg';
import { fromColumn, fromColumnOrNull, toColumn } from './column-text.js';
import { decodeCursor, DEFAULT_PAGE, pageOf, type Page } from './cursor.js';
import type { Database } from './database.js';
import { isoTime } from './event-rows.js';
import { readState } from './read-state.js';

export interface SessionView {
  readonly id: string;
  readonly parentId: string | null;
  readonly rootId: string | null;
  readonly keyId: string | null;
  readonly seq: number;
  /** ISO-8601 UTC. */
  readonly openedAt: string;
  readonly updatedAt: string;
  readonly state: SessionState;
}

export interface SessionQuery {
  readonly tenantId: string;
  readonly cursor?: string | undefined;
  readonly limit?: number;
  /** Only the children of this session. */
  readonly parentId?: string;
}

export interface Sessions {
  /** Newest first. */
  list(query: SessionQuery): Promise<Page<SessionView>>;
  get(tenantId: string, sessionId: string): Promise<SessionView | null>;
  /** The session and all above it, nearest first, with the agents that they were opened for. */
  line(tenantId: string, sessionId: string): Promise<{ sessionIds: string[]; agents: string[] }>;
  /** What the session did so far; all zero for an unknown one. */
  count(tenantId: string, sessionId: string): Promise<SessionCounts>;
}

interface Row {
  readonly stream_id: string;
  readonly parent_id: string | null;
  readonly root_id: string | null;
  readonly key_id: string | null;
  readonly seq: string;
  readonly opened_at_text: string;
  readonly updated_at_text: string;
  readonly state: string;
}

const SELECT = `SELECT h.stream_id, h.parent_id, h.root_id, h.key_id, h.seq, h.state,
  ${isoTime('h.opened_at')} AS opened_at_text, ${isoTime('h.updated_at')} AS updated_at_text
  FROM heads h WHERE h.tenant_id = $1 AND h.stream_id <> '${TENANT_STREAM}' AND h.state IS NOT NULL`;

const LINE = `WITH RECURSIVE up AS (
    SELECT h.stream_id, h.parent_id, h.agent, 1 AS depth FROM heads h WHERE h.tenant_id = $1 AND h.stream_id = $2
    UNION ALL
    SELECT h.stream_id, h.parent_id, h.agent, up.depth + 1
    FROM up JOIN heads h ON h.tenant_id = $1 AND h.stream_id = up.parent_id WHERE up.depth <= ${MAX_SESSION_LINE})
  SELECT stream_id, agent FROM up ORDER BY depth`;

async function line(pool: pg.Pool, tenantId: string, sessionId: string) {
  const values = [toColumn(tenantId), toColumn(sessionId)];
  const { rows } = await pool.query<{ stream_id: string; agent: string | null }>({
    name: 'session_line',
    text: LINE,
    values,
  });
  return {
    sessionIds: rows.map((row) => fromColumn(row.stream_id)),
    agents: rows.flatMap((row) => (row.agent === null ? [] : [fromColumn(row.agent)])),
  };
}

export function createSessions(db: Database): Sessions {
  return {
    list: (query) => list(db.pool, query),
    count: (tenantId, sessionId) => countSession(db.pool, tenantId, sessionId),
    line: (tenantId, sessionId) => line(db.pool, tenantId, sessionId),
    get: async (tenantId, sessionId) => {
      const values = [toColumn(tenantId), toColumn(sessionId)];
      const { rows } = await db.pool.query<Row>({
        name: 'session_get',
        text: `${SELECT} AND h.stream_id = $2`,
        values,
      });
      return rows[0] ? viewOf(rows[0]) : null;
    },
  };
}

async function list(pool: pg.Pool, query: SessionQuery): Promise<Page<SessionView>> {
  const limit = query.limit ?? DEFAULT_PAGE;
  const values: unknown[] = [toColumn(query.tenantId)];
  const place = (value: unknown): string => `$${values.push(value)}`;
  let text = SELECT;
  if (query.parentId !== undefined) text += ` AND h.parent_id = ${place(toColumn(query.parentId))}`;
  if (query.cursor !== undefined) {
    const [openedAt, id] = decodeCursor(query.cursor, 2);
    text += ` AND (h.opened_at, h.stream_id) < (${place(openedAt)}::timestamptz, ${place(id)})`;
  }
  text += ` ORDER BY h.opened_at DESC, h.stream_id DESC LIMIT ${place(limit + 1)}`;
  const { rows } = await pool.query<Row>(text, values);
  return pageOf(rows, limit, viewOf, (row) => [row.opened_at_text, row.stream_id]);
}

function viewOf(row: Row): SessionView {
  return {
    id: fromColumn(row.stream_id),
    parentId: fromColumnOrNull(row.parent_id),
    rootId: fromColumnOrNull(row.root_id),
    keyId: fromColumnOrNull(row.key_id),
    seq: Number(row.seq),
    openedAt: row.opened_at_text,
    updatedAt: row.updated_at_text,
    state: readState(row.state),
  };
}
