/** Whether a call that was allowed would be denied by now: rules, limits and policies may have become stricter since. */
import { factsNow, type SessionState } from '@countersign/approval';
import type { CallArguments, SessionEvent } from '@countersign/contracts';
import { evaluate, evaluateRewritten, type EngineCall } from '@countersign/policy';
import type { SessionPolicy } from '../sessions/session-policies.js';

type DecidedBody = Extract<SessionEvent, { type: 'ToolCallDecided' }>['body'];

/**
 * The reason; null: it would not be. `line`: states from the root down to the call's session. The grants of then count, for they only
 * let through. A call whose stored form lacks its secrets is not judged: it is not the call that was allowed.
 */
export function deniedSince(
  { request, basis, finalArgs }: DecidedBody,
  { compiled, document }: Pick<SessionPolicy, 'compiled' | 'document'>,
  { line, now }: { readonly line: readonly SessionState[]; readonly now: string },
): string | null {
  if (request.redaction !== undefined) return null;
  const { grants } = basis.facts.session;
  const facts = factsNow({ basis, request }, { line, now, policy: document, grants });
  const original = engineCallOf(request, request.args);
  const { effect, reason } =
    finalArgs === undefined
      ? evaluate(original, compiled, facts)
      : evaluateRewritten({ original, final: engineCallOf(request, finalArgs) }, compiled, facts);
  return effect === 'deny' ? `the call would be denied by now: ${reason}` : null;
}

function engineCallOf({ tool, cwd, placeHash }: DecidedBody['request'], args: CallArguments): EngineCall {
  // The mode that counts stands in the facts.
  const base = { tool, cwd, argsHash: args.hash, placeHash, reportedMode: null };
  if (args.state === 'invalid') return { ...base, args: undefined, problem: args.problem };
  return { ...base, args: JSON.parse(args.json) as unknown, problem: null };
}
