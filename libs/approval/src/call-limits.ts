/** What keeps a call from being let through or asked about, whatever the engine says: time, denials of before, too many questions. */
import type { PolicyDocument, Verdict } from '@countersign/contracts';
import type { RefusedCall } from './run-state.js';
import type { SessionState } from './state.js';

/** INVARIANT: a time that cannot be read counts as over. */
function isOlder(at: string, now: string, seconds: number): boolean {
  return !(Date.parse(now) - Date.parse(at) <= seconds * 1_000);
}

/** Is the session's time up? `now`: ISO-8601 UTC in the database's clock. A session of before times were kept has no limit. */
export function isTimeUp(state: SessionState, policy: Pick<PolicyDocument, 'sessionSeconds'>, now: string): boolean {
  if (policy.sessionSeconds === undefined || state.startedAt === null) return false;
  return isOlder(state.startedAt, now, policy.sessionSeconds);
}

/** The parts of a call that were asked about, each once; empty: the call as a whole. */
export function askedSubjects(verdict: Verdict): string[] {
  const subjects = verdict.matches.filter(({ effect }) => effect === 'ask').map(({ subject }) => subject);
  return [...new Set(subjects.filter((subject) => subject !== null))].sort();
}

/** Is the time up of any session of the line? What bounds a session bounds those below it. */
export function isLineTimeUp(
  line: readonly SessionState[],
  policy: Pick<PolicyDocument, 'sessionSeconds'>,
  now: string,
): boolean {
  return line.some((one) => isTimeUp(one, policy, now));
}

interface AskedCall {
  readonly tool: string;
  readonly argsHash: string;
  readonly verdict: Verdict;
  readonly now: string;
}

/**
 * The denial by a person, not longer ago than the policy says, that answers this question too: of the same call, or of parts that
 * all stand in this one again, however it is put.
 */
export function deniedBefore(
  state: SessionState,
  policy: Pick<PolicyDocument, 'denialMemorySeconds'>,
  { tool, argsHash, verdict, now }: AskedCall,
): RefusedCall | null {
  if (policy.denialMemorySeconds === 0 || state.refused.length === 0) return null;
  const subjects = new Set(askedSubjects(verdict));
  const found = state.refused.find(
    (one) =>
      one.tool === tool &&
      !isOlder(one.at, now, policy.denialMemorySeconds) &&
      (one.argsHash === argsHash || (one.subjects.length > 0 && one.subjects.every((part) => subjects.has(part)))),
  );
  return found ?? null;
}

/** The same of the session or of one above it: what a person denied there is not asked again below. */
export function deniedInLine(
  line: readonly SessionState[],
  policy: Pick<PolicyDocument, 'denialMemorySeconds'>,
  asked: AskedCall,
): RefusedCall | null {
  for (const one of line) {
    const found = deniedBefore(one, policy, asked);
    if (found !== null) return found;
  }
  return null;
}

/** Has the session, with those below a root, put as many questions as it may? INVARIANT: a cap that is no number is reached. */
export function asksTooMuch(state: SessionState, { askCaps }: Pick<PolicyDocument, 'askCaps'>, now: string): boolean {
  const inMinute = state.askRate?.minute === now.slice(0, 16) ? state.askRate.count : 0;
  return !(state.counts.asked + state.askedBelow < askCaps.perSession) || !(inMinute < askCaps.perMinute);
}
