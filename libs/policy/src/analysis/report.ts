/** Turns what a check found into a finding: names instead of places, and the witness with the engine's verdict. */
import type { Rule, Verdict } from '@countersign/contracts';
import { judgeOn, type Bench, type ListedRule } from './bench.js';
import type { Finding, FindingKind, Witness } from './finding.js';
import type { SampleCall } from './scene.js';

/** What a check says of a rule. `other` is the id under which something else was judged: a place, or a built-in's name. */
export interface Claim {
  readonly kind: FindingKind;
  readonly grade?: Finding['grade'];
  readonly witness: SampleCall | null;
  readonly other?: string;
  readonly explanation: string;
  readonly fix: string;
}

/** Makes the finding; the witness is judged by the whole policy. */
export function reportOn(bench: Bench, rule: ListedRule, claim: Claim): Finding {
  const other = claim.other === undefined ? undefined : bench.byPlace.get(claim.other);
  return {
    ...nameOf(rule.place, rule.rule),
    kind: claim.kind,
    grade: claim.grade ?? 'confirmed',
    otherRuleId: other?.rule.id ?? claim.other ?? null,
    otherPattern: other?.rule.pattern ?? null,
    witness: claim.witness === null ? null : witnessOf(bench, claim.witness, judgeOn(bench, claim.witness)),
    explanation: claim.explanation,
    fix: claim.fix,
  };
}

/** The part of a finding that names its rule. */
export function nameOf(place: string, rule: Rule): Pick<Finding, 'place' | 'ruleId' | 'effect' | 'pattern' | 'source'> {
  return { place, ruleId: rule.id, effect: rule.effect, pattern: rule.pattern, source: rule.source };
}

/** A judged call as a witness. */
export function witnessOf(bench: Bench, sample: SampleCall, verdict: Verdict): Witness {
  const decidedBy = bench.byPlace.get(verdict.ruleId)?.rule.id ?? verdict.ruleId;
  return { tool: sample.tool, args: sample.args, mode: verdict.mode, effect: verdict.effect, decidedBy };
}

/** What settled a verdict, in words: a rule with its pattern, or a built-in check. */
export function settlerOf(bench: Bench, verdict: Verdict): string {
  const rule = bench.byPlace.get(verdict.ruleId);
  return rule === undefined
    ? `the built-in \`${verdict.ruleId}\``
    : `the ${rule.rule.effect} rule \`${rule.rule.pattern}\` (${rule.place})`;
}
