/** What is to be said of a rule whose removal changes no verdict. */
import type { Verdict } from '@countersign/contracts';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { keyArgument, toolEntry } from '../tools/manifest.js';
import { judgeOn, type Bench, type ListedRule } from './bench.js';
import type { Finding } from './finding.js';
import { isRegexRule } from '../rules/parse-rule.js';
import { settlerOf, type Claim } from './report.js';
import type { SampleCall } from './scene.js';
import { wholeCalls } from './specimens.js';

/** Where rules are weighed by their place, one that never shows in its own calls may still hide another from calls of its own. */
export function ranksByPlace(bench: Bench): boolean {
  return bench.policy.preset.combining.by === 'place';
}

/** The claim about an idle rule, from what the policy says without it; null when too little is known to say anything. */
export function idleClaim(
  bench: Bench,
  rule: ListedRule,
  samples: readonly SampleCall[],
  without: CompiledPolicy,
): Claim | null {
  const answers = samples.map((sample) => ({ sample, verdict: judgeOn(bench, sample, without) }));
  const same = answers.filter(({ verdict }) => verdict.effect === rule.rule.effect);
  const other = answers.find(({ verdict }) => verdict.effect !== rule.rule.effect);
  const [first] = answers;
  if (first === undefined || !isTelling(bench, rule, answers, same)) return null;
  const grade = gradeOf(bench, rule, answers);
  if (other === undefined) return redundant(bench, rule, { ...first, grade });
  if (same.length === 0) return shadowed(bench, rule, { ...first, grade });
  return {
    kind: 'dead',
    grade,
    witness: other.sample,
    other: other.verdict.ruleId,
    explanation: `decides no call: what it matches is settled by others, here by ${settlerOf(bench, other.verdict)}`,
    fix: `remove \`${rule.rule.pattern}\`, or narrow the rules that come before it`,
  };
}

interface Answer {
  readonly sample: SampleCall;
  readonly verdict: Verdict;
}

/**
 * A default answers where something is missing besides, so that the rule may decide once that is there. A built-in check that is of the
 * rule's mind for one specimen of a wide rule may be of another for the next call.
 */
function isTelling(bench: Bench, rule: ListedRule, answers: readonly Answer[], same: readonly Answer[]): boolean {
  if (answers.some(({ verdict }) => verdict.layer === 'default')) return false;
  return !isWide(bench, rule) || same.every(({ verdict }) => winnerIsRule(verdict));
}

/** Does the rule match more than its specimens? */
function isWide(bench: Bench, rule: ListedRule): boolean {
  const { tool, spec } = rule.compiled;
  if (rule.rule.pattern.includes('*') || tool.kind !== 'name') return true;
  return spec.kind === 'whole' && keyArgument(toolEntry(bench.maker.tools, tool.name)) !== null;
}

/**
 * What another rule says of a specimen it says of all calls of that form. A built-in check looks at more than a pattern; and a specimen
 * does not stand for all calls where rules are weighed by their place.
 */
function gradeOf(bench: Bench, rule: ListedRule, answers: readonly Answer[]): Finding['grade'] {
  if (ranksByPlace(bench) || meansUnknownFiles(bench, rule, answers)) return 'unproven';
  return !isWide(bench, rule) || answers.every(({ verdict }) => winnerIsRule(verdict)) ? 'confirmed' : 'unproven';
}

/** A rule about all files also means those that only the running shell knows, of which a rule about places says nothing. */
function meansUnknownFiles(bench: Bench, { compiled }: ListedRule, answers: readonly Answer[]): boolean {
  const { tool, spec } = compiled;
  if (spec.kind !== 'whole' || tool.kind !== 'name' || toolEntry(bench.maker.tools, tool.name).family === undefined)
    return false;
  return answers.some(({ verdict }) => bench.byPlace.get(verdict.ruleId)?.compiled.spec.kind === 'path');
}

