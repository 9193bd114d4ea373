/** Asks as approvers see them, and those that are due. */
import type { BodyOf, OpenedAsk } from '@countersign/approval';
import {
  canonicalJson,
  escapeForDisplay,
  MAX_SESSION_LINE,
  type AskStatus,
  type AskView,
  type CallArguments,
  type CallOutcome,
  type LateAnswer,
  type Risk,
} from '@countersign/contracts';
import type pg from 'pg';
import type { Queryable } from './append.js';
import { fromColumn, fromColumnOrNull, toColumn } from './column-text.js';
import { decodeCursor, DEFAULT_PAGE, pageOf, type Page } from './cursor.js';
import type { Database } from './database.js';
import { isoTime } from './event-rows.js';
import { parseJoined } from './rows-of.js';

export interface AskQuery {
  readonly tenantId: string;
  readonly status?: AskStatus;
  readonly sessionId?: string;
  readonly cursor?: string | undefined;
  readonly limit?: number;
}

export interface DueAsk {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly askId: string;
}

export interface Asks {
  /** Newest first. */
  list(query: AskQuery): Promise<Page<AskView>>;
  /** Null for an unknown id, and for another tenant's. */
  get(tenantId: string, askId: string): Promise<AskView | null>;
  /** As `get`, with what was stored when it was opened: one query for both. */
  getWhole(tenantId: string, askId: string): Promise<WholeAsk | null>;
  /** Open asks of all tenants whose deadline in effect has passed by the database's clock, the longest overdue first. */
  due(limit: number): Promise<DueAsk[]>;
  /** Open asks of all tenants, oldest first: what a start-up has to take up again. */
  open(limit: number): Promise<(DueAsk & { deadline: string | null })[]>;
  /** Answers that came too late and said something else than the end of the ask, the latest first and at most five for each ask. */
  late(tenantId: string, askIds: readonly string[]): Promise<Record<string, LateAnswer[]>>;
  /** What was stored of asks when they were opened, with the calls that joined them. Unknown ids are left out. */
  opened(tenantId: string, askIds: readonly string[]): Promise<Record<string, OpenedAsk>>;
}

/** An ask as it is seen and as it was stored, read at one moment. */
export interface WholeAsk {
  readonly view: AskView;
  readonly opened: OpenedAsk;
}

/** An ask's row for whoever ends it. `overdue` and `frozen` by the database's clock at the time of reading. */
export interface AskToEnd {
  readonly askId: string;
  readonly sessionId: string;
  readonly status: AskStatus;
  readonly overdue: boolean;
  readonly frozen: boolean;
  readonly opened: OpenedAsk;
}

interface Row {
  readonly id: string;
  readonly session_id: string;
  readonly call_id: string;
  readonly agent: string;
  readonly tool: string;
  readonly args_hash: string;
  readonly rule_id: string;
  readonly risk: string;
  readonly status: AskStatus;
  readonly version: number;
  readonly opened_at_text: string;
  readonly deadline_text: string | null;
  readonly frozen: boolean;
  readonly resolved_at_text: string | null;
  readonly resolved_by: string | null;
  readonly resolved_via: string | null;
  readonly opened: string;
  readonly joined: string;
  readonly path: string[] | null;
  readonly outcome: string | null;
}

/** The deadline in effect at a time: what kill switches froze is added. */
const inEffect = (at: string): string =>
  `deadline_in_effect(a.tenant_id, a.session_id, a.agent, a.tool, a.opened_at, a.deadline, ${at})`;
const FROZEN = `(a.status = 'open' AND is_frozen(a.tenant_id, a.session_id, a.agent, a.tool))`;

const SELECT = `SELECT a.*, ${isoTime('a.opened_at')} AS opened_at_text, ${FROZEN} AS frozen,
  ${isoTime(inEffect('coalesce(a.resolved_at, clock_timestamp())'))} AS deadline_text,
  ${isoTime('a.resolved_at')} AS resolved_at_text,
  CASE WHEN a.status = 'approved' THEN (SELECT k.outcome FROM call_keys k WHERE k.call_id = a.call_id) END AS outcome,
  (WITH RECURSIVE up AS (
     SELECT h.stream_id, h.parent_id, 1 AS depth FROM heads h WHERE h.tenant_id = a.tenant_id AND h.stream_id = a.session_id
     UNION ALL
     SELECT p.stream_id, p.parent_id, up.depth + 1
     FROM up JOIN heads p ON p.tenant_id = a.tenant_id AND p.stream_id = up.parent_id WHERE up.depth <= ${MAX_SESSION_LINE})
   SELECT array_agg(stream_id ORDER BY depth DESC) FROM up) AS path
  FROM asks a`;

