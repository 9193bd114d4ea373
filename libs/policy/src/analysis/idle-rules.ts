/**
 * Finds rules whose removal changes no verdict: shadowed, redundant and dead ones, and those that match nothing at all.
 *
 * Cost: about 2·√n policies are compiled to clear the rules that decide something, and one more for each suspect; each rule's few
 * specimens are judged by the whole policy and two parts of it, in as few modes as it takes.
 */
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { judgeOn, matchesAlone, policyKeeping, specimensFor, type Bench, type ListedRule } from './bench.js';
import type { Finding } from './finding.js';
import { idleClaim, neverMatches, ranksByPlace } from './idle-claims.js';
import { reportOn, type Claim } from './report.js';
import type { SampleCall } from './scene.js';

/** All idle rules, or those found before the caller's time is over. Leaving out every `redundant` one together changes no verdict, for each was found without the later ones. */
export function idleRules(bench: Bench, isOver: () => boolean): Finding[] {
  const progress: Progress = { clears: clearance(bench), removed: new Set(), current: bench.policy };
  const findings: Finding[] = [];
  // Last first: of two equal rules the later one is the one too many.
  for (const rule of [...bench.rules].reverse()) {
    if (isOver()) break;
    const claim = claimOn(bench, rule, progress);
    if (claim !== null) findings.push(reportOn(bench, rule, claim));
  }
  return findings;
}

interface Progress {
  readonly clears: (rule: ListedRule, samples: readonly SampleCall[]) => boolean;
  /** Rules found redundant so far, and the policy without them. */
  readonly removed: Set<ListedRule>;
  current: CompiledPolicy;
}

function claimOn(bench: Bench, rule: ListedRule, progress: Progress): Claim | null {
  // The examples of an expression do not stand for all that it matches.
  if (rule.compiled.spec.kind === 'regex') return null;
  const specimens = specimensFor(bench, rule);
  const matched = specimens.filter((sample) => matchesAlone(bench, rule, sample));
  if (matched.length === 0) return neverMatches(bench, rule, specimens);
  if (progress.clears(rule, matched)) return null;
  const without = policyKeeping(bench, (one) => one !== rule && !progress.removed.has(one));
  const samples = ranksByPlace(bench) ? bench.rules.flatMap((one) => specimensFor(bench, one)) : matched;
  if (samples.some((sample) => changes(bench, sample, [progress.current, without]))) return null;
  const claim = idleClaim(bench, rule, matched, without);
  if (claim?.kind === 'redundant') {
    progress.removed.add(rule);
    progress.current = without;
  }
  return claim;
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
