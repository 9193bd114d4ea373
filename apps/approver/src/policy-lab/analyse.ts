/** Which rules of a policy can never take effect, what makes them so, and what else its analysis finds. */
import type { Effect, PolicyDocument, RuleInput } from '@countersign/contracts';
import { analyseWithin, type CompiledPolicy, type Finding } from '@countersign/policy';

/** A rule that others make unreachable. `by` is the pattern of that rule, or the name of a built-in check; `kind` its effect. */
export interface ShadowedRuleView {
  readonly rule: string;
  readonly by: string;
  readonly kind: Effect | 'built-in';
  readonly reason: string;
  readonly fix: string;
}

export interface AnalysisView {
  readonly shadowed: readonly ShadowedRuleView[];
  readonly findings: readonly Finding[];
  /** False: time ran out, and some rules were not looked at. */
  readonly complete: boolean;
}

/** `isOver` is asked before each rule. */
export function analysisOf(policy: CompiledPolicy, isOver: () => boolean): AnalysisView {
  const { findings, complete } = analyseWithin(policy, {}, isOver);
  const shadowed = findings
    .filter(({ kind }) => kind === 'shadowed')
    .map(({ pattern, otherRuleId, explanation, fix }) => ({
      rule: pattern,
      ...nameOf(otherRuleId ?? '', policy.document),
      reason: explanation,
      fix,
    }));
  return { shadowed, findings, complete };
}

function nameOf(ruleId: string, document: PolicyDocument): { by: string; kind: Effect | 'built-in' } {
  for (const effect of ['deny', 'ask', 'allow'] as const) {
    const found = document[effect].find((input) => idOf(input, effect) === ruleId);
    if (found !== undefined) return { by: typeof found === 'string' ? found : found.rule, kind: effect };
  }
  return { by: ruleId, kind: 'built-in' };
}

/** A rule without an id of its own is known by its effect and its text. */
function idOf(input: RuleInput, effect: Effect): string {
  if (typeof input === 'string') return `${effect}:${input}`;
  return input.id ?? `${effect}:${input.rule}`;
}
