/** What holds a session: a cancel, a stop or an open breaker, its own or that of a session above it; and the time that it may take. */
import { MAX_SESSION_LINE, type PolicyDocument } from '@countersign/contracts';
import { isTimeUp } from './call-limits.js';
import { endsOf } from './facts.js';
import type { SessionState } from './state.js';

/** Why nothing of a session may run: a word for programs, and a sentence. */
export interface Holder {
  readonly reason: 'cancelled' | 'stopped' | 'breaker' | 'deadline' | 'too_deep' | 'ended_since';
  readonly message: string;
}

/** Do more sessions stand above than are ever looked at? `ancestors` may then lack those at the top. */
export function isTooDeep(ancestors: readonly unknown[]): boolean {
  return !(ancestors.length < MAX_SESSION_LINE);
}

/**
 * Which session of the line (ancestors root first) holds this one; null: none does. INVARIANT: where the line is longer than one
 * may be, what stands above its first session was not looked at, so everything is held.
 */
export function holderOf(state: SessionState, ancestors: readonly SessionState[]): Holder | null {
  if (isTooDeep(ancestors)) {
    return { reason: 'too_deep', message: `more than ${MAX_SESSION_LINE} sessions stand in the line of this one` };
  }
  const holder = [...ancestors, state].find((one) => one.cancelled || one.stopped || one.breakerOpen);
  if (holder === undefined) return null;
  const session = `session \`${holder.sessionId}\``;
  if (holder.cancelled) return { reason: 'cancelled', message: `${session} was cancelled` };
  if (holder.stopped) return { reason: 'stopped', message: `${session} was stopped` };
  return { reason: 'breaker', message: `${session} was stopped after too many denials` };
}

/**
 * What keeps a call that was allowed before from being taken up now; null: nothing. `now`: ISO-8601 UTC, the database's clock.
 * INVARIANT: what bars a permit from being redeemed bars it from being made.
 */
export function runBarredBy(
  state: SessionState,
  ancestors: readonly SessionState[],
  { sessionSeconds, endsWhenAllowed, now }: RunTerms,
): Holder | null {
  const held = holderOf(state, ancestors);
  if (held !== null) return held;
  if (!(endsOf([...ancestors, state]) <= endsWhenAllowed)) {
    return {
      reason: 'ended_since',
      message: 'the session, or one above it, was cancelled or stopped since the call was allowed',
    };
  }
  const limit = sessionSeconds === undefined ? {} : { sessionSeconds };
  const over = [...ancestors, state].find((one) => isTimeUp(one, limit, now));
  if (over === undefined) return null;
  return { reason: 'deadline', message: `the time of session \`${over.sessionId}\` is up` };
}

/**
 * How long the session may take by its policy, in seconds (absent: as long as it wants), the time, and how often the line had been
 * cancelled or stopped when the call was allowed.
 */
export interface RunTerms {
  readonly endsWhenAllowed: number;
  readonly sessionSeconds?: PolicyDocument['sessionSeconds'];
  readonly now: string;
}
