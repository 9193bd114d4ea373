/**
 * Finds rules whose removal changes no verdict: shadowed, redundant and dead ones, and those that match nothing at all.
 *
 * Cost: about 2·√n policies are compiled to clear the rules that decide something, and one more for each suspect; each rule's few
 * specimens are judged by the whole policy and two parts of it, in as few modes as it takes.
 */
import type { Verdict } from '@countersign/contracts';
import type { CompiledPolicy } from '../policy/compile.js';
import { judgeOn, matchesAlone, policyKeeping, specimensFor, type Bench, type ListedRule } from './bench.js';
import type { Finding } from './finding.js';
import { reportOn, settlerOf, type Claim } from './report.js';
import type { SampleCall } from './scene.js';
import { wholeCalls } from './specimens.js';

/** All idle rules. Leaving out every `redundant` one together changes no verdict, for each was found without the later ones. */
export function idleRules(bench: Bench): Finding[] {
  const clears = clearance(bench);
  const removed = new Set<ListedRule>();
  const findings: Finding[] = [];
  // Last first: of two equal rules the later one is the one too many.
  for (const rule of [...bench.rules].reverse()) {
    const claim = claimOn(bench, rule, { clears, removed });
    if (claim === null) continue;
    if (claim.kind === 'redundant') removed.add(rule);
    findings.push(reportOn(bench, rule, claim));
  }
  return findings;
}

interface Progress {
  readonly clears: (rule: ListedRule, samples: readonly SampleCall[]) => boolean;
  /** Rules found redundant so far. */
  readonly removed: ReadonlySet<ListedRule>;
}

function claimOn(bench: Bench, rule: ListedRule, progress: Progress): Claim | null {
  const specimens = specimensFor(bench, rule);
  const matched = specimens.filter((sample) => matchesAlone(bench, rule, sample));
  if (matched.length === 0) return neverMatches(bench, rule, specimens);
  if (progress.clears(rule, matched)) return null;
  const current = policyKeeping(bench, (one) => !progress.removed.has(one));
  const without = policyKeeping(bench, (one) => one !== rule && !progress.removed.has(one));
  if (matched.some((sample) => changes(bench, sample, [current, without]))) return null;
  return idleClaim(bench, rule, matched, without);
}

function changes(bench: Bench, sample: SampleCall, [one, other]: readonly [CompiledPolicy, CompiledPolicy]): boolean {
  return bench.modes.some(
    (mode) => judgeOn(bench, sample, one, mode).effect !== judgeOn(bench, sample, other, mode).effect,
  );
}

/**
 * A cheap proof that a rule decides something. The rules lie in a square; if leaving out the rule's row changes a verdict, and so does
 * leaving out its column, nothing outside of the row and nothing outside of the column makes up for it, so the rule itself decides.
 */
function clearance(bench: Bench): Progress['clears'] {
  const side = Math.max(1, Math.ceil(Math.sqrt(bench.rules.length)));
  const numbers = new Map(bench.rules.map((rule, number) => [rule, number]));
  const policies = new Map<string, CompiledPolicy>();
  const without = (name: string, leaves: (number: number) => boolean): CompiledPolicy => {
    let policy = policies.get(name);
    if (policy === undefined) {
      policy = policyKeeping(bench, (rule) => !leaves(numbers.get(rule) ?? 0));
      policies.set(name, policy);
    }
    return policy;
  };
  return (rule, samples) => {
    const number = numbers.get(rule) ?? 0;
    const row = Math.floor(number / side);
    const column = number % side;
    const noRow = without(`row ${String(row)}`, (other) => Math.floor(other / side) === row);
    const noColumn = without(`column ${String(column)}`, (other) => other % side === column);
    return samples.some((sample) =>
      bench.modes.some((mode) => {
        const { effect } = judgeOn(bench, sample, bench.policy, mode);
        return [noRow, noColumn].every((policy) => judgeOn(bench, sample, policy, mode).effect !== effect);
      }),
    );
  };
}

