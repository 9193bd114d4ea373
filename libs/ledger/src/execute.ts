/** One command on one session: load, decide, append; again when something moved, under locks when it moved twice. */
import {
  agreesWith,
  asksEndedBy,
  decideCommand,
  resultFingerprint,
  type CommandResult,
  type SessionCommand,
} from '@countersign/approval';
import type { AskStatus, ErrorCode, SessionEvent } from '@countersign/contracts';
import { appendInTransaction, appendRound, type Queryable } from './append.js';
import { asksToEnd, type AskToEnd } from './asks.js';
import type { Calls } from './calls.js';
import { commandContext } from './command-context.js';
import { commandUnit, mayRaiseEpoch, outcomesOf, rootStoppedBy, type EndedCall } from './command-unit.js';
import { inTransaction, lockHeads, type Database } from './database.js';
import { loadLine, type Line } from './load-line.js';
import { recordRefused } from './record-refused.js';
import type { AppendUnit, Conflict, UnitResult, VaultEntry } from './types.js';

export interface CommandTarget {
  readonly tenantId: string;
  readonly sessionId: string;
}

export type ExecuteResult =
  | {
      readonly ok: true;
      /** Empty: it was so already. */
      readonly events: readonly SessionEvent[];
      readonly seq: number;
      /** One item for each call whose ask this command ended, calls that joined it included. */
      readonly outcomes: readonly EndedCall[];
      /** The root session whose breaker this command opened, by a denial further down. */
      readonly rootStopped?: string;
      /** Of a cancel or a stop: the calls that executors took up before it and whose results are not known. */
      readonly running?: readonly string[];
      /** Of a reported failure: the calls beside it that are to be stopped. */
      readonly siblings?: readonly string[];
    }
  | { readonly ok: false; readonly code: ErrorCode; readonly message?: string; readonly reason?: string };

/** A command, and the sealed originals that its events belong to: stored with them, or with nothing when there are none. */
export interface Executed {
  readonly command: SessionCommand;
  readonly vault?: readonly VaultEntry[];
}

/** How often a command is decided on what was read without locks. */
const FREE_ATTEMPTS = 2;
const LOCKED_ATTEMPTS = 3;

type Append = (units: readonly AppendUnit[]) => Promise<UnitResult[]>;
type Attempt =
  { readonly done: ExecuteResult; readonly record?: readonly SessionEvent[] } | { readonly conflict: Conflict };

/** Executes a command by the conflict policy of the house. Expected refusals are values; only a dead database throws. */
export async function executeCommand(
  db: Database,
  calls: Pick<Calls, 'byId'>,
  target: CommandTarget,
  { command, vault = [] }: Executed,
): Promise<ExecuteResult> {
  for (let attempt = 1; attempt <= FREE_ATTEMPTS + LOCKED_ATTEMPTS; attempt += 1) {
    const tried = await (attempt <= FREE_ATTEMPTS ? tryFreely : tryLocked)({ db, calls, target, command, vault });
    if ('done' in tried) {
      if (tried.record) await record(db, target, tried.record);
      return tried.done;
    }
    const settled = await settleConflict(calls, target, { command, conflict: tried.conflict });
    if (settled === null) continue;
    if (settled.record) await record(db, target, settled.record);
    return settled.done;
  }
  return { ok: false, code: 'unavailable', message: 'the session kept changing; try again' };
}

interface Work {
  readonly db: Database;
  readonly calls: Pick<Calls, 'byId'>;
  readonly target: CommandTarget;
  readonly command: SessionCommand;
  readonly vault: readonly VaultEntry[];
}

function tryFreely(work: Work): Promise<Attempt> {
  const { pool } = work.db;
  return attemptOnce(work, pool, (units) => appendRound(pool, units));
}

/** A conflict in here can only come from what no lock covers (a new session, an ask's deadline); it is decided again. */
async function tryLocked(work: Work): Promise<Attempt> {
  const { db, target, command } = work;
  const { tenantId, sessionId } = target;
  const line = await loadLine(db.pool, tenantId, sessionId);
  const names = [sessionId, ...line.ancestors.map((member) => member.sessionId)];
  return inTransaction(db.pool, async (client) => {
    await lockHeads(
      client,
      names.map((streamId) => ({ tenantId, streamId })),
      mayRaiseEpoch(command) ? [tenantId] : [],
    );
    return attemptOnce(work, client, (units) => appendInTransaction(client, units));
  });
}

async function attemptOnce({ calls, target, command, vault }: Work, db: Queryable, append: Append): Promise<Attempt> {
  const line = await loadLine(db, target.tenantId, target.sessionId);
  const asks = await asksToEnd(db, target.tenantId, idsToLoad(line, command));
  const own = asks.filter((ask) => ask.sessionId === target.sessionId);
  const closed = closedBefore(own, command);
  const refusal = (refused: { code: string }) => refusalRecord({ line, asks: own }, command, refused);
  if (closed !== null) return { done: closed, record: refusal(closed) };
  const context = await commandContext({ calls, target, command }, line, own);
  const decided = decideCommand(line.session?.state ?? null, command, context);
  if (!decided.ok) return { done: refusalOf(decided), record: decided.record ?? refusal(decided) };
  if (decided.events.length === 0) return { done: wasSo(line, decided) };
  const made = commandUnit(target, line, { command, events: decided.events, asks: own });
  if (!made.ok) return { done: made, record: refusal(made) };
  const [stored] = await append([vault.length === 0 ? made.unit : { ...made.unit, vault }]);
  return attemptOf(stored, decided, { unit: made.unit, sessionId: target.sessionId });
}

