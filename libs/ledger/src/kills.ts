/** Kill switches as they stand: engaged ones and those of the past. */
import type { KillFact, KillScope } from '@countersign/contracts';
import type pg from 'pg';
import { fromColumn, fromColumnOrNull, toColumn } from './column-text.js';
import { decodeCursor, DEFAULT_PAGE, pageOf, type Page } from './cursor.js';
import { isoTime } from './event-rows.js';

/** One kill switch. Times are ISO-8601 UTC, the database's clock; `releasedAt` null: it is engaged. */
export interface KillView {
  readonly id: string;
  readonly scope: KillScope;
  readonly value: string | null;
  readonly reason: string;
  readonly engagedAt: string;
  readonly engagedBy: string;
  readonly releasedAt: string | null;
  readonly releasedBy: string | null;
}

export interface KillQuery {
  readonly tenantId: string;
  /** True: only engaged ones; false: only released ones. */
  readonly engaged?: boolean;
  readonly cursor?: string | undefined;
  readonly limit?: number;
}

export interface Kills {
  /** Newest first. */
  list(query: KillQuery): Promise<Page<KillView>>;
  /** Null for an unknown id, and for another tenant's. */
  get(tenantId: string, killId: string): Promise<KillView | null>;
  /** Engaged ones of all tenants: what every process must refuse by. */
  engaged(): Promise<EngagedKill[]>;
}

/** An engaged kill switch with the tenant that it freezes. */
export interface EngagedKill extends KillFact {
  readonly tenantId: string;
}

interface Row {
  readonly id: string;
  readonly scope: KillScope;
  readonly value: string | null;
  readonly reason: string;
  readonly engaged_at_text: string;
  readonly engaged_by: string;
  readonly released_at_text: string | null;
  readonly released_by: string | null;
}

const SELECT = `SELECT k.id, k.scope, k.value, k.reason, k.engaged_by, k.released_by,
  ${isoTime('k.engaged_at')} AS engaged_at_text, ${isoTime('k.released_at')} AS released_at_text
  FROM kill_switches k WHERE k.tenant_id = $1`;

export function createKills({ pool }: { readonly pool: pg.Pool }): Kills {
  return {
    list: (query) => list(pool, query),
    get: async (tenantId, killId) => {
      const values = [toColumn(tenantId), toColumn(killId)];
      const { rows } = await pool.query<Row>({ name: 'kill_get', text: `${SELECT} AND k.id = $2`, values });
      return rows[0] ? viewOf(rows[0]) : null;
    },
    engaged: async () => {
      const text = `SELECT k.tenant_id, k.id, k.scope, k.value, k.reason FROM kill_switches k
        WHERE k.released_at IS NULL ORDER BY k.tenant_id`;
      const { rows } = await pool.query<Row & { tenant_id: string }>({ name: 'kills_engaged', text, values: [] });
      return rows.map((row) => ({
        tenantId: fromColumn(row.tenant_id),
        killId: fromColumn(row.id),
        scope: row.scope,
        value: fromColumnOrNull(row.value),
        reason: fromColumn(row.reason),
      }));
    },
  };
}

async function list(pool: pg.Pool, { tenantId, engaged, cursor, limit = DEFAULT_PAGE }: KillQuery) {
  const values: unknown[] = [toColumn(tenantId)];
  const place = (value: unknown): string => `$${values.push(value)}`;
  let text = SELECT;
  if (engaged !== undefined) text += ` AND k.released_at IS ${engaged ? '' : 'NOT '}NULL`;
  if (cursor !== undefined) {
    const [engagedAt, id] = decodeCursor(cursor, 2);
    text += ` AND (k.engaged_at, k.id) < (${place(engagedAt)}::timestamptz, ${place(id)})`;
  }
  text += ` ORDER BY k.engaged_at DESC, k.id DESC LIMIT ${place(limit + 1)}`;
  const { rows } = await pool.query<Row>(text, values);
  return pageOf(rows, limit, viewOf, (row) => [row.engaged_at_text, row.id]);
}

function viewOf(row: Row): KillView {
  return {
    id: fromColumn(row.id),
    scope: row.scope,
    value: fromColumnOrNull(row.value),
    reason: fromColumn(row.reason),
    engagedAt: row.engaged_at_text,
    engagedBy: fromColumn(row.engaged_by),
    releasedAt: row.released_at_text,
    releasedBy: fromColumnOrNull(row.released_by),
  };
}
