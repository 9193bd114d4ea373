/** The policy under analysis, taken apart into rules that can be left out one by one and judged by the one engine. */
import { EFFECTS, type Effect, type Mode, type PolicyDocument, type Rule, type Verdict } from '@countersign/contracts';
import { compilePolicy, completeRule } from '../policy/compile.js';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import type { PolicyProblem } from '../policy/parse-document.js';
import type { PresetData } from '../policy/preset.js';
import { compileRule, type CompiledRule } from '../rules/compiled-rule.js';
import { freshWords } from './fresh-words.js';
import { distinctModes, judgeSample, type SampleCall, type Scene } from './scene.js';
import { specimensOf, type SpecimenMaker } from './specimens.js';

/** One rule. `place` is its path in the document and its id while it is judged, since ids of a document may repeat. */
export interface ListedRule {
  readonly place: string;
  readonly rule: Rule;
  readonly compiled: CompiledRule;
}

/** A rule that does not compile. `listed` as the document has it. */
export interface RefusedRule {
  readonly place: string;
  readonly rule: Rule;
  readonly message: string;
}

/** The bench: all of the policy's sound rules in the order of the document. */
export interface Bench {
  readonly document: PolicyDocument;
  readonly policy: CompiledPolicy;
  readonly rules: readonly ListedRule[];
  readonly byPlace: ReadonlyMap<string, ListedRule>;
  readonly scene: Scene;
  readonly maker: SpecimenMaker;
  /** The document's mode first. */
  readonly modes: readonly Mode[];
}

export type BenchResult = { readonly refused: readonly RefusedRule[] } & (
  { readonly ok: true; readonly bench: Bench } | { readonly ok: false; readonly problems: readonly PolicyProblem[] }
);

/** Sets a policy up. Rules that do not compile are put aside; not ok when the rest does not compile either. */
export function setUpBench(document: PolicyDocument, scene: Scene): BenchResult {
  const empty = compilePolicy({ ...document, deny: [], ask: [], allow: [] });
  if (!empty.ok) return { ok: false, problems: empty.problems, refused: [] };
  const { preset } = empty.policy;
  const { rules, refused } = listRules(document, preset);
  const compiled = compilePolicy(documentOf(document, rules));
  if (!compiled.ok) return { ok: false, problems: compiled.problems, refused };
  const fresh = freshWords([...rules.map((one) => one.rule.pattern), ...scene.roots, scene.cwd, scene.home ?? '']);
  const bench: Bench = {
    document,
    policy: compiled.policy,
    rules,
    byPlace: new Map(rules.map((one) => [one.place, one])),
    scene,
    maker: { scene, fresh, tools: preset.tools },
    // A mode in which only rules allow needs every rule, so it says something only of policies that are meant for it.
    modes: [
      ...new Set([document.mode, ...distinctModes(preset).filter((mode) => preset.modes[mode].asksReaders !== true)]),
    ],
  };
  return { ok: true, bench, refused };
}

/** The document's rules, compiled one by one; those that do not compile apart. */
export function listRules(
  document: PolicyDocument,
  preset: PresetData,
): { readonly rules: ListedRule[]; readonly refused: RefusedRule[] } {
  const rules: ListedRule[] = [];
  const refused: RefusedRule[] = [];
  for (const effect of EFFECTS) {
    document[effect].forEach((input, number) => {
      const rule = completeRule(input, effect, number, preset.defaultSource);
      const place = `${effect}.${String(number)}`;
      const result = compileRule(rule, preset.tools, preset.ruleSyntax);
      if (result.ok) rules.push({ place, rule, compiled: result.compiled });
      else refused.push({ place, rule, message: result.message });
    });
  }
  return { rules, refused };
}

function documentOf(document: PolicyDocument, rules: readonly ListedRule[]): PolicyDocument {
  const lists: Record<Effect, PolicyDocument['deny']> = { deny: [], ask: [], allow: [] };
  for (const { place, rule } of rules) {
    const { pattern, source, reason, order } = rule;
    lists[rule.effect].push({ rule: pattern, id: place, source, reason, order });
  }
  return { ...document, ...lists };
}

/** The same policy with only the rules that the test keeps. */
export function policyKeeping(bench: Bench, keeps: (rule: ListedRule) => boolean): CompiledPolicy {
  const compiled = compilePolicy(documentOf(bench.document, bench.rules.filter(keeps)));
  if (!compiled.ok) throw new Error('INVARIANT: a part of a policy that compiles does compile');
  return compiled.policy;
}

/** The policy's verdict of a sample, in the document's mode unless another is named. */
export function judgeOn(bench: Bench, sample: SampleCall, policy = bench.policy, mode = bench.document.mode): Verdict {
  return judgeSample(bench.scene, policy, sample, mode);
}

/** True when the rule itself is among the matches. */
export function speaksIn(verdict: Verdict, rule: ListedRule): boolean {
  return verdict.matches.some((match) => match.ruleId === rule.place);
}

const alonePolicies = new WeakMap<ListedRule, CompiledPolicy>();

/** The document with this one rule only. */
export function policyOfOnly(bench: Bench, rule: ListedRule): CompiledPolicy {
  let policy = alonePolicies.get(rule);
  if (policy === undefined) {
    policy = policyKeeping(bench, (one) => one === rule);
    alonePolicies.set(rule, policy);
  }
  return policy;
}

/** Does the rule match the call, when nothing stands in its way? */
export function matchesAlone(bench: Bench, rule: ListedRule, sample: SampleCall): boolean {
  return speaksIn(judgeOn(bench, sample), rule) || speaksIn(judgeOn(bench, sample, policyOfOnly(bench, rule)), rule);
}

/** Is the rule, as the only allow beside all denies and asks, enough to allow the call? */
export function allowsByItself(bench: Bench, rule: ListedRule, sample: SampleCall): boolean {
  const policy = policyKeeping(bench, (one) => one === rule || one.rule.effect !== 'allow');
  const without = policyKeeping(bench, (one) => one.rule.effect !== 'allow');
  return judgeOn(bench, sample, policy).effect === 'allow' && judgeOn(bench, sample, without).effect !== 'allow';
}

const specimens = new WeakMap<ListedRule, SampleCall[]>();

/** The specimens of a rule; made once. */
export function specimensFor(bench: Bench, rule: ListedRule): SampleCall[] {
  let calls = specimens.get(rule);
  if (calls === undefined) {
    calls = specimensOf(bench.maker, rule.compiled);
    specimens.set(rule, calls);
  }
  return calls;
}
