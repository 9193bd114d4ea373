/** Turns a policy document into what the engine runs on, or says what is wrong with it. */
import type { Effect, PolicyDocument, Rule, RuleInput, RuleSource } from '@countersign/contracts';
import { compileRule, type CompiledRule } from '../rules/compiled-rule.js';
import { indexRules, type RuleIndex } from '../rules/rule-index.js';
import { checkExamples } from './check-examples.js';
import type { CompiledPolicy, RuleSet } from './compiled-policy.js';
import type { PolicyProblem } from './parse-document.js';
import type { PresetData } from './preset.js';
import { presetData } from './presets/index.js';

export { toolKind, type CompiledPolicy, type RuleSet } from './compiled-policy.js';

export type CompileResult =
  { readonly ok: true; readonly policy: CompiledPolicy } | { readonly ok: false; readonly problems: PolicyProblem[] };

const DEFAULT_SOURCE: RuleSource = 'user';

/** Compiles a document. Not ok: unknown preset, a deny or ask rule that cannot be read (skipping it would loosen), an example that comes out wrong. */
export function compilePolicy(document: PolicyDocument): CompileResult {
  const preset = presetData(document.preset);
  if (preset === undefined) {
    return { ok: false, problems: [{ path: 'preset', message: `preset \`${document.preset}\` is not available` }] };
  }
  const problems: PolicyProblem[] = [];
  const warnings: PolicyProblem[] = [];
  const rules: RuleSet = {
    deny: compileList(document.deny, 'deny', { preset, problems, warnings: problems }),
    ask: compileList(document.ask, 'ask', { preset, problems, warnings: problems }),
    allow: compileList(document.allow, 'allow', { preset, problems, warnings }),
  };
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, policy: { document, preset, rules, warnings } };
}

/** Where findings go: `warnings` takes rules that cannot be read, `problems` examples that come out wrong. */
interface Findings {
  readonly preset: PresetData;
  readonly problems: PolicyProblem[];
  readonly warnings: PolicyProblem[];
}

function compileList(inputs: readonly RuleInput[], effect: Effect, findings: Findings): RuleIndex {
  const out: CompiledRule[] = [];
  inputs.forEach((input, place) => {
    const path = `${effect}.${String(place)}`;
    const result = compileRule(completeRule(input, effect, place), findings.preset.tools);
    if (result.ok) {
      out.push(result.compiled);
      for (const message of checkExamples(result.compiled, findings.preset)) findings.problems.push({ path, message });
    } else {
      findings.warnings.push({ path, message: result.message });
    }
  });
  return indexRules(out);
}

/** Fills in a rule's defaults; its id is `effect:pattern` unless it has one. */
export function completeRule(input: RuleInput, effect: Effect, place: number): Rule {
  const given = typeof input === 'string' ? { rule: input } : input;
  return {
    id: given.id ?? `${effect}:${given.rule}`,
    effect,
    pattern: given.rule,
    source: given.source ?? DEFAULT_SOURCE,
    reason: given.reason ?? '',
    order: given.order ?? place,
    match: given.match ?? [],
    notMatch: given.notMatch ?? [],
  };
}
