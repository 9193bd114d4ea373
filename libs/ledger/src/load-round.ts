/** What a round of decisions needs, in one query: clock, epochs, heads that moved, calls that are known. */
import type { PriorCall, TenantState } from '@countersign/approval';
import type { CallKey, CallOutcome } from '@countersign/contracts';
import type { Queryable } from './append.js';
import { int4Array, int8Array, textArray } from './array-bytes.js';
import { fromColumn, fromColumnOrNull, toColumn } from './column-text.js';
import { readState, readTenantState } from './read-state.js';
import type { Head, HashJoin, Round, RoundQuery } from './types.js';

/** One shape for all kinds of rows; what `a` to `g` mean depends on `kind`. `i` is the place in the query, from 1. */
interface LoadedRow {
  readonly kind: 'now' | 'epoch' | 'uses' | 'head' | 'key' | 'join';
  readonly i: number;
  readonly a: string | null;
  readonly b: string | null;
  readonly c: string | null;
  readonly d: string | null;
  readonly e: string | null;
  readonly f: string | null;
}

/**
 * The arrays stand in subqueries so that the planner cannot see how long they are: it would find a plan made for just this round a
 * little cheaper than the one it has, and plan its joins anew for every small round, which takes longer than running them. Each row is looked up by itself (LIMIT 1, by a whole
 * primary key): a plan that was made while a table was small must not read all of it when it is large.
 */
const LOAD_ROUND = {
  name: 'load_round',
  text: `
    SELECT 'now' AS kind, 0 AS i,
      to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS a,
      NULL AS b, NULL AS c, NULL AS d, NULL AS e, NULL AS f
    UNION ALL
    SELECT 'epoch', q.i::int, t.epoch::text, h.state, CASE WHEN t.epoch IS DISTINCT FROM q.known THEN 'moved' END, NULL, NULL, NULL
    FROM unnest((SELECT $1::text[]), (SELECT $10::bigint[])) WITH ORDINALITY q(tenant, known, i) JOIN tenants t ON t.id = q.tenant
    LEFT JOIN LATERAL (
      SELECT * FROM heads h WHERE h.tenant_id = q.tenant AND h.stream_id = '@tenant' LIMIT 1
    ) h ON t.epoch IS DISTINCT FROM q.known
    UNION ALL
    SELECT 'uses', q.i::int, g.id, g.remaining::text, NULL, NULL, NULL, NULL
    FROM unnest((SELECT $1::text[])) WITH ORDINALITY q(tenant, i)
    JOIN grants g ON g.tenant_id = q.tenant AND g.session_id IS NULL AND g.status = 'active' AND g.remaining IS NOT NULL
    UNION ALL
    SELECT 'head', q.i::int, h.seq::text, h.parent_id, h.root_id, h.key_id, h.state, NULL
    FROM unnest((SELECT $2::text[]), (SELECT $3::text[]), (SELECT $4::bigint[])) WITH ORDINALITY q(tenant, stream, known, i)
    CROSS JOIN LATERAL (
      SELECT * FROM heads h WHERE h.tenant_id = q.tenant AND h.stream_id = q.stream LIMIT 1
    ) h
    WHERE h.seq IS DISTINCT FROM q.known
    UNION ALL
    SELECT 'key', q.i::int, k.call_id, k.tool, k.args_hash, k.status, k.ask_id, k.outcome
    FROM unnest((SELECT $5::text[]), (SELECT $6::text[]), (SELECT $7::text[]), (SELECT $8::text[]), (SELECT $9::int[])) WITH ORDINALITY
      q(tenant, session, agent, tool_use, attempt, i)
    CROSS JOIN LATERAL (
      SELECT * FROM call_keys k
      WHERE k.tenant_id = q.tenant AND k.session_id = q.session AND k.agent = q.agent AND k.tool_use_id = q.tool_use
        AND k.attempt = q.attempt
      LIMIT 1
    ) k`,
};

