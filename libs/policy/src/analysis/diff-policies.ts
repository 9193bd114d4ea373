/**
 * Compares two policies by what they say of calls: specimens of every rule of both, and fixed probes, judged by both.
 *
 * Cost: two verdicts for each specimen and mode; a thousand rules on each side take seconds.
 */
import { canonicalJson, type Effect, type Mode, type PolicyDocument, type Verdict } from '@countersign/contracts';
import { compilePolicy } from '../policy/compile.js';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import type { PolicyProblem } from '../policy/parse-document.js';
import { isRegexRule } from '../rules/parse-rule.js';
import { listRules, type ListedRule } from './bench.js';
import { freshWords } from './fresh-words.js';
import { everydayCalls, hazardsOf } from './hazards.js';
import {
  distinctModes,
  judgeReported,
  judgeSample,
  sceneOf,
  STRICTNESS,
  type PolicyContext,
  type SampleCall,
  type Scene,
} from './scene.js';
import { namedTools, specimensOf, wholeCalls, type SpecimenMaker } from './specimens.js';

/** What one policy says of a call. */
export interface Said {
  readonly effect: Effect;
  readonly ruleId: string;
  readonly reason: string;
  readonly mode: Mode;
}

/** A call that the two policies judge differently. `reportedMode`: the difference shows when the agent's hook reports that mode. */
export interface ChangedCall extends SampleCall {
  readonly reportedMode: Mode | null;
  readonly before: Said;
  readonly after: Said;
}

/** At most three examples of each kind of change; `changed` counts every call whose effect differs, `unchanged` all others. */
export interface PolicyDiff {
  readonly verdict: 'same' | 'tightens' | 'widens' | 'mixed';
  readonly tightens: readonly ChangedCall[];
  readonly widens: readonly ChangedCall[];
  readonly changed: number;
  readonly unchanged: number;
  /** Settings that differ, by name; what they change beside verdicts (time-outs, breaker) no call shows. */
  readonly settings: readonly string[];
  readonly confidence: string;
}

export type DiffResult =
  | ({ readonly ok: true } & PolicyDiff)
  | { readonly ok: false; readonly side: 'before' | 'after'; readonly problems: readonly PolicyProblem[] };

interface Pair {
  readonly before: CompiledPolicy;
  readonly after: CompiledPolicy;
  readonly scene: Scene;
}

/** Compares two policies; not ok when one does not compile. */
export function diffPolicies(
  before: PolicyDocument | CompiledPolicy,
  after: PolicyDocument | CompiledPolicy,
  context: PolicyContext = {},
): DiffResult {
  const first = compiledOf(before);
  if (!first.ok) return { ok: false, side: 'before', problems: first.problems };
  const second = compiledOf(after);
  if (!second.ok) return { ok: false, side: 'after', problems: second.problems };
  const pair: Pair = { before: first.policy, after: second.policy, scene: sceneOf(context) };
  const samples = samplesOf(pair);
  const changes = samples.map((sample) => changeOf(pair, sample)).filter((change) => change !== null);
  const tighter = changes.filter((change) => STRICTNESS[change.after.effect] > STRICTNESS[change.before.effect]);
  const wider = changes.filter((change) => STRICTNESS[change.after.effect] < STRICTNESS[change.before.effect]);
  const settings = [...settingsThatDiffer(pair), ...(isSameRegexes(pair) ? [] : [REGULAR_EXPRESSIONS])];
  return {
    ok: true,
    verdict: verdictOf(tighter.length > 0, wider.length > 0),
    tightens: examplesOf(tighter),
    widens: examplesOf(wider),
    changed: changes.length,
    unchanged: samples.length - changes.length,
    settings,
    confidence: confidenceOf(samples.length, settings),
  };
}

function compiledOf(policy: PolicyDocument | CompiledPolicy): ReturnType<typeof compilePolicy> {
  return 'document' in policy ? { ok: true, policy } : compilePolicy(policy);
}

function verdictOf(tightens: boolean, widens: boolean): PolicyDiff['verdict'] {
  if (tightens) return widens ? 'mixed' : 'tightens';
  return widens ? 'widens' : 'same';
}

function samplesOf(pair: Pair): SampleCall[] {
  const policies = [pair.before, pair.after];
  const lists = policies.map((policy) => listRules(policy.document, policy.preset).rules);
  const { scene } = pair;
  const fresh = freshWords([
    ...lists.flat().map((one) => one.rule.pattern),
    ...policies.flatMap((policy) => [...policy.document.roots, ...policy.document.additionalDirectories]),
    ...scene.roots,
    scene.cwd,
    scene.home ?? '',
  ]);
  const samples = new Map<string, SampleCall>();
  policies.forEach((policy, side) => {
    const maker = { scene, fresh, tools: policy.preset.tools };
    for (const sample of probesOf(maker, lists[side] ?? [], policy)) samples.set(JSON.stringify(sample), sample);
  });
  return [...samples.values()];
}

