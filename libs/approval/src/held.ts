/** What holds a session: a cancel, a stop or an open breaker, its own or that of a session above it. */
import type { SessionState } from './state.js';

/** Which session of the line (ancestors root first) holds this one, in words; null: none does. */
export function holderAbove(state: SessionState, ancestors: readonly SessionState[]): string | null {
  const holder = [...ancestors, state].find((one) => one.cancelled || one.stopped || one.breakerOpen);
  if (holder === undefined) return null;
  if (holder.cancelled) return `session \`${holder.sessionId}\` was cancelled`;
  return `session \`${holder.sessionId}\` was stopped`;
}
