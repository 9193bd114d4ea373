/** Turns a policy document into what the engine runs on, or says what is wrong with it. */
import type { Effect, PolicyDocument, Rule, RuleInput, RuleSource } from '@countersign/contracts';
import { compileRule, type CompiledRule } from '../rules/compiled-rule.js';
import { indexRules, type RuleIndex } from '../rules/rule-index.js';
import { checkExamples } from './check-examples.js';
import type { CompiledPolicy, RuleSet } from './compiled-policy.js';
import { withOwnTools } from './own-tools.js';
import { optionProblems, settingsOf } from './options.js';
import type { PolicyProblem } from './parse-document.js';
import type { PresetData } from './preset.js';
import { safeCommandProblems } from './safe-commands.js';
import { presetData } from './presets/index.js';

export { toolKind, type CompiledPolicy, type RuleSet } from './compiled-policy.js';

export type CompileResult =
  { readonly ok: true; readonly policy: CompiledPolicy } | { readonly ok: false; readonly problems: PolicyProblem[] };

/** Compiles a document. Not ok: unknown preset, a deny or ask rule that cannot be read (skipping it would loosen), an example that comes out wrong. */
export function compilePolicy(document: PolicyDocument): CompileResult {
  const named = presetData(document.preset);
  if (named === undefined) {
    return { ok: false, problems: [{ path: 'preset', message: `preset \`${document.preset}\` is not available` }] };
  }
  const own = withOwnTools(document, named);
  if (!own.ok) return { ok: false, problems: [...own.problems] };
  const { preset } = own;
  const problems: PolicyProblem[] = documentProblems(document, preset);
  const warnings: PolicyProblem[] = [];
  const notes: PolicyProblem[] = [...own.notes];
  const rules: RuleSet = {
    deny: compileList(document.deny, 'deny', { preset, problems, warnings: problems, notes }),
    ask: compileList(document.ask, 'ask', { preset, problems, warnings: problems, notes }),
    allow: compileList(document.allow, 'allow', { preset, problems, warnings, notes }),
  };
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, policy: { document, preset, settings: settingsOf(document, preset), rules, warnings, notes } };
}

/** What the preset does not have: a mode, an option, allow rules. */
function documentProblems(document: PolicyDocument, preset: PresetData): PolicyProblem[] {
  const problems = optionProblems(document, preset);
  problems.push(...safeCommandProblems(settingsOf(document, preset).safeCommands, preset));
  if (!preset.legalModes.includes(document.mode)) {
    problems.push({ path: 'mode', message: `preset \`${preset.name}\` has no mode \`${document.mode}\`` });
  }
  for (const name of unsafeOverlap(document, preset)) {
    const message = `\`${name}\` is on the safe list, which stands before the dangerous one`;
    problems.push({ path: 'options.dangerousCommands', message });
  }
  if (!preset.allowRules && document.allow.length > 0) {
    problems.push({ path: 'allow', message: `preset \`${preset.name}\` allows nothing by rule` });
  }
  return problems;
}

/** Names that a list would refuse in vain, since the safe list is read first. */
function unsafeOverlap(document: PolicyDocument, preset: PresetData): string[] {
  const { shellLists } = settingsOf(document, preset);
  if (shellLists === null) return [];
  return [...shellLists.safe].filter((name) => shellLists.dangerous.has(name) || shellLists.network.has(name));
}

/** Where findings go: `warnings` takes rules that cannot be read, `problems` examples that come out wrong, `notes` old forms. */
interface Findings {
  readonly preset: PresetData;
  readonly problems: PolicyProblem[];
  readonly warnings: PolicyProblem[];
  readonly notes: PolicyProblem[];
}

function compileList(inputs: readonly RuleInput[], effect: Effect, findings: Findings): RuleIndex {
  const out: CompiledRule[] = [];
  inputs.forEach((input, place) => {
    const path = `${effect}.${String(place)}`;
    const { tools, ruleSyntax, defaultSource } = findings.preset;
    const result = compileRule(completeRule(input, effect, place, defaultSource), tools, ruleSyntax);
    if (result.ok) {
      out.push(result.compiled);
      if (result.warning !== null) findings.notes.push({ path, message: result.warning });
      for (const message of checkExamples(result.compiled, findings.preset)) findings.problems.push({ path, message });
    } else {
      findings.warnings.push({ path, message: result.message });
    }
  });
  return indexRules(out);
}

/** Fills in a rule's defaults; its id is `effect:pattern` unless it has one. */
export function completeRule(input: RuleInput, effect: Effect, place: number, source: RuleSource = 'user'): Rule {
  const given = typeof input === 'string' ? { rule: input } : input;
  return {
    id: given.id ?? `${effect}:${given.rule}`,
    effect,
    pattern: given.rule,
    source: given.source ?? source,
    reason: given.reason ?? '',
    order: given.order ?? place,
    match: given.match ?? [],
    notMatch: given.notMatch ?? [],
  };
}
