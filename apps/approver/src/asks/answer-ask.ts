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
import type { Ledger, VaultEntry, WholeAsk } from '@countersign/ledger';
import type { Bus } from '@countersign/queue';
import type { VaultKeys } from '@countersign/server';
import { later } from '../grants/grant-terms.js';
import { checkGrantPattern, deniedByNow, sceneNow, type SceneNow } from './ask-scene.js';
import { prepareEdit } from './edited-input.js';
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
  readonly groups: () => Promise<readonly string[]>;
  /** The webhook that answers for itself. */
  readonly program?: string;
  /** The ask as it was read a moment ago; absent: it is read. Whether an answer counts is for the ledger to say. */
  readonly found?: WholeAsk;
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
  const found = input.found ?? (await ledger.asks.getWhole(tenantId, askId));
  if (found === null) return keepUnknown(ledger, { tenantId, askId, answer: input.body.answer, by: input.by });
  const shown = found.view;
  if (await isRepeat(deps, shown, input)) return repeated(ledger, input, shown);
  if (shown.status !== 'open') return refuseLate(deps, shown, input);
  if (isStale(shown, input.body)) return refuseStale(ledger, shown, input);
  return answerOpen(deps, found, input);
}

/** The ask was open a moment ago; the ledger's guard says whether it still is. */
async function answerOpen(deps: AnswerDeps, found: WholeAsk, input: AnswerInput): Promise<AnswerResult> {
  const { ledger, bus } = deps;
  const { tenantId, askId } = input;
  const target = { tenantId, sessionId: found.view.sessionId };
  const { command, vault } = await commandOf(deps, found, input);
  const done = await ledger.execute(target, command, vault);
  if (done.ok) {
    await tellDecided(bus, target, input, done.outcomes);
    const ask = (await ledger.asks.get(tenantId, askId)) ?? found.view;
    const own = done.outcomes.find(({ callId }) => callId === ask.callId);
    return own ? { ask, decision: own.outcome } : repeated(ledger, input, ask);
  }
  const ask = done.ask ?? found.view;
  if (await isRepeat(deps, ask, input)) return repeated(ledger, input, ask);
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

/** The command, and the sealed originals that belong to it. */
interface Commanded {
  readonly command: AnswerAsk;
  readonly vault: readonly VaultEntry[];
}

async function commandOf(deps: AnswerDeps, found: WholeAsk, input: AnswerInput): Promise<Commanded> {
  const { askId, body, by, program } = input;
  const approval = body.answer === 'approve' ? await approvalOf(deps, found, input) : null;
  const command: AnswerAsk = {
    type: 'AnswerAsk',
    askId,
    answer: body.answer,
    scope: body.scope,
    by,
    // Nothing else looks at them.
    groups: namesGroup(found.view) ? await input.groups() : [],
    ...(program === undefined ? {} : { program }),
    ...approval?.terms,
    reason: body.reason ?? null,
    repeatHash: repeatHashOf(deps.vaultKeys, input),
    grantId: `grant_${randomUUID()}`,
  };
  return { command, vault: approval?.vault ?? [] };
}

const namesGroup = ({ route }: AskView): boolean =>
  route?.approvers?.some((entry) => entry.startsWith('group:')) ?? false;

interface Approval {
  readonly terms: Pick<AnswerAsk, 'edited' | 'deniedNow' | 'pattern' | 'expiresAt' | 'uses' | 'tenantWide' | 'root'>;
  readonly vault: readonly VaultEntry[];
}

/** What an approval covers and how far it reaches. Throws the DoorError of an edit or a pattern that cannot be taken, which is kept. */
async function approvalOf(deps: AnswerDeps, found: WholeAsk, input: AnswerInput): Promise<Approval> {
  try {
    return await judgeApproval(deps, found, input);
  } catch (error) {
    if (error instanceof DoorError) {
      const { tenantId, body, by } = input;
      await keepRefusal(deps.ledger, { ask: found.view, tenantId, answer: body.answer, by, code: error.code });
    }
    throw error;
  }
}

/** Judged by the policy and the session as they are now, read once. */
async function judgeApproval(
  { ledger, vaultKeys }: AnswerDeps,
  found: WholeAsk,
  input: AnswerInput,
): Promise<Approval> {
  const { tenantId, body } = input;
  const scene = await sceneNow(ledger, tenantId, found);
  const edit = body.updatedInput === undefined ? null : prepareEdit(vaultKeys, { tenantId, scene }, body.updatedInput);
  if (body.pattern !== undefined) checkGrantPattern(scene, body.pattern, edit?.judged ?? null);
  // Edited arguments were judged already: nothing that is denied by now runs.
  const denied = edit === null ? await deniedByNow(ledger, tenantId, scene) : null;
  const judged = edit === null ? {} : { edited: edit.edited };
  const terms = { ...judged, ...(denied === null ? {} : { deniedNow: denied }), ...grantTerms(scene, body) };
  return { terms, vault: edit?.vault ?? [] };
}

/** How far a `session` or `always` answer reaches. An `always` answer holds for the whole project: sessions with the same root. */
function grantTerms({ now, root }: SceneNow, { scope, pattern, ttl, uses }: AnswerBody): Approval['terms'] {
  if (scope === 'once') return {};
  const terms = {
    ...(ttl === undefined ? {} : { expiresAt: later(now, ttl) }),
    ...(pattern === undefined ? {} : { pattern }),
  };
  if (scope === 'session') return terms;
  return { ...terms, ...(uses === undefined ? {} : { uses }), tenantWide: true, ...(root === null ? {} : { root }) };
}

/** What was told to whoever gave the same answer before. */
async function repeated(ledger: Ledger, input: AnswerInput, ask: AskView): Promise<AnswerResult> {
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
  if (ask.status === 'expired') return new DoorError('ask.expired', undefined, details);
  const withdrawn = ask.status === 'cancelled' ? 'the ask is no longer needed: it was withdrawn' : undefined;
  return new DoorError('ask.already_resolved', withdrawn, details);
}

/** Its time is over, although no timer has ended it yet. */
const overdue = ({ deadline }: AskView) => ({ status: 'expired', by: null, at: deadline, via: 'system' });