/** An expression looks at more than a wildcard does: what it says of a specimen it may not say of the next call. */
function winnerIsRule(verdict: Verdict): boolean {
  return verdict.matches.some(
    ({ ruleId, pattern }) => ruleId === verdict.ruleId && pattern !== null && !isRegexRule(pattern),
  );
}

type Graded = Answer & { readonly grade: Finding['grade'] };

function redundant(bench: Bench, rule: ListedRule, { sample, verdict, grade }: Graded): Claim {
  const by = settlerOf(bench, verdict);
  return {
    kind: 'redundant',
    grade,
    witness: sample,
    other: verdict.ruleId,
    explanation: `taking it away changes nothing: ${by} has the same effect on all that it matches`,
    fix: `remove \`${rule.rule.pattern}\``,
  };
}

const ENDS = { allow: 'allowed', ask: 'asked about', deny: 'denied' } as const;

function shadowed(bench: Bench, rule: ListedRule, { sample, verdict, grade }: Graded): Claim {
  const { effect, pattern } = rule.rule;
  const reaches =
    bench.byPlace.get(verdict.ruleId)?.rule.effect !== verdict.effect && bench.byPlace.has(verdict.ruleId);
  const by = reaches
    ? `since it may reach what is covered by ${settlerOf(bench, verdict)}`
    : `by ${settlerOf(bench, verdict)}`;
  return {
    kind: 'shadowed',
    grade,
    witness: sample,
    other: verdict.ruleId,
    explanation: `can never ${effect}: all that it matches is ${ENDS[verdict.effect]} ${by}`,
    fix: shadowFix(pattern, reaches ? undefined : bench.byPlace.get(verdict.ruleId)?.rule.pattern),
  };
}

function shadowFix(pattern: string, other: string | undefined): string {
  return other === undefined
    ? `remove \`${pattern}\`: it has no effect beside what asks or denies here`
    : `remove \`${pattern}\`, or narrow \`${other}\` so that it leaves these calls out`;
}

/** The claim about a rule that matches none of its own specimens. */
export function neverMatches(bench: Bench, rule: ListedRule, specimens: readonly SampleCall[]): Claim | null {
  const { tool } = rule.compiled;
  const meant = specimens[0] ?? (tool.kind === 'name' ? wholeCalls(bench.maker, tool.name)[0] : undefined);
  if (meant === undefined) return null;
  const { pattern, effect } = rule.rule;
  return {
    kind: 'never-matches',
    grade: specimens.length === 0 ? 'unproven' : 'confirmed',
    witness: meant,
    explanation: `\`${pattern}\` matches no call as ${effect === 'allow' ? 'an allow' : `a rule of ${effect}`}, not even this one, which reads as it is written`,
    fix: NEVER_FIXES[rule.compiled.spec.kind](rule, effect === 'allow'),
  };
}

const NEVER_FIXES: Readonly<
  Record<ListedRule['compiled']['spec']['kind'], (rule: ListedRule, allow: boolean) => string>
> = {
  whole: () => 'name a tool that agents have',
  command: (_rule, allow) =>
    allow
      ? 'write one allow for each simple command; variables, wrappers and chains are looked through'
      : 'write one simple command, without variables and chains',
  path: () =>
    'write an `Edit(…)` rule for writing or a `Read(…)` rule for reading: these are what paths are held against',
  regex: () => 'write an expression that matches the whole of it',
  content: () => 'write the text that a command, a path or an address begins with, ends with or holds',
  domain: () => '`domain:` rules are for tools that open addresses, such as `WebFetch(domain:example.com)`',
  text: (rule, allow) =>
    allow && rule.compiled.spec.kind === 'text' && rule.compiled.spec.parameter !== null
      ? 'rules on single arguments only deny or ask; allow the tool as a whole, and deny or ask about the arguments'
      : 'name the tool alone: this tool has no text that rules are held against',
};
