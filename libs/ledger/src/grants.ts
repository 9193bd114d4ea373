/** Grants as they stand: of sessions and of the whole tenant, active ones and ended ones. */
import type { Grant } from '@countersign/contracts';
import type pg from 'pg';
import { fromColumn, fromColumnOrNull, toColumn } from './column-text.js';
import { decodeCursor, DEFAULT_PAGE, pageOf, type Page } from './cursor.js';
import { isoTime } from './event-rows.js';

/** One grant. `sessionId` null: the whole tenant's. `remaining` null: any number of uses. Times are ISO-8601 UTC. */
export interface GrantView {
  readonly id: string;
  readonly sessionId: string | null;
  readonly kind: Grant['kind'];
  readonly tool: string;
  readonly argsHash: string | null;
  readonly pattern: string | null;
  readonly liftsRuleIds: readonly string[];
  readonly askId: string;
  readonly personId: string | null;
  /** `expired` by the database's clock at the time of reading. */
  readonly status: 'active' | 'consumed' | 'revoked' | 'expired';
  readonly uses: number | null;
  readonly remaining: number | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly expired: boolean;
  readonly endedAt: string | null;
  readonly endedBy: string | null;
}

export interface GrantQuery {
  readonly tenantId: string;
  readonly status?: GrantView['status'];
  /** Null: only the whole tenant's. */
  readonly sessionId?: string | null;
  readonly cursor?: string | undefined;
  readonly limit?: number;
}

export interface Grants {
  /** Newest first. */
  list(query: GrantQuery): Promise<Page<GrantView>>;
  /** Null for an unknown id, and for another tenant's. */
  get(tenantId: string, grantId: string): Promise<GrantView | null>;
}

interface Row {
  readonly id: string;
  readonly session_id: string | null;
  readonly kind: Grant['kind'];
  readonly tool: string;
  readonly args_hash: string | null;
  readonly pattern: string | null;
  readonly lifts: string;
  readonly ask_id: string;
  readonly person_id: string | null;
  readonly status: Exclude<GrantView['status'], 'expired'>;
  readonly uses: number | null;
  readonly remaining: number | null;
  readonly created_at_text: string;
  readonly expires_at_text: string | null;
  readonly expired: boolean;
  readonly ended_at_text: string | null;
  readonly ended_by: string | null;
}

/** What is still to be used, but over. A kept row is not rewritten when its time comes. */
const EXPIRED = `(g.status = 'active' AND g.expires_at IS NOT NULL AND g.expires_at <= clock_timestamp())`;

const SELECT = `SELECT g.*, ${isoTime('g.created_at')} AS created_at_text, ${isoTime('g.expires_at')} AS expires_at_text,
  ${isoTime('g.ended_at')} AS ended_at_text, ${EXPIRED} AS expired
  FROM grants g WHERE g.tenant_id = $1`;

export function createGrants({ pool }: { readonly pool: pg.Pool }): Grants {
  return {
    list: (query) => list(pool, query),
    get: async (tenantId, grantId) => {
      const values = [toColumn(tenantId), toColumn(grantId)];
      const { rows } = await pool.query<Row>({ name: 'grant_get', text: `${SELECT} AND g.id = $2`, values });
      return rows[0] ? viewOf(rows[0]) : null;
    },
  };
}

async function list(pool: pg.Pool, { tenantId, status, sessionId, cursor, limit = DEFAULT_PAGE }: GrantQuery) {
  const values: unknown[] = [toColumn(tenantId)];
  const place = (value: unknown): string => `$${values.push(value)}`;
  let text = SELECT;
  if (status === 'expired') text += ` AND ${EXPIRED}`;
  else if (status !== undefined) text += ` AND g.status = ${place(status)} AND NOT ${EXPIRED}`;
  if (sessionId === null) text += ' AND g.session_id IS NULL';
  else if (sessionId !== undefined) text += ` AND g.session_id = ${place(toColumn(sessionId))}`;
  if (cursor !== undefined) {
    const [createdAt, id] = decodeCursor(cursor, 2);
    text += ` AND (g.created_at, g.id) < (${place(createdAt)}::timestamptz, ${place(id)})`;
  }
  text += ` ORDER BY g.created_at DESC, g.id DESC LIMIT ${place(limit + 1)}`;
  const { rows } = await pool.query<Row>(text, values);
  return pageOf(rows, limit, viewOf, (row) => [row.created_at_text, row.id]);
}

function viewOf(row: Row): GrantView {
  return {
    id: fromColumn(row.id),
    sessionId: fromColumnOrNull(row.session_id),
    kind: row.kind,
    tool: fromColumn(row.tool),
    argsHash: row.args_hash,
    pattern: fromColumnOrNull(row.pattern),
    liftsRuleIds: JSON.parse(row.lifts) as string[],
    askId: fromColumn(row.ask_id),
    personId: fromColumnOrNull(row.person_id),
    status: row.expired ? 'expired' : row.status,
    uses: row.uses,
    remaining: row.remaining,
    createdAt: row.created_at_text,
    expiresAt: row.expires_at_text,
    expired: row.expired,
    endedAt: row.ended_at_text,
    endedBy: fromColumnOrNull(row.ended_by),
  };
}
