/** What the engine runs on: a policy document with its rules compiled once and indexed. */
import type { Effect, PolicyDocument, Rule, ToolKind } from '@countersign/contracts';
import { compileRule, type CompiledRule } from '../rules/compiled-rule.js';
import { indexRules, type RuleIndex } from '../rules/rule-index.js';
import { toolEntry } from '../tools/manifest.js';
import type { RunNotices } from './notices.js';
import type { Settings } from './options.js';
import type { PolicyProblem } from './parse-document.js';
import type { PresetData } from './preset.js';

/** Rules of all effects, indexed. */
export type RuleSet = Readonly<Record<Effect, RuleIndex>>;

/** A policy that calls can be judged by. `warnings` are rules that are ignored because they could only loosen. */
export interface CompiledPolicy {
  readonly document: PolicyDocument;
  readonly preset: PresetData;
  /** The preset's data as the document's options make it. */
  readonly settings: Settings;
  readonly rules: RuleSet;
  readonly warnings: readonly PolicyProblem[];
  /** Rules that work but are written in a form that is out of use. */
  readonly notes: readonly PolicyProblem[];
}

const compiledLists = new WeakMap<readonly Rule[], WeakMap<PresetData, RuleSet>>();

/** Rules that came with the session. Broken denies and asks ask about every tool. Remembered per list, which is never changed. */
export function sessionRules(rules: readonly Rule[], preset: PresetData): RuleSet {
  let byPreset = compiledLists.get(rules);
  if (byPreset === undefined) {
    byPreset = new WeakMap();
    compiledLists.set(rules, byPreset);
  }
  const known = byPreset.get(preset);
  if (known !== undefined) return known;
  const compiled: Record<Effect, CompiledRule[]> = { deny: [], ask: [], allow: [] };
  for (const rule of rules) {
    const result = compileRule(rule, preset.tools, preset.ruleSyntax);
    if (result.ok) compiled[rule.effect].push(result.compiled);
    else if (rule.effect !== 'allow') compiled.ask.push(brokenRule(rule, result.message));
  }
  const set = { deny: indexRules(compiled.deny), ask: indexRules(compiled.ask), allow: indexRules(compiled.allow) };
  byPreset.set(preset, set);
  return set;
}

function brokenRule(rule: Rule, message: string): CompiledRule {
  return {
    rule: { ...rule, effect: 'ask', reason: message },
    tool: { kind: 'wildcard', pattern: { pieces: ['', ''], stars: true } },
    spec: { kind: 'whole' },
  };
}

/** The kind of a tool under this policy. */
export function toolKind(tool: string, policy: CompiledPolicy): ToolKind {
  return toolEntry(policy.preset.tools, tool).kind;
}

/** The limits of a session's run under this policy, with what the model is told about them. */
export interface LoopLimits {
  readonly maxSteps: number | null;
  readonly softTokens: number | null;
  readonly maxTokens: number | null;
  readonly stepsWithoutNews: number | null;
  readonly compactionFailures: number | null;
  readonly notices: RunNotices;
}

/** The limits of a session's run under this policy. */
export function loopLimitsOf({ settings, preset }: CompiledPolicy): LoopLimits {
  const { maxSteps, softTokens, maxTokens, stepsWithoutNews, compactionFailures } = settings.limits;
  return { maxSteps, softTokens, maxTokens, stepsWithoutNews, compactionFailures, notices: preset.notices };
}
