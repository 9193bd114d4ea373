/** One tool call: from the engine's verdict to the events that record it and the outcome that the agent is told. */
import type {
  AskRoute,
  Basis,
  CallArguments,
  CallOutcome,
  Decision,
  Grant,
  HookRun,
  PolicyDocument,
  SessionEvent,
  Verdict,
} from '@countersign/contracts';
import { callHashOf, ERRORS, MAX_SESSION_LINE } from '@countersign/contracts';
import { breakerOpened, breakerReason, countedDenial, countsAsPolicyDenial, stopsRun } from './breaker.js';
import { asksTooMuch, deniedInLine, isLineTimeUp } from './call-limits.js';
import { isTooDeep } from './held.js';
import { guardNotes } from './guard-notes.js';
import type { LoopLimits } from './told.js';
import { endOpenAsks } from './end-ask.js';
import { sessionEvent, type BodyOf, type OpenedAsks } from './events.js';
import { evolve } from './evolve.js';
import { effectiveMode, sessionStarted } from './facts.js';
import { OPEN_ROUTE, routeOf } from './route.js';
import { withinRoots } from './scope.js';
import { boundedText } from './text.js';
import { outcomeOf, pendingOutcome, requestRecord, type RecordedCall } from './outcome.js';
import { initialState, STATE_LIMITS, type OpenAsk, type SessionState } from './state.js';
import { unreachable } from './unreachable.js';

/** The call key's row, or for a call that joins by hash the newest unfinished call with the same tool, arguments and place. */
export interface PriorCall {
  readonly callId: string;
  readonly tool: string;
  /** What `callHashOf` makes of it. */
  readonly callHash: string;
  readonly status: 'open' | 'decided';
  readonly askId: string | null;
  readonly outcome: CallOutcome;
}

/**
 * `state` null: the session is unknown and is opened first. `verdict` and `basis` come from the engine, judged on
 * `sessionFacts` (of `openedState` when unknown) with `effectiveMode`. `ancestors` root first. `asks`: what was stored of the
 * session's open asks, needed only to end them when this call's denial opens the breaker.
 */
export interface CallInput {
  readonly state: SessionState | null;
  readonly call: RecordedCall;
  readonly verdict: Verdict;
  readonly basis: Basis;
  readonly policy: PolicyDocument;
  readonly newAskId: string;
  readonly prior: PriorCall | null;
  readonly ancestors?: readonly SessionState[];
  readonly asks?: OpenedAsks;
  /** Active grants of the whole tenant, those with a count of uses only while some are left. */
  readonly tenantGrants?: readonly Grant[];
  /** An engaged kill switch that holds this call: nothing is allowed or asked, whatever the verdict says. */
  readonly killed?: boolean;
  /** The hooks that ran before the call was judged; each is recorded. */
  readonly hookRuns?: readonly HookRun[];
  /** The arguments that hooks put in place of the agent's own; the verdict must be of both. */
  readonly finalArgs?: CallArguments;
  /** What the model is told beside the answer. */
  readonly additionalContext?: string;
  /** By session of the line: how often it had been cancelled or stopped when the call's hooks were asked. Absent: none was asked. */
  readonly endsWhenSent?: ReadonlyMap<string, number>;
  /** The limits of the session's run; absent: nothing is said about them. */
  readonly limits?: LoopLimits;
}

/**
 * `joined`: the same call again; nothing is recorded. `decided`: append `events`, then tell the agent `outcome`. `unended`:
 * asks that the open breaker should have ended but whose stored bodies were not given: send the command `EndAsks` for them.
 */
export type CallResult =
  | { readonly kind: 'joined'; readonly outcome: CallOutcome }
  | {
      readonly kind: 'decided';
      readonly events: SessionEvent[];
      readonly outcome: CallOutcome;
      readonly unended: readonly string[];
    };

