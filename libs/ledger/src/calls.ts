/** Calls by their key or our id: what became of them. */
import type { PriorCall } from '@countersign/approval';
import type { CallKey, CallOutcome } from '@countersign/contracts';
import { keyColumns } from './load-round.js';
import { fromColumn, fromColumnOrNull, toColumn } from './column-text.js';
import type { Database } from './database.js';
import { runningCalls, type RunningCall } from './running-calls.js';

/**
 * One call's row. `reported`: its result came in; the fingerprint tells the same report from another. `redeemed`: the permit
 * that an executor took it up with.
 */
export interface CallView extends PriorCall {
  readonly key: CallKey;
  readonly reported: string | null;
  readonly redeemed: { readonly permitId: string; readonly at: string } | null;
}

export interface Calls {
  /** Null for an unknown id, and for another tenant's. */
  byId(tenantId: string, callId: string): Promise<CallView | null>;
  /** One item per key that has a row, in no particular order. */
  byKeys(keys: readonly CallKey[]): Promise<{ key: CallKey; prior: PriorCall }[]>;
  /** What runs in the session and in all below it, the session's own first. */
  running(tenantId: string, sessionId: string): Promise<RunningCall[]>;
}

interface Row {
  readonly tenant_id: string;
  readonly session_id: string;
  readonly agent: string;
  readonly tool_use_id: string;
  readonly attempt: number;
  readonly call_id: string;
  readonly tool: string;
  /** What `callHashOf` makes of the call: the hash of its arguments, and behind it that of its place. */
  readonly args_hash: string;
  readonly status: 'open' | 'decided';
  readonly ask_id: string | null;
  readonly outcome: string;
  readonly report_hash: string | null;
  readonly redeemed_at: Date | null;
  readonly permit_id: string | null;
}

export function createCalls(db: Database): Calls {
  return {
    running: (tenantId, sessionId) => runningCalls(db, tenantId, sessionId),
    byId: async (tenantId, callId) => {
      const text = 'SELECT * FROM call_keys WHERE call_id = $1 AND tenant_id = $2';
      const values = [toColumn(callId), toColumn(tenantId)];
      const { rows } = await db.pool.query<Row>({ name: 'call_by_id', text, values });
      return rows[0] ? viewOf(rows[0]) : null;
    },
    byKeys: async (keys) => {
      if (keys.length === 0) return [];
      const text = `SELECT k.* FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[])
        q(tenant, session, agent, tool_use, attempt)
        JOIN call_keys k ON k.tenant_id = q.tenant AND k.session_id = q.session AND k.agent = q.agent
          AND k.tool_use_id = q.tool_use AND k.attempt = q.attempt`;
      const { rows } = await db.pool.query<Row>({ name: 'calls_by_keys', text, values: keyColumns(keys) });
      return rows.map((row) => {
        const { key, reported: _reported, redeemed: _redeemed, ...prior } = viewOf(row);
        return { key, prior };
      });
    },
  };
}

function viewOf(row: Row): CallView {
  return {
    key: {
      tenantId: fromColumn(row.tenant_id),
      sessionId: fromColumn(row.session_id),
      agent: fromColumn(row.agent),
      toolUseId: fromColumn(row.tool_use_id),
      attempt: row.attempt,
    },
    callId: fromColumn(row.call_id),
    tool: fromColumn(row.tool),
    callHash: row.args_hash,
    status: row.status,
    askId: fromColumnOrNull(row.ask_id),
    outcome: JSON.parse(row.outcome) as CallOutcome,
    reported: fromColumnOrNull(row.report_hash),
    redeemed:
      row.redeemed_at === null
        ? null
        : { permitId: fromColumn(row.permit_id ?? ''), at: row.redeemed_at.toISOString() },
  };
}