export function createAsks(db: Database): Asks {
  return {
    list: (query) => list(db.pool, query),
    get: async (tenantId, askId) => {
      const row = await rowOf(db.pool, tenantId, askId);
      return row && viewOf(row);
    },
    getWhole: async (tenantId, askId) => {
      const row = await rowOf(db.pool, tenantId, askId);
      return row && { view: viewOf(row), opened: openedOf(row) };
    },
    due: async (limit) => {
      // The statement's time is fixed, so the index finds those whose first deadline has passed; few of them were put off.
      const text = `SELECT a.tenant_id, a.session_id, a.id FROM asks a
        WHERE a.status = 'open' AND a.deadline <= statement_timestamp() AND ${inEffect('statement_timestamp()')} <= statement_timestamp()
        ORDER BY a.deadline, a.id LIMIT $1`;
      const { rows } = await db.pool.query<DueRow>({ name: 'asks_due', text, values: [limit] });
      return rows.map(dueOf);
    },
    open: async (limit) => {
      const text = `SELECT a.tenant_id, a.session_id, a.id, ${isoTime(inEffect('clock_timestamp()'))} AS deadline FROM asks a
        WHERE a.status = 'open' ORDER BY a.opened_at, a.id LIMIT $1`;
      const { rows } = await db.pool.query<DueRow & { deadline: string | null }>(text, [limit]);
      return rows.map((row) => ({ ...dueOf(row), deadline: row.deadline }));
    },
    late: (tenantId, askIds) => lateAnswers(db.pool, tenantId, askIds),
    opened: async (tenantId, askIds) => {
      const found = await asksToEnd(db.pool, tenantId, askIds);
      return Object.fromEntries(found.map((ask) => [ask.askId, ask.opened]));
    },
  };
}

async function rowOf(pool: pg.Pool, tenantId: string, askId: string): Promise<Row | null> {
  const values = [toColumn(askId), toColumn(tenantId)];
  const text = `${SELECT} WHERE a.id = $1 AND a.tenant_id = $2`;
  const { rows } = await pool.query<Row>({ name: 'ask_get', text, values });
  return rows[0] ?? null;
}

function openedOf(row: Pick<Row, 'opened' | 'joined'>): OpenedAsk {
  return { ...(JSON.parse(row.opened) as BodyOf<'AskOpened'>), joined: parseJoined(row.joined) };
}

const MOST_LATE = 5;

async function lateAnswers(
  pool: pg.Pool,
  tenantId: string,
  askIds: readonly string[],
): Promise<Record<string, LateAnswer[]>> {
  const text = `SELECT q.id AS ask_id, e.body, ${isoTime('e."time"')} AS at
    FROM unnest($2::text[]) q(id) CROSS JOIN LATERAL (
      SELECT * FROM events e WHERE e.tenant_id = $1 AND e.ask_id = q.id AND e.type = 'AskAnswerRefused'
        AND e.body LIKE '%"agrees":false%'
      ORDER BY e.position DESC LIMIT ${MOST_LATE}
    ) e`;
  const values = [toColumn(tenantId), askIds.map(toColumn)];
  const { rows } = await pool.query<{ ask_id: string; body: string; at: string }>({ name: 'asks_late', text, values });
  const late: Record<string, LateAnswer[]> = {};
  for (const row of rows) {
    const { answer, by, agrees } = JSON.parse(row.body) as BodyOf<'AskAnswerRefused'>;
    // The agent may write what it likes into a text, but not into this field.
    if (agrees !== false) continue;
    const given = { answer: answer as LateAnswer['answer'], by: by.personName, via: by.channel, at: row.at };
    (late[fromColumn(row.ask_id)] ??= []).push(given);
  }
  return late;
}

