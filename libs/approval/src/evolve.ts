/** What each event does to the state of its session. Replaying a stream gives the state again, always. */
import { callHashOf, type SessionEvent } from '@countersign/contracts';
import type { BodyOf } from './events.js';
import { countedDenial, isHeldGuard } from './breaker.js';
import { askedSubjects } from './call-limits.js';
import { childAsked, childRefused, evolveRun, nextTurn, questionPut, rememberDenial, resultCame } from './run-state.js';
import { initialState, inOneForm, STATE_LIMITS, type OpenAsk, type SessionState } from './state.js';
import { unreachable } from './unreachable.js';

/** The state after one more event. Total: an event that does not fit (an unknown ask, a second start) changes nothing it should not. */
export function evolve(state: SessionState, event: SessionEvent): SessionState {
  return inOneForm(changed(state, event));
}

function changed(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'AskOpened':
    case 'AskParked':
    case 'AskHeld':
    case 'AskJoined':
    case 'AskNotified':
    case 'NotifyFailed':
    case 'AskAnswered':
    case 'AskAnswerRefused':
    case 'AskResolved':
      return evolveAsk(state, event);
    case 'ToolCallDecided':
      return decided(state, event.body);
    case 'ToolResultReported':
      return reported(state, event.body);
    case 'PermitRedeemed':
      return takenUp(state, event.body);
    case 'GrantCreated':
    case 'GrantConsumed':
    case 'GrantRevoked':
      return evolveGrants(state, event);
    case 'BreakerOpened':
    case 'BreakerReset':
    case 'ChildDenied':
      return evolveBreaker(state, event);
    case 'ChildAsked':
      return childAsked(state, event.body);
    case 'ChildRefused':
      return childRefused(state, event.body);
    case 'HookRan':
    case 'AgentReported':
      return state;
    case 'StepReported':
    case 'UsageReported':
    case 'PromptSubmitted':
    case 'CompactionReported':
    case 'ResultsHandedOver':
    case 'BatchPlanned':
    case 'SiblingsStopped':
      return evolveRun(state, event);
    default:
      return evolveSession(state, event);
  }
}

/** The state that a stream amounts to. */
export function replay(events: readonly SessionEvent[]): SessionState {
  return events.reduce(evolve, initialState());
}

/** What tells identical calls apart from others: the tool and the hash of the arguments. */
export function callFingerprint(tool: string, argsHash: string): string {
  return `${tool} ${argsHash}`;
}

/** What tells the same report again from a different one. Older events carry no hash of the whole report. */
export function resultFingerprint(result: Omit<BodyOf<'ToolResultReported'>, 'callId' | 'tool' | 'elapsedMs'>): string {
  if (result.reportHash !== undefined) return result.reportHash;
  const text = result.outputHash ?? result.preview.slice(0, 80);
  return `${result.status} ${text} ${(result.error ?? '').slice(0, 80)}`;
}

type AskEvent = Extract<
  SessionEvent,
  {
    type:
      | 'AskOpened'
      | 'AskNotified'
      | 'NotifyFailed'
      | 'AskParked'
      | 'AskHeld'
      | 'AskJoined'
      | 'AskAnswered'
      | 'AskAnswerRefused'
      | 'AskResolved';
  }
>;
type GrantEvent = Extract<SessionEvent, { type: 'GrantCreated' | 'GrantConsumed' | 'GrantRevoked' }>;
type BreakerEvent = Extract<SessionEvent, { type: 'BreakerOpened' | 'BreakerReset' | 'ChildDenied' }>;
type LifeEvent = Extract<
  SessionEvent,
  {
    type:
      | 'SessionStarted'
      | 'SessionReopened'
      | 'SessionModeChanged'
      | 'SessionRulesChanged'
      | 'SessionScopeChanged'
      | 'SessionLimitsChanged'
      | 'SessionCancelled'
      | 'SessionStopped';
  }
>;

function evolveSession(state: SessionState, event: LifeEvent): SessionState {
  switch (event.type) {
    case 'SessionStarted':
      return started(state, event.body);
    case 'SessionReopened':
      return { ...state, stopped: false };
    case 'SessionModeChanged':
      return changedMode(state, event.body);
    case 'SessionScopeChanged':
      return { ...state, cwd: event.body.cwd, roots: event.body.roots };
    case 'SessionLimitsChanged':
      return { ...state, silent: event.body.silent, tools: event.body.tools };
    case 'SessionRulesChanged':
      return changedRules(state, event.body);
    case 'SessionCancelled':
      return { ...state, cancelled: true, ends: state.ends + 1 };
    case 'SessionStopped':
      return nextTurn({ ...state, stopped: true, cancelled: false, ends: state.ends + 1 });
    default:
      return unreachable(event, state);
  }
}

function started(
  state: SessionState,
  { sessionId, keyId, opening, rootId, at }: BodyOf<'SessionStarted'>,
): SessionState {
  // INVARIANT: a second start loosens nothing; only a stopped session goes on.
  if (state.opening !== null) return { ...state, stopped: false };
  return {
    ...initialState(),
    sessionId: sessionId ?? rootId,
    keyId,
    rootId,
    parentId: opening.parentId,
    opening,
    mode: opening.mode,
    cwd: opening.cwd,
    roots: opening.roots,
    silent: opening.silent,
    tools: opening.tools,
    startedAt: at ?? null,
  };
}

