/** Findings about rules that the compiler refuses or ignores. */
import type { PolicyDocument } from '@countersign/contracts';
import { parseRuleText } from '../rules/parse-rule.js';
import { judgeOn, type Bench, type RefusedRule } from './bench.js';
import type { Finding, FindingKind } from './finding.js';
import { nameOf, witnessOf } from './report.js';
import type { PolicyProblem } from '../policy/parse-document.js';
import type { SampleCall } from './scene.js';
import { wholeCalls } from './specimens.js';

/** The finding about a refused rule; its witness is a call that the rule would be about. */
export function refusedRule(bench: Bench, refused: RefusedRule): Finding {
  const { place, rule } = refused;
  const text = parseRuleText(rule.pattern);
  const spans = rule.effect === 'allow' && text?.tool.includes('*') === true;
  const kind: FindingKind = !spans
    ? 'malformed-rule'
    : text.tool.startsWith('mcp__')
      ? 'mcp-allow-all'
      : 'allow-spans-tools';
  const call = callAbout(bench, rule.pattern);
  return {
    ...nameOf(place, rule),
    kind,
    grade: 'confirmed',
    otherRuleId: null,
    otherPattern: null,
    witness: call === null ? null : witnessOf(bench, call, judgeOn(bench, call)),
    explanation:
      rule.effect === 'allow'
        ? `${refused.message}; the rule is ignored`
        : `${refused.message}; a policy with such a rule is refused, since leaving it out would loosen`,
    fix: spans
      ? 'write one rule for each server or tool, as in `mcp__server__get_*`'
      : 'write `Tool` or `Tool(text)`, with every bracket closed',
  };
}

function callAbout(bench: Bench, pattern: string): SampleCall | null {
  const tool = /^\s*([A-Za-z_][\w*-]*)/.exec(pattern)?.[1]?.replaceAll('*', bench.maker.fresh(1));
  return tool === undefined ? null : (wholeCalls(bench.maker, tool)[0] ?? null);
}

/** Findings about a document that does not compile whatever its rules say. */
export function malformedPolicy(document: PolicyDocument, problems: readonly PolicyProblem[]): Finding[] {
  return problems.map((problem) => ({
    kind: 'malformed-policy',
    grade: 'confirmed',
    place: problem.path,
    ruleId: document.preset,
    effect: null,
    pattern: '',
    source: null,
    otherRuleId: null,
    otherPattern: null,
    witness: null,
    explanation: problem.message,
    fix: problem.suggestion ?? 'correct the document; until then no call can be judged by it',
  }));
}
