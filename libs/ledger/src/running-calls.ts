/** The calls that run in a session and in all below it: what whoever ends the session, and whoever runs its tools, is told. */
import { MAX_SESSION_LINE } from '@countersign/contracts';
import { fromColumn, toColumn } from './column-text.js';
import type { Database } from './database.js';
import { readState } from './read-state.js';

/** A call that an executor took up, and whose result is not known. */
export interface RunningCall {
  readonly sessionId: string;
  readonly callId: string;
  readonly tool: string;
  /** Name of its session's policy. */
  readonly policy: string;
}

/** Most calls that are told of, and most sessions that are looked at: those of the session itself first, then the nearest below. */
export const MAX_RUNNING = 1_000;

// Nothing else in a state can hold this text: quotation marks inside of strings are escaped.
const WITH_RUNNING = {
  name: 'running_below',
  text: `
    WITH RECURSIVE down AS (
      SELECT h.stream_id, 0 AS depth FROM heads h WHERE h.tenant_id = $1 AND h.stream_id = $2
      UNION ALL
      SELECT h.stream_id, down.depth + 1
      FROM down JOIN heads h ON h.tenant_id = $1 AND h.parent_id = down.stream_id
      WHERE down.depth < ${MAX_SESSION_LINE}
    )
    SELECT h.stream_id, h.state
    FROM down JOIN heads h ON h.tenant_id = $1 AND h.stream_id = down.stream_id
    WHERE h.state IS NOT NULL AND h.state NOT LIKE '%"running":[]%'
    ORDER BY down.depth, h.stream_id LIMIT ${MAX_RUNNING}`,
};

const TOOLS = {
  name: 'running_tools',
  text: 'SELECT call_id, tool FROM call_keys WHERE call_id = ANY($2::text[]) AND tenant_id = $1',
};

export async function runningCalls(db: Database, tenantId: string, sessionId: string): Promise<RunningCall[]> {
  const tenant = toColumn(tenantId);
  const { rows: heads } = await db.pool.query<{ stream_id: string; state: string }>({
    ...WITH_RUNNING,
    values: [tenant, toColumn(sessionId)],
  });
  const running = heads
    .flatMap(({ stream_id, state }) => {
      const { running: own, opening } = readState(state);
      return own.map(({ callId }) => ({ sessionId: fromColumn(stream_id), callId, policy: opening?.policy ?? '' }));
    })
    .slice(0, MAX_RUNNING);
  if (running.length === 0) return [];
  const { rows } = await db.pool.query<{ call_id: string; tool: string }>({
    ...TOOLS,
    values: [tenant, running.map(({ callId }) => toColumn(callId))],
  });
  const tools = new Map(rows.map((row) => [fromColumn(row.call_id), fromColumn(row.tool)]));
  return running.flatMap((call) => {
    const tool = tools.get(call.callId);
    return tool === undefined ? [] : [{ ...call, tool }];
  });
}
