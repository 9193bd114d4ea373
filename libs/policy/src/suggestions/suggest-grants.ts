/** Offers the least grants that answer a question for good, each tried by the engine before it is shown. */
import type { Facts, Match, Verdict } from '@countersign/contracts';
import { freshWords } from '../analysis/fresh-words.js';
import { hazardsOf } from '../analysis/hazards.js';
import type { SampleCall } from '../analysis/scene.js';
import { DANGERS } from '../commands/dangerous/families.js';
import { analyse, type Analysis, type EngineCall } from '../engine/analysis.js';
import { rootsOf } from '../engine/judgement.js';
import { canonicalPath } from '../paths/normalise.js';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { commandCandidates } from './command-candidates.js';
import { contentCandidates } from './content-candidates.js';
import { chainedCalls, nearbyCalls } from './nearby-calls.js';
import { pathCandidates, toolCandidates } from './place-candidates.js';
import type { Candidate, Preview, Suggestion } from './suggestion.js';
import { judgeGranted, judgeNearby, type Trial } from './trial.js';

/** Longest rule that the schema takes. */
const MAX_PATTERN = 2_000;
const MAX_EXAMPLES = 6;

/**
 * Patterns for an "always" answer to this call, the narrowest first. Empty when the call is not asked about, or when no grant may
 * answer it: secrets and dangers are asked about each time, and some presets allow nothing by rule. INVARIANT: every pattern, granted,
 * allows this very call; none that ends in a wildcard lets a dangerous call through that was not let through before.
 */
export function suggestGrants(call: EngineCall, verdict: Verdict, policy: CompiledPolicy, facts: Facts): Suggestion[] {
  if (verdict.effect !== 'ask' || !policy.preset.allowRules || verdict.matches.some(isDanger)) return [];
  const analysis = analyse(call, policy, facts.session);
  const asking = verdict.matches.filter((match) => match.effect === 'ask').map((match) => match.ruleId);
  const trial: Trial = { call, policy, facts, lifts: [...new Set([verdict.ruleId, ...asking])] };
  const nearby = nearbyCalls(call, analysis);
  const chains = chainedCalls(call, analysis);
  const seen = new Set<string>();
  const out: Suggestion[] = [];
  for (const candidate of candidatesFor(call, analysis, policy, facts)) {
    const { pattern } = candidate;
    if (seen.has(pattern) || pattern.length > MAX_PATTERN) continue;
    seen.add(pattern);
    if (judgeGranted(trial, pattern).effect !== 'allow' || opensHazard(trial, candidate, chains)) continue;
    out.push({ ...candidate, preview: previewOf(trial, pattern, nearby) });
  }
  return withoutTwins(out);
}

/** A dangerous command is answered each time that it comes. */
function isDanger(match: Match): boolean {
  return DANGERS.some((danger) => match.ruleId === `command.${danger.family.replaceAll('-', '_')}`);
}

function candidatesFor(call: EngineCall, analysis: Analysis, policy: CompiledPolicy, facts: Facts): Candidate[] {
  const { entry, plan, uses } = analysis;
  const roots = rootsOf(policy, facts.session).map((root) => canonicalPath(root) ?? root);
  const around = { roots, home: facts.session.home };
  const files = uses
    .filter((use) => use.origin === 'argument' || use.origin === 'redirect')
    .flatMap((use) => pathCandidates(call.tool, use, around));
  const commands = plan === null ? [] : commandCandidates(call.tool, plan, entry.command?.shell === 'posix');
  if (policy.preset.ruleSyntax === 'content') return [...contentCandidates(call.tool, analysis), ...commands];
  return [...commands, ...files, ...toolCandidates(call.tool, analysis)];
}

/** What names one thing alone may be as dangerous as the thing itself: the person sees it. Whatever reaches further may not. */
function opensHazard(trial: Trial, candidate: Candidate, chains: readonly SampleCall[]): boolean {
  if (!candidate.pattern.includes('*')) return false;
  const { facts, policy } = trial;
  const { roots, cwd, home } = facts.session;
  const { platform, protectedPaths } = facts;
  const scene = { roots, cwd: cwd ?? roots[0] ?? '/', home, platform, protectedPaths };
  const maker = { scene, fresh: freshWords([candidate.pattern]), tools: policy.preset.tools };
  return [...chains, ...hazardsOf(maker).map((hazard) => hazard.call)].some(
    (call) =>
      judgeNearby(trial, call, candidate.pattern).effect === 'allow' &&
      judgeNearby(trial, call, null).effect !== 'allow',
  );
}

function previewOf(trial: Trial, pattern: string, nearby: readonly SampleCall[]): Preview {
  const wouldMatch: Preview['wouldMatch'][number][] = [];
  const wouldNotMatch: Preview['wouldNotMatch'][number][] = [];
  nearby.forEach((sample, at) => {
    const verdict = at === 0 ? judgeGranted(trial, pattern) : judgeNearby(trial, sample, pattern);
    const shown = { ...sample, effect: verdict.effect, decidedBy: verdict.ruleId };
    if (verdict.effect !== 'allow') wouldNotMatch.push(shown);
    else if (at === 0 || judgeNearby(trial, sample, null).effect !== 'allow') wouldMatch.push(shown);
  });
  return { wouldMatch: wouldMatch.slice(0, MAX_EXAMPLES), wouldNotMatch: wouldNotMatch.slice(0, MAX_EXAMPLES) };
}

/** `Write(x)` and `Edit(x)`: where the tool's own name does, its family's is not offered too. */
function withoutTwins(suggestions: readonly Suggestion[]): Suggestion[] {
  const seen = new Set<string>();
  return suggestions.filter(({ step, explanation }) => {
    const key = `${step}\0${explanation}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
