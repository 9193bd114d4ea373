/** What a session did, counted from its stream. */
import type pg from 'pg';
import { toColumn } from './column-text.js';

/** Calls by their end, results, failed ones, and milliseconds that tools ran as far as it was reported. */
export interface SessionCounts {
  readonly calls: number;
  readonly allowed: number;
  readonly denied: number;
  readonly results: number;
  readonly errors: number;
  readonly toolMs: number;
}

interface Row {
  readonly allowed: string;
  readonly denied: string;
  readonly results: string;
  readonly errors: string;
  readonly tool_ms: number | null;
}

/** The members are read out of the body's text: numbers and closed words, so that nothing in it is unescaped. */
const COUNT = {
  name: 'session_counts',
  text: `
    SELECT count(*) FILTER (WHERE e.type = 'ToolCallDecided' AND e.decision = 'allow') AS allowed,
      count(*) FILTER (WHERE e.type = 'ToolCallDecided' AND e.decision = 'deny') AS denied,
      count(*) FILTER (WHERE e.type = 'ToolResultReported') AS results,
      count(*) FILTER (WHERE e.type = 'ToolResultReported' AND (e.body::json -> 'status')::text = '"failed"') AS errors,
      (sum(CASE WHEN e.type = 'ToolResultReported' THEN nullif((e.body::json -> 'elapsedMs')::text, 'null')::float8 END))::float8
        AS tool_ms
    FROM events e WHERE e.tenant_id = $1 AND e.stream_id = $2`,
};

/** All zero for an unknown session. */
export async function countSession(pool: pg.Pool, tenantId: string, sessionId: string): Promise<SessionCounts> {
  const { rows } = await pool.query<Row>({ ...COUNT, values: [toColumn(tenantId), toColumn(sessionId)] });
  const counted = rows[0] ?? NOTHING;
  const [allowed, denied] = [Number(counted.allowed), Number(counted.denied)];
  const { results, errors, tool_ms } = counted;
  const toolMs = tool_ms ?? 0;
  return { calls: allowed + denied, allowed, denied, results: Number(results), errors: Number(errors), toolMs };
}

const NOTHING: Row = { allowed: '0', denied: '0', results: '0', errors: '0', tool_ms: null };