type Accepted = Extract<CommandResult, { ok: true }>;

/** It was so already: nothing is stored. */
function wasSo(line: Line, decided: Accepted): ExecuteResult {
  return { ok: true, events: [], seq: line.session?.seq ?? 0, outcomes: [], ...told(decided) };
}

function told({ running, siblings }: Accepted): Pick<Accepted, 'running' | 'siblings'> {
  return { ...(running && { running }), ...(siblings && { siblings }) };
}

function attemptOf(
  stored: UnitResult | undefined,
  decided: Accepted,
  { unit, sessionId }: { unit: AppendUnit; sessionId: string },
): Attempt {
  if (stored === undefined) throw new Error('the database gave no answer for this command');
  if (!stored.ok && 'conflict' in stored) return { conflict: stored.conflict };
  if (!stored.ok) return { done: { ok: false, code: 'internal.error', message: stored.error } };
  const { events } = decided;
  const seq = stored.appended.filter(({ streamId }) => streamId === sessionId).at(-1)?.seq ?? 0;
  const rootStopped = rootStoppedBy(unit, sessionId);
  const done = { ok: true as const, events, seq, outcomes: outcomesOf(events), ...told(decided) };
  return { done: rootStopped === null ? done : { ...done, rootStopped } };
}

function refusalOf(decided: Extract<CommandResult, { ok: false }>): ExecuteResult {
  const { code, message, reason } = decided;
  return {
    ok: false,
    code,
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** The named ask is loaded even when the state has it no more, to tell an ended one from an unknown one. */
function idsToLoad(line: Line, command: SessionCommand): string[] {
  const ended = asksEndedBy(line.session?.state ?? null, command);
  const named = command.type === 'AnswerAsk' || command.type === 'ExpireAsk' ? [command.askId] : [];
  return [...new Set([...ended, ...named])];
}

/** What the ask's row says before anything is decided: ended, overdue, or not due yet. */
function closedBefore(
  asks: readonly AskToEnd[],
  command: SessionCommand,
): Extract<ExecuteResult, { ok: false }> | null {
  if (command.type !== 'AnswerAsk' && command.type !== 'ExpireAsk') return null;
  const ask = asks.find((one) => one.askId === command.askId);
  if (!ask) return { ok: false, code: 'ask.unknown' };
  if (ask.status !== 'open') return { ok: false, code: codeOfEnded(ask.status) };
  if (command.type === 'AnswerAsk') return ask.overdue ? { ok: false, code: 'ask.expired' } : null;
  return ask.overdue ? null : { ok: false, code: 'request.invalid', message: 'the ask is not due yet' };
}

function codeOfEnded(status: AskStatus): ErrorCode {
  return status === 'expired' ? 'ask.expired' : 'ask.already_resolved';
}

/** A refused answer is kept: who tried what, why it did not count, and of a late one whether it would have changed anything. */
function refusalRecord(
  { line, asks }: { readonly line: Line; readonly asks: readonly AskToEnd[] },
  command: SessionCommand,
  { code }: { code: string },
): readonly SessionEvent[] {
  if (command.type !== 'AnswerAsk' || line.session === null || code === 'ask.unknown') return [];
  const { askId, answer, by } = command;
  const status = asks.find((ask) => ask.askId === askId)?.status ?? 'open';
  const late = status === 'open' ? {} : { agrees: agreesWith(answer, status) };
  return [{ type: 'AskAnswerRefused', version: 1, body: { askId, answer, by, code, ...late } }];
}

async function record(db: Database, target: CommandTarget, events: readonly SessionEvent[]): Promise<void> {
  if (events.length > 0) await recordRefused(db, { tenantId: target.tenantId, streamId: target.sessionId }, events);
}

type Settled = { readonly done: ExecuteResult; readonly record?: readonly SessionEvent[] };

/** A key conflict means that the call's result is known, or the call is not; every other conflict is decided again. */
async function settleConflict(
  calls: Pick<Calls, 'byId'>,
  target: CommandTarget,
  { command, conflict }: { command: SessionCommand; conflict: Conflict },
): Promise<Settled | null> {
  if (conflict !== 'key' || command.type !== 'ReportResult') return null;
  const call = await calls.byId(target.tenantId, command.callId);
  if (call === null || call.key.sessionId !== target.sessionId) return { done: { ok: false, code: 'call.unknown' } };
  if (call.reported === null) return null;
  if (call.reported === resultFingerprint(command)) return { done: { ok: true, events: [], seq: 0, outcomes: [] } };
  const detail = JSON.stringify({ callId: command.callId, status: command.status, outputHash: command.outputHash });
  return {
    done: { ok: false, code: 'call.result_differs' },
    record: [{ type: 'AgentReported', version: 1, body: { kind: 'result_differs', detail } }],
  };
}