function changedMode(state: SessionState, { mode, byPerson }: BodyOf<'SessionModeChanged'>): SessionState {
  return { ...state, mode, modeFloor: byPerson === true ? mode : state.modeFloor };
}

function changedRules(state: SessionState, body: BodyOf<'SessionRulesChanged'>): SessionState {
  const gone = new Set([...body.removed, ...body.added.map((rule) => rule.id)]);
  return { ...state, rules: [...state.rules.filter((rule) => !gone.has(rule.id)), ...body.added] };
}

function evolveAsk(state: SessionState, event: AskEvent): SessionState {
  switch (event.type) {
    case 'AskOpened':
      return opened(state, event.body);
    case 'AskJoined': {
      const { askId, request } = event.body;
      return withAsk(state, askId, (ask) => held(ask, request.callId));
    }
    case 'AskHeld':
      return withAsk(state, event.body.askId, (ask) => held(ask, event.body.callId));
    case 'AskParked': {
      const { askId, callId } = event.body;
      return withAsk(state, askId, (ask) => released(ask, callId));
    }
    case 'AskResolved':
      return resolved(state, event.body);
    case 'AskNotified':
    case 'NotifyFailed':
    case 'AskAnswered':
    case 'AskAnswerRefused':
      return state;
    default:
      return unreachable(event, state);
  }
}

function resolved(state: SessionState, body: BodyOf<'AskResolved'>): SessionState {
  const ask = state.openAsks.find((one) => one.askId === body.askId);
  if (ask === undefined) return state;
  const openAsks = state.openAsks.filter((one) => one !== ask);
  return rememberDenial({ ...state, openAsks }, ask, body);
}

function opened(state: SessionState, body: BodyOf<'AskOpened'>): SessionState {
  const { askId, request, terms, verdict, basis } = body;
  const ask: OpenAsk = {
    askId,
    callId: request.callId,
    agent: request.agent,
    tool: request.tool,
    argsHash: request.args.hash,
    callHash: callHashOf(request),
    subjects: askedSubjects(verdict),
    waiting: [request.callId],
    parked: false,
    passAsk: terms?.passAsk ?? false,
  };
  const next = questionPut({ ...state, openAsks: [...state.openAsks, ask] }, basis.facts.now);
  return ranCall(next, request.tool, request.args.hash);
}

function held(ask: OpenAsk, callId: string): OpenAsk {
  const waiting = ask.waiting.includes(callId) ? ask.waiting : [...ask.waiting, callId];
  return { ...ask, waiting, parked: false };
}

function released(ask: OpenAsk, callId: string): OpenAsk {
  const waiting = ask.waiting.filter((id) => id !== callId);
  return { ...ask, waiting, parked: waiting.length === 0 };
}

function withAsk(state: SessionState, askId: string, change: (ask: OpenAsk) => OpenAsk): SessionState {
  return { ...state, openAsks: state.openAsks.map((ask) => (ask.askId === askId ? change(ask) : ask)) };
}

function decided(state: SessionState, { request, decision }: BodyOf<'ToolCallDecided'>): SessionState {
  // The end of an ask is not a new call: it was counted in the run of identical calls when it asked.
  // Nor is a refusal that only repeats what holds the session.
  const isNew = decision.askId === null && !isHeldGuard(decision.ruleId);
  const next = isNew ? ranCall(state, request.tool, request.args.hash) : state;
  const { counts } = next;
  if (decision.effect === 'allow') {
    return { ...next, denialsInRow: 0, counts: { ...counts, allowed: counts.allowed + 1 } };
  }
  const denied = { ...next, counts: { ...counts, denied: counts.denied + 1 } };
  return decision.counted === true ? countedDenial(denied) : denied;
}

function ranCall(state: SessionState, tool: string, argsHash: string): SessionState {
  const fingerprint = callFingerprint(tool, argsHash);
  const run = state.lastCall?.fingerprint === fingerprint ? state.lastCall.run + 1 : 1;
  return { ...state, lastCall: { fingerprint, run } };
}

function reported(state: SessionState, body: BodyOf<'ToolResultReported'>): SessionState {
  const report = { callId: body.callId, fingerprint: resultFingerprint(body) };
  const running = state.running.filter((call) => call.callId !== body.callId);
  return { ...resultCame(state, body), running, reports: [...state.reports, report].slice(-STATE_LIMITS.reports) };
}

function takenUp(state: SessionState, { callId, permitId }: BodyOf<'PermitRedeemed'>): SessionState {
  return { ...state, running: [...state.running, { callId, permitId }].slice(-STATE_LIMITS.running) };
}

function evolveGrants(state: SessionState, event: GrantEvent): SessionState {
  switch (event.type) {
    case 'GrantCreated':
      return { ...state, grants: [...state.grants, event.body.grant].slice(-STATE_LIMITS.grants) };
    case 'GrantConsumed':
    case 'GrantRevoked':
      return { ...state, grants: state.grants.filter((grant) => grant.id !== event.body.grantId) };
    default:
      return unreachable(event, state);
  }
}

function evolveBreaker(state: SessionState, event: BreakerEvent): SessionState {
  switch (event.type) {
    case 'BreakerOpened':
      return { ...state, breakerOpen: true };
    case 'BreakerReset':
      return { ...state, breakerOpen: false, denialsInRow: 0, denialsTotal: 0 };
    case 'ChildDenied':
      return { ...state, denialsTotal: state.denialsTotal + 1 };
    default:
      return unreachable(event, state);
  }
}
