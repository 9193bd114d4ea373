/** Many sessions of one tenant, each with all sessions above it, the tenant's epoch and the clock, in one query. */
import { MAX_SESSION_LINE, TENANT_STREAM } from '@countersign/contracts';
import type { Queryable } from './append.js';
import { fromColumn, toColumn } from './column-text.js';
import { isoTime } from './event-rows.js';
import type { Line, LineMember } from './load-line.js';
import { readState, readTenantState } from './read-state.js';
import { usedUpGrants } from './used-up.js';

interface Row {
  readonly now: string | null;
  readonly epoch: string | null;
  /** Which of the wanted sessions the member belongs to; null: the row tells of the tenant. */
  readonly wanted: string | null;
  readonly stream_id: string | null;
  readonly seq: string | null;
  readonly state: string | null;
}

/** One statement sees one moment, so the epoch is that of the states. */
const LOAD_LINES = {
  name: 'load_lines',
  text: `
    WITH RECURSIVE line AS (
      SELECT q.stream AS wanted, h.stream_id, h.parent_id, h.seq, h.state, 0 AS depth
      FROM unnest($2::text[]) q(stream) JOIN heads h ON h.tenant_id = $1 AND h.stream_id = q.stream AND h.state IS NOT NULL
      UNION ALL
      SELECT line.wanted, p.stream_id, p.parent_id, p.seq, p.state, line.depth + 1
      FROM line JOIN heads p ON p.tenant_id = $1 AND p.stream_id = line.parent_id AND p.state IS NOT NULL
      WHERE line.depth < ${MAX_SESSION_LINE}
    )
    SELECT ${isoTime('clock_timestamp()')} AS now, t.epoch, NULL AS wanted, NULL AS stream_id, own.seq, own.state, 0 AS depth
    FROM (SELECT 1) one
    LEFT JOIN tenants t ON t.id = $1
    LEFT JOIN heads own ON own.tenant_id = $1 AND own.stream_id = '${TENANT_STREAM}'
    UNION ALL
    SELECT NULL, NULL, line.wanted, line.stream_id, line.seq, line.state, line.depth FROM line
    ORDER BY depth DESC`,
};

/** The lines by session id; one without a session is left out. */
export async function loadLines(
  db: Queryable,
  tenantId: string,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, Line>> {
  const values = [toColumn(tenantId), sessionIds.map(toColumn)];
  const { rows } = await db.query<Row>({ ...LOAD_LINES, values });
  const shared = await tenantPart(db, tenantId, rows);
  const members = new Map<string, LineMember[]>();
  for (const row of rows) {
    if (row.wanted === null || row.stream_id === null || row.state === null) continue;
    const wanted = fromColumn(row.wanted);
    const member = { sessionId: fromColumn(row.stream_id), seq: Number(row.seq), state: readState(row.state) };
    members.set(wanted, [...(members.get(wanted) ?? []), member]);
  }
  return new Map(
    [...members].map(([wanted, line]) => [
      wanted,
      { ...shared, session: line.at(-1) ?? null, ancestors: line.slice(0, -1) },
    ]),
  );
}

async function tenantPart(
  db: Queryable,
  tenantId: string,
  rows: readonly Row[],
): Promise<Omit<Line, 'session' | 'ancestors'>> {
  const row = rows.find(({ wanted }) => wanted === null);
  const state = readTenantState(row?.state ?? null);
  return {
    now: row?.now ?? '',
    epoch: Number(row?.epoch ?? 0),
    tenant: { seq: Number(row?.seq ?? 0), state },
    usedUp: await usedUpGrants(db, tenantId, state),
  };
}
