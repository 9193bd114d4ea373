/** What a round of decisions needs, in one query: clock, epochs, heads that moved, calls that are known. */
import type { PriorCall, SessionState } from '@countersign/approval';
import type { CallKey, CallOutcome } from '@countersign/contracts';
import type { Queryable } from './append.js';
import { fromColumn, fromColumnOrNull, toColumn } from './column-text.js';
import type { Head, HashJoin, Round, RoundQuery } from './types.js';

/** One shape for all kinds of rows; what `a` to `g` mean depends on `kind`. `i` is the place in the query, from 1. */
interface LoadedRow {
  readonly kind: 'now' | 'epoch' | 'head' | 'key' | 'join';
  readonly i: number;
  readonly a: string | null;
  readonly b: string | null;
  readonly c: string | null;
  readonly d: string | null;
  readonly e: string | null;
  readonly f: string | null;
}

const LOAD_ROUND = {
  name: 'load_round',
  text: `
    SELECT 'now' AS kind, 0 AS i,
      to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS a,
      NULL AS b, NULL AS c, NULL AS d, NULL AS e, NULL AS f
    UNION ALL
    SELECT 'epoch', q.i::int, t.epoch::text, NULL, NULL, NULL, NULL, NULL
    FROM unnest($1::text[]) WITH ORDINALITY q(tenant, i) JOIN tenants t ON t.id = q.tenant
    UNION ALL
    SELECT 'head', q.i::int, h.seq::text, h.parent_id, h.root_id, h.key_id, h.state, NULL
    FROM unnest($2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY q(tenant, stream, known, i)
    JOIN heads h ON h.tenant_id = q.tenant AND h.stream_id = q.stream
    WHERE h.seq IS DISTINCT FROM q.known
    UNION ALL
    SELECT 'key', q.i::int, k.call_id, k.tool, k.args_hash, k.status, k.ask_id, k.outcome
    FROM unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::int[]) WITH ORDINALITY
      q(tenant, session, agent, tool_use, attempt, i)
    JOIN call_keys k ON k.tenant_id = q.tenant AND k.session_id = q.session AND k.agent = q.agent
      AND k.tool_use_id = q.tool_use AND k.attempt = q.attempt
    UNION ALL
    SELECT 'join', q.i::int, k.call_id, k.tool, k.args_hash, k.status, k.ask_id, k.outcome
    FROM unnest($10::text[], $11::text[], $12::text[], $13::text[], $14::text[]) WITH ORDINALITY
      q(tenant, session, agent, tool, args_hash, i)
    CROSS JOIN LATERAL (
      SELECT * FROM call_keys k
      WHERE k.tenant_id = q.tenant AND k.session_id = q.session AND k.args_hash = q.args_hash
        AND k.agent = q.agent AND k.tool = q.tool AND k.report_hash IS NULL
      ORDER BY k.created_at DESC, k.call_id DESC LIMIT 1
    ) k`,
};

export async function loadRound(db: Queryable, query: RoundQuery): Promise<Round> {
  const { rows } = await db.query<LoadedRow>({ ...LOAD_ROUND, values: roundValues(query) });
  const round = {
    now: '',
    epochs: new Map<string, number>(),
    heads: [] as Head[],
    keys: [] as { key: CallKey; prior: PriorCall }[],
    joins: [] as { join: HashJoin; prior: PriorCall }[],
  };
  for (const row of rows) addRow(round, query, row);
  return round;
}

function roundValues({ tenants, streams, keys, hashJoins }: RoundQuery): unknown[] {
  return [
    tenants.map(toColumn),
    streams.map((stream) => toColumn(stream.tenantId)),
    streams.map((stream) => toColumn(stream.streamId)),
    streams.map((stream) => stream.knownSeq),
    ...keyColumns(keys),
    hashJoins.map((join) => toColumn(join.tenantId)),
    hashJoins.map((join) => toColumn(join.sessionId)),
    hashJoins.map((join) => toColumn(join.agent)),
    hashJoins.map((join) => toColumn(join.tool)),
    hashJoins.map((join) => join.argsHash),
  ];
}

/** The five columns of call keys, as parallel arrays. */
export function keyColumns(keys: readonly CallKey[]): unknown[][] {
  return [
    keys.map((key) => toColumn(key.tenantId)),
    keys.map((key) => toColumn(key.sessionId)),
    keys.map((key) => toColumn(key.agent)),
    keys.map((key) => toColumn(key.toolUseId)),
    keys.map((key) => key.attempt),
  ];
}

interface Filling {
  now: string;
  readonly epochs: Map<string, number>;
  readonly heads: Head[];
  readonly keys: { key: CallKey; prior: PriorCall }[];
  readonly joins: { join: HashJoin; prior: PriorCall }[];
}

function addRow(round: Filling, query: RoundQuery, row: LoadedRow): void {
  const place = row.i - 1;
  switch (row.kind) {
    case 'now':
      round.now = row.a ?? '';
      return;
    case 'epoch':
      round.epochs.set(itemAt(query.tenants, place), Number(row.a));
      return;
    case 'head':
      if (row.e !== null) round.heads.push(headOf(itemAt(query.streams, place), row, row.e));
      return;
    case 'key':
      round.keys.push({ key: itemAt(query.keys, place), prior: priorOf(row) });
      return;
    case 'join':
      round.joins.push({ join: itemAt(query.hashJoins, place), prior: priorOf(row) });
      return;
    default:
      throw new Error(`unknown kind of row: ${String(row.kind satisfies never)}`);
  }
}

function itemAt<T>(items: readonly T[], place: number): T {
  const item = items[place];
  if (item === undefined) throw new Error(`the database answered for item ${place + 1} of ${items.length}`);
  return item;
}

function headOf(stream: { tenantId: string; streamId: string }, row: LoadedRow, state: string): Head {
  return {
    tenantId: stream.tenantId,
    streamId: stream.streamId,
    seq: Number(row.a),
    parentId: fromColumnOrNull(row.b),
    rootId: fromColumnOrNull(row.c),
    keyId: fromColumnOrNull(row.d),
    state: JSON.parse(state) as SessionState,
  };
}

function priorOf(row: LoadedRow): PriorCall {
  return {
    callId: fromColumn(row.a ?? ''),
    tool: fromColumn(row.b ?? ''),
    argsHash: row.c ?? '',
    status: row.d === 'decided' ? 'decided' : 'open',
    askId: fromColumnOrNull(row.e),
    outcome: JSON.parse(row.f ?? 'null') as CallOutcome,
  };
}