interface DueRow {
  readonly tenant_id: string;
  readonly session_id: string;
  readonly id: string;
}

function dueOf(row: DueRow): DueAsk {
  return { tenantId: fromColumn(row.tenant_id), sessionId: fromColumn(row.session_id), askId: fromColumn(row.id) };
}

async function list(pool: pg.Pool, query: AskQuery): Promise<Page<AskView>> {
  const limit = query.limit ?? DEFAULT_PAGE;
  const values: unknown[] = [toColumn(query.tenantId)];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const where = ['a.tenant_id = $1'];
  // A literal lets the planner take the index of open asks; the value comes from a closed set.
  if (query.status !== undefined)
    where.push(query.status === 'open' ? "a.status = 'open'" : `a.status = ${place(query.status)}`);
  if (query.sessionId !== undefined) where.push(`a.session_id = ${place(toColumn(query.sessionId))}`);
  if (query.cursor !== undefined) {
    const [openedAt, id] = decodeCursor(query.cursor, 2);
    where.push(`(a.opened_at, a.id) < (${place(openedAt)}::timestamptz, ${place(id)})`);
  }
  const text = `${SELECT} WHERE ${where.join(' AND ')} ORDER BY a.opened_at DESC, a.id DESC LIMIT ${place(limit + 1)}`;
  const { rows } = await pool.query<Row>(text, values);
  return pageOf(rows, limit, viewOf, (row) => [row.opened_at_text, row.id]);
}

/** Loads what ending these asks needs. */
export async function asksToEnd(db: Queryable, tenantId: string, askIds: readonly string[]): Promise<AskToEnd[]> {
  if (askIds.length === 0) return [];
  const text = `SELECT a.id, a.session_id, a.status, a.opened, a.joined, ${FROZEN} AS frozen,
      coalesce(${inEffect('clock_timestamp()')} <= clock_timestamp(), false) AS overdue
    FROM asks a WHERE a.id = ANY($1::text[]) AND a.tenant_id = $2`;
  const values = [askIds.map(toColumn), toColumn(tenantId)];
  const { rows } = await db.query<Row & { overdue: boolean }>({ name: 'asks_to_end', text, values });
  return rows.map((row) => ({
    askId: fromColumn(row.id),
    sessionId: fromColumn(row.session_id),
    status: row.status,
    overdue: row.overdue,
    frozen: row.frozen,
    opened: openedOf(row),
  }));
}

function viewOf(row: Row): AskView {
  const { request, verdict, terms, finalArgs } = JSON.parse(row.opened) as BodyOf<'AskOpened'>;
  // What hooks made of the arguments is what runs.
  const args = finalArgs ?? request.args;
  return {
    id: fromColumn(row.id),
    status: row.status,
    version: row.version,
    sessionId: fromColumn(row.session_id),
    path: (row.path ?? [row.session_id]).map(fromColumn),
    callId: fromColumn(row.call_id),
    agent: fromColumn(row.agent),
    tool: fromColumn(row.tool),
    args: argumentsText(args),
    argsHash: args.hash,
    cwd: request.cwd,
    ruleId: fromColumn(row.rule_id),
    reason: verdict.reason,
    risk: row.risk as Risk,
    matches: verdict.matches,
    agentSays: request.description === null ? null : escapeForDisplay(request.description, { keepLines: true }),
    route: terms?.route ?? null,
    openedAt: row.opened_at_text,
    deadline: row.deadline_text,
    frozen: row.frozen,
    resolvedAt: row.resolved_at_text,
    resolvedBy: fromColumnOrNull(row.resolved_by),
    resolvedVia: row.resolved_via,
    editedArgs: editedArgs(row.outcome, args),
  };
}

/** What the call was let through with, where it is not what was asked about: a person's edit. */
function editedArgs(outcome: string | null, asked: CallArguments): string | null {
  const { updatedInput } = outcome === null ? {} : (JSON.parse(outcome) as Partial<CallOutcome>);
  if (updatedInput === undefined) return null;
  const json = canonicalJson(updatedInput);
  return asked.state === 'ok' && asked.json === json ? null : escapeForDisplay(json);
}

function argumentsText(args: CallArguments): string {
  return escapeForDisplay(args.state === 'ok' ? args.json : args.head);
}
