/** The short form of the analysis that is shown when a policy is saved: which rules can never take effect, why, and what to do. */
import type { PolicyDocument, Rule } from '@countersign/contracts';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { analysePolicy } from './analyse-policy.js';
import type { PolicyContext } from './scene.js';

/** A rule that others make unreachable. `shadowedBy` is the id of a rule or of a built-in check. */
export interface ShadowedRule {
  readonly ruleId: string;
  readonly pattern: string;
  readonly source: Rule['source'] | null;
  readonly shadowedBy: string;
  readonly reason: string;
  readonly suggestedFix: string;
}

/** Rules whose effect never shows because a stronger or earlier one settles every call that they match. */
export function detectShadowedRules(
  policy: PolicyDocument | CompiledPolicy,
  context: PolicyContext = {},
): ShadowedRule[] {
  return analysePolicy(policy, context)
    .filter((finding) => finding.kind === 'shadowed')
    .map((finding) => ({
      ruleId: finding.ruleId,
      pattern: finding.pattern,
      source: finding.source,
      shadowedBy: finding.otherRuleId ?? '',
      reason: finding.explanation,
      suggestedFix: finding.fix,
    }));
}
