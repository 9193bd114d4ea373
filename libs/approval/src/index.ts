/** The life of a call and of a session: commands and verdicts in, events out, and the state that the events make. */
export {
  initialState,
  STATE_LIMITS,
  type LastCall,
  type OpenAsk,
  type ReportedResult,
  type RunningCall,
  type SessionState,
} from './state.js';
export { callFingerprint, evolve, replay, resultFingerprint } from './evolve.js';
export { sessionEvent, type BodyOf, type OpenedAsk, type OpenedAsks, type SessionEventType } from './events.js';
export {
  effectiveMode,
  inheritedOpening,
  openedState,
  progressOf,
  sessionFacts,
  sessionStarted,
  type StartTerms,
} from './facts.js';
export { mcpChecks } from './mcp-identity.js';
export { mayCompact, toldOf, type LoopLimits, type RunNotices } from './told.js';
export { modeAfter, siblingsOf } from './change-limits.js';
export type { CallCounts, RefusedCall, RunState } from './run-state.js';
export { childDenialEvents } from './breaker.js';
export { childAskEvents, childRefusalEvents } from './told-root.js';
export { factsNow, type JudgedCall, type Present } from './facts-now.js';
export { holdsKey, outcomeOf, pendingOutcome, requestRecord, type RecordedCall } from './outcome.js';
export { decideCall, type CallInput, type CallResult, type PriorCall } from './decide-call.js';
export {
  asksEndedBy,
  type AnswerAsk,
  type ProgressCommand,
  type CommandContext,
  type EditedInput,
  type CommandResult,
  type RedeemPermit,
  type ReportResult,
  type SessionCommand,
  type StoredCall,
} from './command.js';
export { decideCommand } from './decide-command.js';
export { agreesWith, PARKED_GRANT_MS } from './answer-ask.js';
export {
  decideTenantCommand,
  grantsWithin,
  evolveTenant,
  initialTenantState,
  killHolding,
  TENANT_LIMITS,
  type KillTarget,
  type TenantCommand,
  type TenantCommandResult,
  type TenantContext,
  type TenantState,
} from './tenant-state.js';
export { isApprovableOn, mayAnswer, OPEN_ROUTE, routeOf, type Membership, type RoutedAsk } from './route.js';
export { isTooDeep, runBarredBy, type Holder, type RunTerms } from './held.js';
export { isTightening } from './tightening.js';
export { askCard, type AskCard, type CardLimits, type CardSection, type SectionKind } from './card/ask-card.js';
export { fitText, type FittedText } from './card/fit.js';
export { plain } from './card/shown-arguments.js';
