/** Denials that no policy makes: there is no usable policy, or the call broke something. */
import { policyDocumentSchema, type Mode, type PolicyDocument, type Verdict } from '@countersign/contracts';

/** The defaults of a policy, for the terms of a denial that no policy made. */
export const DEFAULT_POLICY: PolicyDocument = policyDocumentSchema.parse({});

/** A deny with one match and the highest risk. */
export function fixedDeny(ruleId: string, reason: string, mode: Mode): Verdict {
  const match = {
    layer: 'guard' as const,
    effect: 'deny' as const,
    ruleId,
    reason,
    source: null,
    pattern: null,
    subject: null,
    level: null,
  };
  return { effect: 'deny', ruleId, reason, layer: 'guard', risk: 'high', mode, matches: [match] };
}
