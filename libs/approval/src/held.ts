/** What holds a session: a cancel, a stop or an open breaker, its own or that of a session above it; and the time that it may take. */
import type { PolicyDocument } from '@countersign/contracts';
import { isTimeUp } from './call-limits.js';
import type { SessionState } from './state.js';

/** Why nothing of a session may run: a word for programs, and a sentence. */
export interface Holder {
  readonly reason: 'cancelled' | 'stopped' | 'breaker' | 'deadline';
  readonly message: string;
}

/** Which session of the line (ancestors root first) holds this one; null: none does. */
export function holderOf(state: SessionState, ancestors: readonly SessionState[]): Holder | null {
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
  { sessionSeconds, now }: RunTerms,
): Holder | null {
  const held = holderOf(state, ancestors);
  if (held !== null) return held;
  const limit = sessionSeconds === undefined ? {} : { sessionSeconds };
  if (!isTimeUp(state, limit, now)) return null;
  return { reason: 'deadline', message: `the time of session \`${state.sessionId}\` is up` };
}

/** How long the session may take by its policy, in seconds (absent: as long as it wants), and the time. */
export interface RunTerms {
  readonly sessionSeconds?: PolicyDocument['sessionSeconds'];
  readonly now: string;
}
