/** Whether a call that was allowed would be denied by now: rules, limits and policies may have become stricter since. */
import { factsNow, type SessionState } from '@countersign/approval';
import type { SessionEvent } from '@countersign/contracts';
import { evaluateRecorded } from '@countersign/policy';
import type { SessionPolicy } from '../sessions/session-policies.js';

type DecidedBody = Extract<SessionEvent, { type: 'ToolCallDecided' }>['body'];

/**
 * The reason; null: it would not be. `line`: states from the root down to the call's session. The grants of then count, for they only
 * let through. A call whose stored form lacks its secrets is not judged: it is not the call that was allowed.
 */
export function deniedSince(
  decided: Pick<DecidedBody, 'request' | 'basis' | 'finalArgs'>,
  { compiled, document }: Pick<SessionPolicy, 'compiled' | 'document'>,
  { line, now }: { readonly line: readonly SessionState[]; readonly now: string },
): string | null {
  if (decided.request.redaction !== undefined) return null;
  const { grants } = decided.basis.facts.session;
  const facts = factsNow(decided, { line, now, policy: document, grants });
  const { effect, reason } = evaluateRecorded(decided, compiled, facts);
  return effect === 'deny' ? `the call would be denied by now: ${reason}` : null;
}
