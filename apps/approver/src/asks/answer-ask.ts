/** One answer of one person: through the ledger's guard, then told to whoever waits. */
import { randomUUID } from 'node:crypto';
import {
  DoorError,
  type AnswerBody,
  type Answerer,
  type AskView,
  type CallOutcome,
  type ErrorCode,
} from '@countersign/contracts';
import { agreesWith, type AnswerAsk } from '@countersign/approval';
import type { Ledger } from '@countersign/ledger';
import type { Bus } from '@countersign/queue';
import type { VaultKeys } from '@countersign/server';
import { checkPattern, fromNow } from '../grants/grant-terms.js';
import { deniedByNow } from './ask-scene.js';
import { prepareEdit, type PreparedEdit } from './edited-input.js';
import { keepRefusal } from './keep-refusal.js';
import { keepUnknown } from './keep-unknown.js';
import { isRepeat, repeatHashOf } from './repeated-answer.js';
import { tellDecided } from './tell-decided.js';

/** What the door hands over. `by` is a person or a program, never the agent: the door's role says so. */
export interface AnswerInput {
  readonly tenantId: string;
  readonly askId: string;
  readonly body: AnswerBody;
  readonly by: Answerer;
  /** Groups of the person at this moment. */
  readonly groups: readonly string[];
  /** The webhook that answers for itself. */
  readonly program?: string;
  /** The ask as it was read a moment ago; absent: it is read. Whether an answer counts is for the ledger to say. */
  readonly ask?: AskView;
  /** The request's Idempotency-Key; without one, the same person's same words on the same channel are the same answer. */
  readonly requestKey?: string;
}

/** The ask as it stands now and what its call was told. */
export interface AnswerResult {
  readonly ask: AskView;
  readonly decision: CallOutcome;
}

/** What answering needs. */
export interface AnswerDeps {
  readonly ledger: Ledger;
  readonly bus: Bus;
  readonly vaultKeys: VaultKeys;
}

/** Answers, or throws the DoorError that says why not. The first answer wins; every later one learns who won. */
export async function answerAsk(deps: AnswerDeps, input: AnswerInput): Promise<AnswerResult> {
  const { ledger } = deps;
  const { tenantId, askId } = input;
  const shown = input.ask ?? (await ledger.asks.get(tenantId, askId));
  if (shown === null) return keepUnknown(ledger, { tenantId, askId, answer: input.body.answer, by: input.by });
  if (await isRepeat(deps, shown, input)) return resultOf(ledger, input, shown);
  if (shown.status !== 'open') return refuseLate(deps, shown, input);
  if (isStale(shown, input.body)) return refuseStale(ledger, shown, input);
  return answerOpen(deps, shown, input);
}

/** The ask was open a moment ago; the ledger's guard says whether it still is. */
async function answerOpen(deps: AnswerDeps, shown: AskView, input: AnswerInput): Promise<AnswerResult> {
  const { ledger, bus } = deps;
  const { tenantId, askId } = input;
  const target = { tenantId, sessionId: shown.sessionId };
  const edit = await editOf(deps, shown, input);
  const command = await commandOf(deps, shown, { input, edit });
  const done = await ledger.execute(target, command, edit?.vault ?? []);
  if (done.ok) await tellDecided(bus, target, input, done.outcomes);
  const ask = (done.ok ? await ledger.asks.get(tenantId, askId) : done.ask) ?? shown;
  if (done.ok || (await isRepeat(deps, ask, input))) return resultOf(ledger, input, ask);
  await tellFirst(bus, ask, input);
  throw refusal(done, ask, input.body);
}

/** The ask had ended before anybody looked: there is nothing to decide, and the answer is kept. */
async function refuseLate({ ledger, bus }: AnswerDeps, ask: AskView, input: AnswerInput): Promise<never> {
  const { tenantId, body, by } = input;
  const code = ask.status === 'expired' ? ('ask.expired' as const) : ('ask.already_resolved' as const);
  await keepRefusal(ledger, {
    ask,
    tenantId,
    answer: body.answer,
    by,
    code,
    agrees: agreesWith(body.answer, ask.status),
  });
  await tellFirst(bus, ask, input);
  throw refusal({ code }, ask, body);
}

/** Whoever answered first is told when somebody says something else afterwards. */
async function tellFirst(bus: Bus, ask: AskView, { tenantId, askId, body }: AnswerInput): Promise<void> {
  if (ask.resolvedBy === null || agreesWith(body.answer, ask.status)) return;
  await bus.late({ tenantId, askId });
}