/** Only for rounds with calls that came without a tool-use id. */
const LOAD_ROUND_AND_JOINS = {
  name: 'load_round_and_joins',
  text: `${LOAD_ROUND.text}
    UNION ALL
    SELECT 'join', q.i::int, k.call_id, k.tool, k.args_hash, k.status, k.ask_id, k.outcome
    FROM unnest((SELECT $11::text[]), (SELECT $12::text[]), (SELECT $13::text[]), (SELECT $14::text[]), (SELECT $15::text[])) WITH ORDINALITY
      q(tenant, session, agent, tool, args_hash, i)
    CROSS JOIN LATERAL (
      SELECT * FROM call_keys k
      WHERE k.tenant_id = q.tenant AND k.session_id = q.session AND k.args_hash = q.args_hash
        AND k.agent = q.agent AND k.tool = q.tool AND k.report_hash IS NULL
      ORDER BY k.created_at DESC, k.call_id DESC LIMIT 1
    ) k`,
};

export async function loadRound(db: Queryable, query: RoundQuery): Promise<Round> {
  const { rows } = await db.query<LoadedRow>(statementFor(query));
  const round = {
    now: '',
    epochs: new Map<string, number>(),
    tenantStates: new Map<string, TenantState>(),
    usesLeft: new Map<string, number>(),
    heads: [] as Head[],
    keys: [] as { key: CallKey; prior: PriorCall }[],
    joins: [] as { join: HashJoin; prior: PriorCall }[],
  };
  for (const row of rows) addRow(round, query, row);
  return round;
}

function statementFor({ tenants, knownEpochs, streams, keys, hashJoins }: RoundQuery) {
  const values = [
    textArray(tenants.map(toColumn)),
    textArray(streams.map((stream) => toColumn(stream.tenantId))),
    textArray(streams.map((stream) => toColumn(stream.streamId))),
    int8Array(streams.map((stream) => stream.knownSeq)),
    ...keyColumns(keys),
    int8Array(tenants.map((tenant) => knownEpochs?.get(tenant) ?? null)),
  ];
  if (hashJoins.length === 0) return { values, ...LOAD_ROUND };
  return { values: [...values, ...joinColumns(hashJoins)], ...LOAD_ROUND_AND_JOINS };
}

function joinColumns(hashJoins: readonly HashJoin[]): Buffer[] {
  return [
    textArray(hashJoins.map((join) => toColumn(join.tenantId))),
    textArray(hashJoins.map((join) => toColumn(join.sessionId))),
    textArray(hashJoins.map((join) => toColumn(join.agent))),
    textArray(hashJoins.map((join) => toColumn(join.tool))),
    textArray(hashJoins.map((join) => join.callHash)),
  ];
}

/** The five columns of call keys, as parallel arrays. */
export function keyColumns(keys: readonly CallKey[]): Buffer[] {
  return [
    textArray(keys.map((key) => toColumn(key.tenantId))),
    textArray(keys.map((key) => toColumn(key.sessionId))),
    textArray(keys.map((key) => toColumn(key.agent))),
    textArray(keys.map((key) => toColumn(key.toolUseId))),
    int4Array(keys.map((key) => key.attempt)),
  ];
}

interface Filling {
  now: string;
  readonly epochs: Map<string, number>;
  readonly tenantStates: Map<string, TenantState>;
  readonly usesLeft: Map<string, number>;
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
      return addTenant(round, itemAt(query.tenants, place), row);
    case 'uses':
      round.usesLeft.set(fromColumn(row.a ?? ''), Number(row.b));
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

function addTenant(round: Filling, tenantId: string, row: LoadedRow): void {
  round.epochs.set(tenantId, Number(row.a));
  if (row.c !== null) round.tenantStates.set(tenantId, readTenantState(row.b));
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
    state: readState(state),
  };
}

function priorOf(row: LoadedRow): PriorCall {
  return {
    callId: fromColumn(row.a ?? ''),
    tool: fromColumn(row.b ?? ''),
    callHash: row.c ?? '',
    status: row.d === 'decided' ? 'decided' : 'open',
    askId: fromColumnOrNull(row.e),
    outcome: JSON.parse(row.f ?? 'null') as CallOutcome,
  };
}
