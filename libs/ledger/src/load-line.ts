/** A session with all sessions above it, the tenant's epoch and the clock, in one query: what a command is decided on. */
import type { SessionState, TenantState } from '@countersign/approval';
import { MAX_SESSION_LINE, TENANT_STREAM } from '@countersign/contracts';
import type { Queryable } from './append.js';
import { fromColumn, toColumn } from './column-text.js';
import { isoTime } from './event-rows.js';
import { readState, readTenantState } from './read-state.js';
import { usedUpGrants } from './used-up.js';

export interface LineMember {
  readonly sessionId: string;
  readonly seq: number;
  readonly state: SessionState;
}

export interface Line {
  /** ISO-8601 UTC, the database's clock. */
  readonly now: string;
  readonly epoch: number;
  /** Null: there is no such session. */
  readonly session: LineMember | null;
  /** Root first. */
  readonly ancestors: readonly LineMember[];
  /** Under this very epoch. */
  readonly tenant: { readonly seq: number; readonly state: TenantState };
  /** Ids of the tenant's grants that have no use left, when its state is full. */
  readonly usedUp: ReadonlySet<string>;
}

interface Row {
  readonly now: string;
  readonly epoch: string | null;
  readonly tenant_seq: string | null;
  readonly tenant_state: string | null;
  readonly stream_id: string | null;
  readonly seq: string | null;
  readonly state: string | null;
}

const LOAD_LINE = {
  name: 'load_line',
  text: `
    WITH RECURSIVE line AS (
      SELECT h.stream_id, h.parent_id, h.seq, h.state, 0 AS depth
      FROM heads h WHERE h.tenant_id = $1 AND h.stream_id = $2 AND h.state IS NOT NULL
      UNION ALL
      SELECT p.stream_id, p.parent_id, p.seq, p.state, line.depth + 1
      FROM line JOIN heads p ON p.tenant_id = $1 AND p.stream_id = line.parent_id AND p.state IS NOT NULL
      WHERE line.depth < ${MAX_SESSION_LINE}
    )
    SELECT ${isoTime('clock_timestamp()')} AS now, t.epoch, own.seq AS tenant_seq, own.state AS tenant_state, line.stream_id, line.seq, line.state
    FROM (SELECT 1) one
    LEFT JOIN tenants t ON t.id = $1
    LEFT JOIN heads own ON own.tenant_id = $1 AND own.stream_id = '${TENANT_STREAM}'
    LEFT JOIN line ON true
    ORDER BY line.depth DESC`,
};

export async function loadLine(db: Queryable, tenantId: string, sessionId: string): Promise<Line> {
  const { rows } = await db.query<Row>({ ...LOAD_LINE, values: [toColumn(tenantId), toColumn(sessionId)] });
  const members = rows.flatMap((row): LineMember[] => {
    if (row.stream_id === null || row.state === null) return [];
    const state = readState(row.state);
    return [{ sessionId: fromColumn(row.stream_id), seq: Number(row.seq), state }];
  });
  const state = readTenantState(rows[0]?.tenant_state ?? null);
  return {
    now: rows[0]?.now ?? '',
    epoch: Number(rows[0]?.epoch ?? 0),
    session: members.at(-1) ?? null,
    ancestors: members.slice(0, -1),
    tenant: { seq: Number(rows[0]?.tenant_seq ?? 0), state },
    usedUp: await usedUpGrants(db, tenantId, state),
  };
}
