/** The life of a call and of a session: commands and verdicts in, events out, and the state that the events make. */
export {
  initialState,
  STATE_LIMITS,
  type LastCall,
  type OpenAsk,
  type ReportedResult,
  type SessionState,
} from './state.js';
export { callFingerprint, evolve, replay, resultFingerprint } from './evolve.js';
export { sessionEvent, type BodyOf, type OpenedAsk, type OpenedAsks, type SessionEventType } from './events.js';
export { effectiveMode, inheritedOpening, openedState, sessionFacts, sessionStarted } from './facts.js';
export { childDenialEvents } from './breaker.js';
export { holdsKey, outcomeOf, pendingOutcome, requestRecord } from './outcome.js';
export { decideCall, type CallInput, type CallResult, type PriorCall } from './decide-call.js';
export {
  asksEndedBy,
  type AnswerAsk,
  type CommandContext,
  type CommandResult,
  type ReportResult,
  type SessionCommand,
} from './command.js';
export { decideCommand } from './decide-command.js';
export { PARKED_GRANT_MS } from './answer-ask.js';
export { isTightening } from './tightening.js';