/** What has been recorded so far for this call, and the state that it makes. */
interface Draft {
  readonly state: SessionState;
  readonly events: readonly SessionEvent[];
}

/** Decides one call. Total; INVARIANT: an allow comes only from an allow verdict on a session that nothing holds. */
export function decideCall(input: CallInput): CallResult {
  const { state, call, prior } = input;
  if (state !== null && state.keyId !== call.keyId) {
    return refuse(input, withHookRuns(input, { state, events: [] }), 'auth.not_own_session');
  }
  if (state !== null && prior !== null) {
    if (prior.tool === call.tool && prior.callHash === callHashOf(call)) {
      return joinPrior(state, prior);
    }
    return refuse(input, withHookRuns(input, { state, events: [] }), 'call.id_reused');
  }
  if (input.ancestors?.some((one) => one.keyId !== call.keyId) === true) return refuseForeignParent(input);
  const barred = barredUnjudged(input);
  if (barred !== null) return refuse(input, withHookRuns(input, openedOnly(input)), barred);
  return judge(...withNotes(input, prepare(input)));
}

/** What bars a call that leaves its session as it is. */
function barredUnjudged(input: CallInput): Refusal | null {
  if (endedMeanwhile(input)) return 'guard.stopped';
  return isTooDeep(input.ancestors ?? []) ? 'session.too_deep' : null;
}

/** INVARIANT: a call that was sent before a stop or a cancel is not what opens the session again. */
function endedMeanwhile({ state, ancestors = [], endsWhenSent }: CallInput): boolean {
  if (endsWhenSent === undefined) return false;
  const line = state === null ? ancestors : [...ancestors, state];
  // What is cancelled still says so itself.
  if (line.some((one) => one.cancelled)) return false;
  return line.some(({ sessionId, ends }) => !(ends <= (endsWhenSent.get(sessionId) ?? ends)));
}

/** The session as it is, opened when there is none yet: what a refused call finds. */
function openedOnly({ state, call, policy, basis, ancestors = [] }: CallInput): Draft {
  const draft: Draft = { state: state ?? initialState(), events: [] };
  const terms = { childAsks: policy.childAsks, at: basis.facts.now };
  return state === null ? record(draft, sessionStarted(call, ancestors, terms)) : draft;
}

/** What guards have to say goes along with what hooks said. */
function withNotes(input: CallInput, draft: Draft): [CallInput, Draft] {
  const { texts, events } = guardNotes(draft.state, input.call.id, input.limits);
  if (texts.length === 0) return [input, draft];
  const before = input.additionalContext === undefined ? [] : [input.additionalContext];
  return [{ ...input, additionalContext: [...before, ...texts].join('\n\n') }, events.reduce(record, draft)];
}

/** The same call again. INVARIANT: a call that is held again takes its approval by waiting, so no one-time grant is left over. */
function joinPrior(state: SessionState, prior: PriorCall): CallResult {
  const { outcome, askId, callId } = prior;
  const ask = prior.status === 'open' ? state.openAsks.find((one) => one.askId === askId) : undefined;
  if (ask === undefined || ask.waiting.includes(callId)) return { kind: 'joined', outcome };
  return {
    kind: 'decided',
    events: [sessionEvent('AskHeld', { askId: ask.askId, callId })],
    outcome,
    unended: [],
  };
}

function judge(input: CallInput, draft: Draft): CallResult {
  const { verdict } = input;
  const held = holdOn(input, draft.state);
  switch (verdict.effect) {
    case 'allow':
      return held === null ? allow(input, draft) : refuse(input, draft, held);
    case 'ask':
      return held === null ? ask(input, draft) : refuse(input, draft, held);
    case 'deny':
      return deny(input, draft);
    default:
      return unreachable(verdict.effect, refuse(input, draft, 'internal.error'));
  }
}

function withHookRuns({ hookRuns = [] }: CallInput, draft: Draft): Draft {
  return hookRuns.map((run) => sessionEvent('HookRan', run)).reduce(record, draft);
}

