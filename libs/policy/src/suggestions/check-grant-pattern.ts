/** May a pattern that a person typed become a grant that answers this call for good? */
import type { Facts } from '@countersign/contracts';
import type { EngineCall } from '../engine/analysis.js';
import { openJudgement } from '../engine/judgement.js';
import { forTighteningRules } from '../engine/rule-matching.js';
import { compileRule } from '../rules/compiled-rule.js';
import { indexRules } from '../rules/rule-index.js';
import type { CompiledPolicy } from '../policy/compiled-policy.js';

/**
 * Null: it may. Otherwise one sentence that says why not: it is no allow rule, or says nothing of the call that was asked about.
 * The pattern itself stands in no sentence: it may hold a secret. INVARIANT: an answer to a question about one tool makes no grant for
 * another, which would be for an admin to make.
 */
export function grantPatternProblem(
  call: EngineCall,
  pattern: string,
  policy: CompiledPolicy,
  facts: Facts,
): string | null {
  const { tools, ruleSyntax, grantSource } = policy.preset;
  const rule = { id: 'grant', effect: 'allow', pattern, source: grantSource, reason: '', order: 0 } as const;
  const result = compileRule({ ...rule, match: [], notMatch: [] }, tools, ruleSyntax);
  if (!result.ok) return result.message.replaceAll(`\`${pattern}\``, '`…`');
  let speaks = false;
  forTighteningRules(openJudgement(call, policy, facts), indexRules([result.compiled]), () => {
    speaks = true;
  });
  return speaks ? null : 'the pattern says nothing of the call that was asked about';
}
