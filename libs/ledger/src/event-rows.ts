/** Rows of the events table as text, and as the doors show them. */
import type { StoredEvent } from '@countersign/contracts';
import type { ChainRow } from './chain.js';
import { fromColumn, fromColumnOrNull } from './column-text.js';

/** A row with nothing interpreted: what the chain is computed over, plus its place. */
export interface EventRow extends ChainRow {
  readonly position: string;
  readonly prevHash: string;
  readonly hash: string;
}

/** Time as it is hashed: ISO-8601 UTC with six decimals. */
export const isoTime = (expression: string): string =>
  `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

export const EVENT_COLUMNS = `e.position::text AS position, e.tenant_id AS "tenantId", e.stream_id AS "streamId",
  e.seq::text AS seq, ${isoTime('e."time"')} AS "time", e.type, e.version::text AS version, e.call_id AS "callId",
  e.ask_id AS "askId", e.agent, e.tool, e.decision, e.rule_id AS "ruleId", e.person_id AS "personId", e.channel, e.body,
  encode(e.prev_hash, 'hex') AS "prevHash", encode(e.hash, 'hex') AS hash`;

export function storedEvent(row: EventRow): StoredEvent {
  return {
    position: row.position,
    tenantId: fromColumn(row.tenantId),
    streamId: fromColumn(row.streamId),
    seq: row.seq,
    time: row.time,
    type: row.type,
    version: Number(row.version),
    callId: fromColumnOrNull(row.callId),
    askId: fromColumnOrNull(row.askId),
    agent: fromColumnOrNull(row.agent),
    tool: fromColumnOrNull(row.tool),
    decision: row.decision,
    ruleId: fromColumnOrNull(row.ruleId),
    personId: fromColumnOrNull(row.personId),
    channel: row.channel,
    body: JSON.parse(row.body) as unknown,
    prevHash: row.prevHash,
    hash: row.hash,
  };
}