/** Opens, reopens and moves the session as far as this call does so. */
function prepare(input: CallInput): Draft {
  const { call, policy, ancestors = [] } = input;
  let draft = openedOnly(input);
  if (draft.state.stopped) draft = record(draft, sessionEvent('SessionReopened', { by: call.keyId }));
  const mode = effectiveMode(draft.state, call, policy, ancestors);
  if (mode === call.mode && mode !== draft.state.mode && policy.agentModes.includes(mode)) {
    draft = record(draft, sessionEvent('SessionModeChanged', { mode, by: call.keyId }));
  }
  const { cwd, roots } = draft.state;
  if (call.cwd !== null && call.cwd !== cwd && withinRoots(call.cwd, roots)) {
    draft = record(draft, sessionEvent('SessionScopeChanged', { cwd: call.cwd, roots: [...roots], by: call.keyId }));
  }
  return withHookRuns(input, draft);
}

/** What holds the call whatever its verdict says. */
function holdOn({ killed, policy, basis, ancestors = [] }: CallInput, state: SessionState): Refusal | null {
  if (killed === true) return 'guard.killed';
  return heldBy(state) ?? (isLineTimeUp([...ancestors, state], policy, basis.facts.now) ? 'guard.deadline' : null);
}

/** A stale verdict never passes a stop: the session's own flags are looked at again. */
function heldBy(state: SessionState): 'guard.cancelled' | 'guard.breaker' | null {
  if (state.cancelled) return 'guard.cancelled';
  return state.breakerOpen ? 'guard.breaker' : null;
}

function allow(input: CallInput, draft: Draft): CallResult {
  const { call, verdict } = input;
  const used = draft.state.grants.filter(
    (grant) => grant.kind === 'once' && verdict.matches.some((match) => match.ruleId === `grant:${grant.id}`),
  );
  const consumed = used.reduce(
    (next, grant) => record(next, sessionEvent('GrantConsumed', { grantId: grant.id, callId: call.id })),
    draft,
  );
  return decide(input, countTenantUses(input, consumed), { effect: 'allow', stop: false, counted: false });
}

/** One use of each tenant-wide grant with a count that speaks for this call. */
function countTenantUses({ call, verdict, tenantGrants = [] }: CallInput, draft: Draft): Draft {
  return tenantGrants
    .filter((grant) => (grant.uses ?? null) !== null)
    .filter((grant) => verdict.matches.some((match) => match.ruleId === `grant:${grant.id}`))
    .map((grant) => sessionEvent('GrantConsumed', { grantId: grant.id, callId: call.id, tenantWide: true }))
    .reduce(record, draft);
}

function deny(input: CallInput, draft: Draft): CallResult {
  const { verdict, policy } = input;
  const held = heldBy(draft.state) !== null;
  const counted = !held && countsAsPolicyDenial(verdict, policy.breaker);
  const opens = counted && breakerReason(countedDenial(draft.state), policy.breaker) !== null;
  return decide(input, draft, { effect: 'deny', stop: held || opens || saysStop(verdict), counted });
}

/** Does anything that spoke against the call end the run, whatever it was that settled it? */
function saysStop({ ruleId, matches }: Verdict): boolean {
  return stopsRun(ruleId) || matches.some((match) => match.effect === 'deny' && stopsRun(match.ruleId));
}

