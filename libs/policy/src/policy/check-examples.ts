/** Checks the examples that a rule carries, through the engine itself. */
import { policyDocumentSchema, type Effect, type Facts, type SessionFacts } from '@countersign/contracts';
import type { EngineCall } from '../engine/analysis.js';
import { evaluate } from '../engine/evaluate.js';
import { NEUTRAL_SESSION } from '../engine/neutral-session.js';
import { requiredPaths } from '../engine/required-paths.js';
import type { CompiledRule } from '../rules/compiled-rule.js';
import { parseRuleText } from '../rules/parse-rule.js';
import { indexRules } from '../rules/rule-index.js';
import { keyArgument, toolEntry, type ToolEntry } from '../tools/manifest.js';
import type { CompiledPolicy, RuleSet } from './compiled-policy.js';
import { settingsOf } from './options.js';
import type { PresetData } from './preset.js';

const SESSION: SessionFacts = {
  ...NEUTRAL_SESSION,
  sessionId: 'example',
  roots: ['/'],
  cwd: '/work/project',
  home: '/home/user',
};

/**
 * A sentence for every example that comes out wrong. An example is a command line, a path, an address or a name, as the rule's
 * tool takes it; for a rule about a whole tool it is a tool's name. Paths start at `/work/project`, home is `/home/user`.
 */
export function checkExamples(compiled: CompiledRule, preset: PresetData): string[] {
  const { rule } = compiled;
  if (rule.match.length === 0 && rule.notMatch.length === 0) return [];
  const policy = policyWith(compiled, preset);
  const missed = rule.match.filter((example) => !speaks(compiled, policy, example));
  const hit = rule.notMatch.filter((example) => speaks(compiled, policy, example));
  return [
    ...missed.map((example) => `rule \`${rule.pattern}\` does not match its example \`${example}\``),
    ...hit.map((example) => `rule \`${rule.pattern}\` matches \`${example}\`, which it must not`),
  ];
}

function policyWith(compiled: CompiledRule, preset: PresetData): CompiledPolicy {
  const none = indexRules([]);
  const one = indexRules([compiled]);
  const pick = (effect: Effect): RuleSet[Effect] => (compiled.rule.effect === effect ? one : none);
  const rules: RuleSet = { deny: pick('deny'), ask: pick('ask'), allow: pick('allow') };
  const document = policyDocumentSchema.parse({ preset: preset.name });
  return { document, preset, settings: settingsOf(document, preset), rules, warnings: [], notes: [] };
}

function speaks(compiled: CompiledRule, policy: CompiledPolicy, example: string): boolean {
  const call = exampleCall(compiled, policy, example);
  const resolvedPaths: Facts['resolvedPaths'] = {};
  for (const path of requiredPaths(call, policy, SESSION)) resolvedPaths[path] = { real: path, exists: true };
  const facts = {
    now: '2000-01-01T00:00:00.000Z',
    session: SESSION,
    resolvedPaths,
    protectedPaths: [],
    platform: 'linux',
  };
  return evaluate(call, policy, facts).matches.some((match) => match.ruleId === compiled.rule.id);
}

function exampleCall(compiled: CompiledRule, policy: CompiledPolicy, example: string): EngineCall {
  const tool = compiled.spec.kind === 'whole' ? example : (parseRuleText(compiled.rule.pattern)?.tool ?? example);
  const entry = toolEntry(policy.preset.tools, tool);
  const args = compiled.spec.kind === 'whole' ? {} : exampleArguments(compiled, entry, example);
  return { tool, args, problem: null, argsHash: '', cwd: SESSION.cwd, reportedMode: null };
}

function exampleArguments({ spec }: CompiledRule, entry: ToolEntry, example: string): Readonly<Record<string, string>> {
  // A text about whatever tool is looked for in fields that every tool may have.
  const name = keyArgument(entry) ?? (spec.kind === 'content' ? 'command' : null);
  if (name === null) return {};
  return { [name]: name === entry.url && !example.includes('://') ? `https://${example}` : example };
}