function idleClaim(bench: Bench, rule: ListedRule, samples: readonly SampleCall[], without: CompiledPolicy): Claim {
  const verdicts = samples.map((sample) => judgeOn(bench, sample, without));
  const same = verdicts.filter((verdict) => verdict.effect === rule.rule.effect);
  if (same.length === verdicts.length) return redundant(bench, rule, samples, verdicts);
  if (same.length === 0) return shadowed(bench, rule, samples, verdicts);
  const at = verdicts.findIndex((verdict) => verdict.effect !== rule.rule.effect);
  return {
    kind: 'dead',
    grade: gradeOf(rule, verdicts),
    witness: samples[at] ?? null,
    ...otherOf(verdicts[at]),
    explanation: `decides no call: what it matches is settled by others, here by ${words(bench, verdicts[at])}`,
    fix: `remove \`${rule.rule.pattern}\`, or narrow the rules that come before it`,
  };
}

function redundant(bench: Bench, rule: ListedRule, samples: readonly SampleCall[], verdicts: Verdict[]): Claim {
  return {
    kind: 'redundant',
    grade: gradeOf(rule, verdicts),
    witness: samples[0] ?? null,
    ...otherOf(verdicts[0]),
    explanation: `taking it away changes nothing: ${words(bench, verdicts[0])} has the same effect on all that it matches`,
    fix: `remove \`${rule.rule.pattern}\``,
  };
}

const ENDS = { allow: 'allowed', ask: 'asked about', deny: 'denied' } as const;

function shadowed(bench: Bench, rule: ListedRule, samples: readonly SampleCall[], verdicts: Verdict[]): Claim {
  const [first] = verdicts;
  const end = first === undefined ? 'settled' : ENDS[first.effect];
  const other = first === undefined ? undefined : bench.byPlace.get(first.ruleId);
  const way =
    other === undefined
      ? `remove \`${rule.rule.pattern}\`: no rule of a policy changes what the built-in check says`
      : `remove \`${rule.rule.pattern}\`, or narrow \`${other.rule.pattern}\` so that it leaves these calls out`;
  return {
    kind: 'shadowed',
    grade: gradeOf(rule, verdicts),
    witness: samples[0] ?? null,
    ...otherOf(first),
    explanation: `can never ${rule.rule.effect}: all that it matches is ${end} by ${words(bench, first)}`,
    fix: way,
  };
}

/** A built-in check looks at more than a pattern, so that what it says of a specimen need not hold for every call. */
function gradeOf(rule: ListedRule, verdicts: readonly Verdict[]): Finding['grade'] {
  const byRules = verdicts.every((verdict) => winnerIsRule(verdict));
  return byRules || !rule.rule.pattern.includes('*') ? 'confirmed' : 'unproven';
}

function winnerIsRule(verdict: Verdict): boolean {
  return verdict.matches.some((match) => match.ruleId === verdict.ruleId && match.pattern !== null);
}

function otherOf(verdict: Verdict | undefined): { other?: string } {
  return verdict === undefined ? {} : { other: verdict.ruleId };
}

function words(bench: Bench, verdict: Verdict | undefined): string {
  return verdict === undefined ? 'others' : settlerOf(bench, verdict);
}

function neverMatches(bench: Bench, rule: ListedRule, specimens: readonly SampleCall[]): Claim | null {
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
  path: () => 'write an `Edit(…)` rule for writing or a `Read(…)` rule for reading: these are what paths are held against',
  domain: () => '`domain:` rules are for tools that open addresses, such as `WebFetch(domain:example.com)`',
  text: (rule, allow) =>
    allow && rule.compiled.spec.kind === 'text' && rule.compiled.spec.parameter !== null
      ? 'rules on single arguments only deny or ask; allow the tool as a whole, and deny or ask about the arguments'
      : 'name the tool alone: this tool has no text that rules are held against',
};