function ask(input: CallInput, draft: Draft): CallResult {
  const { call, policy, verdict, basis } = input;
  const retried = draft.state.openAsks.find((one) => wasLetGo(one) && isSameCall(one, call));
  if (retried !== undefined) return join(input, draft, retried.askId);
  if (draft.state.openAsks.length >= STATE_LIMITS.openAsks) return refuse(input, draft, 'ask.too_many_open');
  const { now } = basis.facts;
  const before = deniedInLine([...(input.ancestors ?? []), draft.state], policy, {
    argsHash: call.args.hash,
    verdict,
    now,
    ...call,
  });
  if (before !== null) return refuseAgain(input, draft, before.reason);
  if ([...(input.ancestors ?? []), draft.state].some((one) => asksTooMuch(one, policy, now)))
    return refuse(input, draft, 'ask.too_many');
  const opened: BodyOf<'AskOpened'> = {
    askId: input.newAskId,
    request: requestRecord(call),
    verdict,
    basis,
    timeoutMs: policy.askTimeout.outcome === 'park' ? null : policy.askTimeout.after * 1_000,
    terms: {
      holdSeconds: holdSeconds(policy),
      passAsk: policy.passAsk,
      breaker: policy.breaker,
      ...routeTerms(input, draft.state),
      ...(policy.sessionSeconds === undefined ? {} : { sessionSeconds: policy.sessionSeconds }),
    },
    ...rewriteOf(input),
    ...contextOf(input),
  };
  const events = [...draft.events, sessionEvent('AskOpened', opened)];
  return { kind: 'decided', events, outcome: pendingOutcome(opened, policy), unended: [] };
}

/** A route that says nothing is not written down. */
function routeTerms({ policy, call, verdict }: CallInput, state: SessionState): { route?: AskRoute } {
  const { ruleId, risk } = verdict;
  const agents = [call.agent, ...(state.opening === null ? [] : [state.opening.agent])];
  const route = routeOf(policy.routes, { tool: call.tool, agents, ruleId, risk });
  return route === OPEN_ROUTE ? {} : { route };
}

/** The arguments that would run, where hooks rewrote them. */
function rewriteOf({ finalArgs }: CallInput): { finalArgs?: CallArguments } {
  return finalArgs === undefined ? {} : { finalArgs };
}

function contextOf({ additionalContext }: CallInput): { additionalContext?: string } {
  return additionalContext === undefined ? {} : { additionalContext };
}

/** Its own hook was answered "pending": whoever sends the same call under a new id is trying again. */
function wasLetGo({ waiting, callId }: OpenAsk): boolean {
  return !waiting.includes(callId);
}

function isSameCall(ask: OpenAsk, call: RecordedCall): boolean {
  return ask.agent === call.agent && ask.tool === call.tool && ask.callHash === callHashOf(call);
}

/** A parked ask waits without limit, but its hook is let go after the time-out. */
function holdSeconds(policy: PolicyDocument): number {
  const { askTimeout } = policy;
  return askTimeout.outcome === 'park' ? Math.min(policy.holdSeconds, askTimeout.after) : policy.holdSeconds;
}

function join(input: CallInput, draft: Draft, askId: string): CallResult {
  const { call, policy, verdict } = input;
  const waiters = draft.state.openAsks.find((one) => one.askId === askId)?.waiting.length ?? 0;
  if (waiters >= STATE_LIMITS.waiters) return refuse(input, draft, 'ask.too_many_open');
  const request = requestRecord(call);
  const pending = pendingOutcome({ askId, request, verdict, basis: input.basis, timeoutMs: null }, policy);
  const events = [...draft.events, sessionEvent('AskJoined', { askId, request })];
  return { kind: 'decided', events, outcome: { ...pending, holdSeconds: holdSeconds(policy) }, unended: [] };
}

type Refusal =
  | 'auth.not_own_session'
  | 'session.too_deep'
  | 'guard.stopped'
  | 'call.id_reused'
  | 'ask.too_many_open'
  | 'ask.too_many'
  | 'guard.deadline'
  | 'guard.cancelled'
  | 'guard.breaker'
  | 'guard.killed'
  | 'internal.error';

