/** The denial breaker of a session: whose denials count, and when they stop it. */
import type { BreakerLimits, SessionEvent, Verdict } from '@countersign/contracts';
import { sessionEvent } from './events.js';
import type { SessionState } from './state.js';

/** Guards that repeat what was decided about the whole session before. */
const HELD_GUARDS = ['guard.breaker', 'guard.cancelled', 'guard.stopped', 'guard.killed', 'guard.deadline'];

/** Denials that count nowhere: they repeat a stop that was decided before, or are nobody's judgement. */
const UNCOUNTED_GUARDS: ReadonlySet<string> = new Set([
  ...HELD_GUARDS,
  'internal.error',
  'overloaded',
  // What cannot be read is no matter of permission.
  'request.invalid_arguments',
]);

/** Guards after which the agent should end its run. */
const STOPPING_GUARDS: ReadonlySet<string> = new Set([
  'guard.breaker',
  'guard.cancelled',
  'guard.stopped',
  'guard.deadline',
]);

/** For asks that were stored without terms: the limits of a policy that says nothing. */
export const DEFAULT_BREAKER: BreakerLimits = { inARow: 3, total: 20, counts: ['policy', 'person'] };

/** Does this denial only repeat what holds the session? Then it counts in no guard. */
export function isHeldGuard(ruleId: string): boolean {
  return HELD_GUARDS.includes(ruleId);
}

/** Does the engine's own denial count towards the breaker? */
export function countsAsPolicyDenial(verdict: Verdict, limits: BreakerLimits): boolean {
  return limits.counts.includes('policy') && !UNCOUNTED_GUARDS.has(verdict.ruleId);
}

/** Should the agent end its run after this denial? */
export function stopsRun(ruleId: string): boolean {
  return STOPPING_GUARDS.has(ruleId);
}

/** One more counted denial. */
export function countedDenial(state: SessionState): SessionState {
  return { ...state, denialsInRow: state.denialsInRow + 1, denialsTotal: state.denialsTotal + 1 };
}

/** Why the breaker opens on this state, or null. INVARIANT: a limit that is no number opens it. */
export function breakerReason(state: SessionState, limits: BreakerLimits): string | null {
  if (state.breakerOpen) return null;
  if (!(state.denialsInRow < limits.inARow)) return `${state.denialsInRow} denials in a row`;
  if (!(state.denialsTotal < limits.total)) return `${state.denialsTotal} denials in all`;
  return null;
}

/** The event that opens the breaker. */
export function breakerOpened(state: SessionState, reason: string): SessionEvent {
  return sessionEvent('BreakerOpened', { reason, inARow: state.denialsInRow, total: state.denialsTotal });
}

/**
 * What a counted denial of a subagent's call adds to the stream of its root: the count, and the opening of the root's breaker
 * when its total is reached. Empty when the root's breaker is open already.
 */
export function childDenialEvents(
  root: SessionState,
  child: { sessionId: string; callId: string },
  limits: BreakerLimits,
): SessionEvent[] {
  if (root.breakerOpen) return [];
  const total = root.denialsTotal + 1;
  const counted = sessionEvent('ChildDenied', child);
  const reason = breakerReason({ ...root, denialsInRow: 0, denialsTotal: total }, limits);
  return reason === null ? [counted] : [counted, breakerOpened({ ...root, denialsTotal: total }, reason)];
}