/** Only an approval of an open ask has arguments of its own. */
async function editOf(deps: AnswerDeps, ask: AskView, { tenantId, body }: AnswerInput): Promise<PreparedEdit | null> {
  if (body.updatedInput === undefined || body.answer !== 'approve' || ask.status !== 'open') return null;
  return prepareEdit(deps, { tenantId, ask }, body.updatedInput);
}

async function commandOf(
  { ledger, vaultKeys }: AnswerDeps,
  ask: AskView,
  { input, edit }: { readonly input: AnswerInput; readonly edit: PreparedEdit | null },
): Promise<AnswerAsk> {
  const { askId, body, by, groups, program } = input;
  return {
    type: 'AnswerAsk',
    askId,
    answer: body.answer,
    scope: body.scope,
    by,
    groups,
    ...(program === undefined ? {} : { program }),
    ...(edit === null ? {} : { edited: edit.edited }),
    ...(await deniedNow(ledger, ask, { input, edit })),
    reason: body.reason ?? null,
    repeatHash: repeatHashOf(vaultKeys, input),
    grantId: `grant_${randomUUID()}`,
    ...(await grantTerms(ledger, ask, input)),
  };
}

/** An approval lets nothing run that is denied by now. Edited arguments were judged already. */
async function deniedNow(
  ledger: Ledger,
  ask: AskView,
  { input, edit }: { readonly input: AnswerInput; readonly edit: PreparedEdit | null },
): Promise<Pick<AnswerAsk, 'deniedNow'>> {
  if (input.body.answer !== 'approve' || edit !== null) return {};
  const reason = await deniedByNow(ledger, input.tenantId, ask);
  return reason === null ? {} : { deniedNow: reason };
}

/** How far a `session` or `always` answer reaches. An `always` answer holds for the whole project: sessions with the same root. */
async function grantTerms(ledger: Ledger, ask: AskView, { tenantId, body }: AnswerInput): Promise<Partial<AnswerAsk>> {
  if (body.answer !== 'approve' || body.scope === 'once') return {};
  if (body.pattern !== undefined) checkPattern(body.pattern);
  const expiresAt = body.ttl === undefined ? {} : { expiresAt: await fromNow(ledger, body.ttl) };
  const pattern = body.pattern === undefined ? {} : { pattern: body.pattern };
  if (body.scope === 'session') return { ...expiresAt, ...pattern };
  const root = await rootOf(ledger, tenantId, ask);
  const uses = body.uses === undefined ? {} : { uses: body.uses };
  return { ...expiresAt, ...pattern, ...uses, tenantWide: true, ...(root === null ? {} : { root }) };
}

async function rootOf(ledger: Ledger, tenantId: string, { sessionId }: AskView): Promise<string | null> {
  const streams = [{ tenantId, streamId: sessionId, knownSeq: null }];
  const { heads } = await ledger.loadRound({ tenants: [], streams, keys: [], hashJoins: [] });
  return heads[0]?.state.roots[0] ?? null;
}

async function resultOf(ledger: Ledger, input: AnswerInput, ask: AskView): Promise<AnswerResult> {
  const decision = await ledger.calls.byId(input.tenantId, ask.callId);
  if (decision === null) throw new Error(`the call of ask \`${ask.id}\` has no row`);
  return { ask, decision: decision.outcome };
}

const isStale = (ask: AskView, { version }: AnswerBody): boolean =>
  ask.status === 'open' && version !== undefined && version !== ask.version;

/** An answer to something that the person did not see is refused, and kept. */
async function refuseStale(ledger: Ledger, ask: AskView, { tenantId, body, by }: AnswerInput): Promise<never> {
  const code = 'ask.stale_version' as const;
  await keepRefusal(ledger, { ask, tenantId, answer: body.answer, by, code });
  throw new DoorError(code, undefined, { version: ask.version });
}

/** INVARIANT: whoever comes too late learns who was first; an ask that ran out of time is gone, whatever the race said. */
function refusal(
  { code, message }: { readonly code: ErrorCode; readonly message?: string },
  ask: AskView,
  { answer }: AnswerBody,
): DoorError {
  if (ask.status === 'open') return new DoorError(code, message, code === 'ask.expired' ? overdue(ask) : undefined);
  const agrees = agreesWith(answer, ask.status);
  const details = { status: ask.status, by: ask.resolvedBy, at: ask.resolvedAt, via: ask.resolvedVia, agrees };
  return new DoorError(ask.status === 'expired' ? 'ask.expired' : 'ask.already_resolved', undefined, details);
}

/** Its time is over, although no timer has ended it yet. */
const overdue = ({ deadline }: AskView) => ({ status: 'expired', by: null, at: deadline, via: 'system' });