const REFUSALS: Readonly<Record<Refusal, string>> = {
  'auth.not_own_session': ERRORS['auth.not_own_session'].message,
  'session.too_deep': `more than ${MAX_SESSION_LINE} sessions stand in the line of this one: nothing runs this deep`,
  'guard.stopped': 'the session was stopped or cancelled after this call was sent',
  'call.id_reused': ERRORS['call.id_reused'].message,
  'ask.too_many_open': 'too many questions of this session wait for people already; try again when some are answered',
  'ask.too_many': 'this session asks too much; go on with what needs no person, and try again later',
  'guard.deadline': "the session's time is up",
  'guard.cancelled': 'the session was cancelled',
  'guard.breaker': 'the session was stopped after too many denials; a person must reset it',
  'guard.killed': 'a kill switch is engaged',
  'internal.error': ERRORS['internal.error'].message,
};

/** A recorded deny of our own, whatever the verdict says. It counts in no breaker: neither policy nor people refused. */
function refuse(input: CallInput, draft: Draft, ruleId: Refusal): CallResult {
  return decide(input, draft, {
    effect: 'deny',
    stop: stopsRun(ruleId),
    counted: false,
    ruleId,
    reason: REFUSALS[ruleId],
    layer: ruleId.startsWith('guard.') ? 'guard' : 'request',
  });
}

/** Nobody is asked again: the denial of before holds, and counts as that person's once more. */
function refuseAgain(input: CallInput, draft: Draft, reason: string): CallResult {
  const { breaker } = input.policy;
  const counted = breaker.counts.includes('person');
  const opens = counted && breakerReason(countedDenial(draft.state), breaker) !== null;
  return decide(input, draft, {
    effect: 'deny',
    stop: opens,
    counted,
    ruleId: 'ask.denied_before',
    reason: boundedText(`${reason} (this was asked before; do something else, or say what you need it for)`, 2_000),
    layer: 'ask',
  });
}

/** A parent that another key opened: the call's session stands alone, and the call is denied. */
function refuseForeignParent(input: CallInput): CallResult {
  const { call } = input;
  const alone = { ...call, opening: { ...call.opening, parentId: null } };
  const draft: Draft = { state: input.state ?? initialState(), events: [] };
  const opened = input.state === null ? record(draft, sessionStarted(alone, [], { at: input.basis.facts.now })) : draft;
  return refuse(input, withHookRuns(input, opened), 'auth.not_own_session');
}

type DecisionDraft = Pick<Decision, 'effect' | 'stop'> &
  Partial<Pick<Decision, 'ruleId' | 'reason' | 'layer'>> & { readonly counted: boolean };

function decide(input: CallInput, draft: Draft, made: DecisionDraft): CallResult {
  const { call, verdict, basis, policy, asks = {} } = input;
  const decided: BodyOf<'ToolCallDecided'> = {
    request: requestRecord(call),
    verdict,
    basis,
    decision: {
      approvalStatus: 'not_required',
      ruleId: verdict.ruleId,
      reason: verdict.reason,
      layer: verdict.layer,
      askId: null,
      answeredBy: null,
      updatedInput: made.effect === 'allow' ? updatedInputOf(input.finalArgs) : null,
      ...contextOf(input),
      ...made,
    },
    ...rewriteOf(input),
  };
  let next = record(draft, sessionEvent('ToolCallDecided', decided));
  const reason = made.counted ? breakerReason(next.state, policy.breaker) : null;
  if (reason !== null) next = record(next, breakerOpened(next.state, reason));
  const { events, unended } = next.state.breakerOpen
    ? endOpenAsks(next.state, asks, 'the session was stopped after too many denials')
    : { events: [], unended: [] };
  return { kind: 'decided', events: [...next.events, ...events], outcome: outcomeOf(decided), unended };
}

/** INVARIANT: only arguments that were judged are handed out in place of the agent's own. */
function updatedInputOf(finalArgs: CallArguments | undefined): string | null {
  return finalArgs?.state === 'ok' ? finalArgs.json : null;
}

function record(draft: Draft, event: SessionEvent): Draft {
  return { state: evolve(draft.state, event), events: [...draft.events, event] };
}
