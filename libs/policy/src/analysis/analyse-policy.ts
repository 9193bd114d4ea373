/** The analysis of a policy: every check over the whole pipeline, with the engine as the only judge. */
import type { PolicyDocument } from '@countersign/contracts';
import { checkExamples } from '../policy/check-examples.js';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { setUpBench, type Bench, type ListedRule } from './bench.js';
import { broadRules } from './broad-rules.js';
import { evadedByArgument, legacyTail, midColonStar, regexInCommand, unanchoredAllow } from './command-lints.js';
import { FINDING_KINDS, type Finding } from './finding.js';
import { idleRules } from './idle-rules.js';
import { addressAsText, singleSlashAbsolute } from './place-lints.js';
import { malformedPolicy, refusedRule } from './refused-rules.js';
import { reportOn, type Claim } from './report.js';
import { sceneOf, type PolicyContext } from './scene.js';
import { narrowPathTool, unknownTool } from './tool-lints.js';

type Lint = (bench: Bench, rule: ListedRule) => Claim | null;

/** A rule in the wrong notation: what else could be said of it would be about something that nobody meant. */
const NOTATION_LINTS: readonly Lint[] = [unknownTool, addressAsText, regexInCommand, midColonStar];
const MEANING_LINTS: readonly Lint[] = [
  singleSlashAbsolute,
  evadedByArgument,
  narrowPathTool,
  unanchoredAllow,
  legacyTail,
];

/**
 * Findings about a policy, gravest kinds first, then in the order of the document. Only rules of the document are looked at, never
 * the built-in checks. Modes are taken from the preset: a rule counts as idle only when it is idle in every mode.
 */
export function analysePolicy(policy: PolicyDocument | CompiledPolicy, context: PolicyContext = {}): Finding[] {
  return analyseWithin(policy, context, () => false).findings;
}

/** What was found before the caller's time was over. `complete` false: rules were left unlooked at. */
export interface BoundedAnalysis {
  readonly findings: Finding[];
  readonly complete: boolean;
}

/** The same for a caller that cannot wait: `isOver` is asked before each rule, and once it says so no further rule is looked at. */
export function analyseWithin(
  policy: PolicyDocument | CompiledPolicy,
  context: PolicyContext,
  isOver: () => boolean,
): BoundedAnalysis {
  let over = false;
  const findings = findingsOf(policy, context, () => (over ||= isOver()));
  return { findings, complete: !over };
}

function findingsOf(policy: PolicyDocument | CompiledPolicy, context: PolicyContext, isOver: () => boolean): Finding[] {
  const document = 'document' in policy ? policy.document : policy;
  const result = setUpBench(document, sceneOf(context));
  if (!result.ok) return malformedPolicy(document, result.problems);
  const { bench, refused } = result;
  const lints = bench.rules.flatMap((rule) => (isOver() ? [] : lintsOf(bench, rule)));
  const explained = new Set(
    lints.filter((finding) => EXPLAINS_IDLENESS.has(finding.kind)).map((finding) => finding.place),
  );
  const idle = idleRules(bench, isOver).filter((finding) => !explained.has(finding.place));
  const refusals = refused.map((one) => refusedRule(bench, one));
  const examples = bench.rules.flatMap((rule) => wrongExamples(bench, rule));
  return [...refusals, ...examples, ...lints, ...(isOver() ? [] : broadRules(bench)), ...idle].sort(byKindThenPlace);
}

/** Lints that already say why a rule matches nothing. */
const EXPLAINS_IDLENESS: ReadonlySet<string> = new Set(['unknown-tool', 'wrong-syntax', 'mid-colon-star']);

function lintsOf(bench: Bench, rule: ListedRule): Finding[] {
  const notation = claimsOf(NOTATION_LINTS, bench, rule);
  const claims = notation.length > 0 ? notation.slice(0, 1) : claimsOf(MEANING_LINTS, bench, rule);
  return claims.map((claim) => reportOn(bench, rule, claim));
}

function claimsOf(lints: readonly Lint[], bench: Bench, rule: ListedRule): Claim[] {
  return lints.map((lint) => lint(bench, rule)).filter((claim) => claim !== null);
}

function wrongExamples(bench: Bench, rule: ListedRule): Finding[] {
  return checkExamples(rule.compiled, bench.policy.preset).map((message) =>
    reportOn(bench, rule, {
      kind: 'wrong-example',
      witness: null,
      explanation: `${message}; a policy with such a rule is refused`,
      fix: 'correct the rule or its example',
    }),
  );
}

function byKindThenPlace(a: Finding, b: Finding): number {
  const kinds = FINDING_KINDS.indexOf(a.kind) - FINDING_KINDS.indexOf(b.kind);
  if (kinds !== 0) return kinds;
  const [effectA = '', numberA = ''] = a.place.split('.');
  const [effectB = '', numberB = ''] = b.place.split('.');
  return effectA === effectB ? Number(numberA) - Number(numberB) : effectA < effectB ? -1 : 1;
}