function probesOf(maker: SpecimenMaker, rules: readonly ListedRule[], policy: CompiledPolicy): SampleCall[] {
  const { fresh, scene } = maker;
  const { roots, additionalDirectories } = policy.document;
  const folders = [...roots, ...additionalDirectories];
  return [
    ...rules.flatMap((rule) => specimensOf(maker, rule.compiled)),
    ...hazardsOf(maker).map((hazard) => hazard.call),
    ...everydayCalls(maker),
    ...namedTools(maker.tools).flatMap((tool) => wholeCalls(maker, tool)),
    ...folders.flatMap((folder) => wholeCalls({ ...maker, scene: { ...scene, roots: [folder] } }, 'Edit')),
    { tool: fresh(1), args: {} },
    { tool: `mcp__${fresh(1)}__${fresh(2)}`, args: {} },
  ];
}

/** The first difference: in each policy's own mode, then in every mode, then in modes that only one lets agents choose. */
function changeOf(pair: Pair, sample: SampleCall): ChangedCall | null {
  const { before, after, scene } = pair;
  const own = { before: before.document.mode, after: after.document.mode };
  const shared = sharedModes(pair).filter((mode) => mode !== own.before || mode !== own.after);
  for (const modes of [own, ...shared.map((mode) => ({ before: mode, after: mode }))]) {
    const old = judgeSample(scene, before, sample, modes.before);
    const fresh = judgeSample(scene, after, sample, modes.after);
    if (old.effect !== fresh.effect) return changed(sample, null, old, fresh);
  }
  for (const reported of before.preset.legalModes) {
    if (before.document.agentModes.includes(reported) === after.document.agentModes.includes(reported)) continue;
    const old = judgeReported(scene, before, sample, { session: own.before, reported });
    const fresh = judgeReported(scene, after, sample, { session: own.after, reported });
    if (old.effect !== fresh.effect) return changed(sample, reported, old, fresh);
  }
  return null;
}

function sharedModes({ before, after }: Pair): Mode[] {
  const modes = before.preset === after.preset ? distinctModes(before.preset) : before.preset.legalModes;
  return modes.filter((mode) => after.preset.legalModes.includes(mode));
}

function changed(sample: SampleCall, reportedMode: Mode | null, before: Verdict, after: Verdict): ChangedCall {
  return { ...sample, reportedMode, before: saidBy(before), after: saidBy(after) };
}

function saidBy({ effect, ruleId, reason, mode }: Verdict): Said {
  return { effect, ruleId, reason, mode };
}

const EXAMPLES_A_KIND = 3;

/** A few calls for each pair of answers. */
function examplesOf(changes: readonly ChangedCall[]): ChangedCall[] {
  const counts = new Map<string, number>();
  return changes.filter(({ before, after }) => {
    const kind = JSON.stringify([before.effect, before.ruleId, after.effect, after.ruleId]);
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= EXAMPLES_A_KIND;
  });
}

const RULE_LISTS: readonly string[] = ['deny', 'ask', 'allow'];

function settingsThatDiffer(pair: Pair): string[] {
  const before: Readonly<Record<string, unknown>> = pair.before.document;
  const after: Readonly<Record<string, unknown>> = pair.after.document;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !RULE_LISTS.includes(name))
    .filter((name) => canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null))
    .sort();
}

/** Stands among the settings that differ when the policies' expressions do: no calls can be made that stand for all of one. */
export const REGULAR_EXPRESSIONS = 'regular expressions';

function isSameRegexes({ before, after }: Pair): boolean {
  return regexesOf(before) === regexesOf(after);
}

function regexesOf({ document, preset }: CompiledPolicy): string {
  const rules = listRules(document, preset)
    .rules.map((one) => one.rule)
    .filter(({ pattern }) => isRegexRule(pattern));
  return canonicalJson(rules.map(({ effect, pattern, source }) => [effect, pattern, source]));
}

function confidenceOf(judged: number, settings: readonly string[]): string {
  const calls = `${String(judged)} calls were judged by both policies in every mode: calls made from each rule, and fixed probes.`;
  const limit = ' A call at which several rules meet in another way may still differ.';
  const rest =
    settings.length === 0 ? '' : ` Settings that differ and may act beyond verdicts: ${settings.join(', ')}.`;
  return calls + limit + rest;
}
