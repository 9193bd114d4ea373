/** Grants as the engine uses them: wider ones act as allow rules and lift the questions that they were made from. */
import type { Grant, Match, Rule } from '@countersign/contracts';
import { commandMatches } from '../rules/command-pattern.js';
import { compileRule, type CompiledRule, type RegexSubject, type RuleSpec } from '../rules/compiled-rule.js';
import { domainMatches } from '../rules/domain-pattern.js';
import { indexRules, type RuleIndex } from '../rules/rule-index.js';
import { grantCovers } from './call-cover.js';
import { matchesRegex, type RegexPattern } from '../rules/regex-pattern.js';
import { matchesWildcard } from '../rules/wildcard.js';
import { exactGrants, isAlive, pathRule, wholeToolRule } from './coverage.js';
import type { Judgement } from './judgement.js';

/**
 * Questions that only an answer to this exact call settles: about sensitive and protected files, about dangerous commands, and about
 * whatever is not understood. A pattern says nothing of those, however wide the person who typed it meant it to be.
 */
const PERSONAL = /^(?:path\.(?:secret|control|protected)|content\.|address\.|command\.|shell\.(?!unlisted$))/;

/** Is this a question of ours that only an answer to the exact call settles, under whatever name the preset gives it? */
function isPersonal({ ruleId, source }: Match, names: Readonly<Record<string, string>>): boolean {
  // What a rule asks is the rule's own question, also when its id looks like one of ours.
  if (source !== null) return false;
  return (
    PERSONAL.test(ruleId) || Object.entries(names).some(([ours, given]) => given === ruleId && PERSONAL.test(ours))
  );
}

interface WideGrant {
  readonly grant: Grant;
  readonly compiled: CompiledRule;
  readonly index: RuleIndex;
}

/** The allow rules of policy and session, and those that grants stand for. */
export function allowIndexes(judgement: Judgement): RuleIndex[] {
  const own = judgement.ruleSets.map((set) => set.allow);
  return judgement.facts.session.grants.length === 0
    ? own
    : [...own, ...wideGrants(judgement).map((wide) => wide.index)];
}

function wideGrants(judgement: Judgement): WideGrant[] {
  const out: WideGrant[] = [];
  for (const grant of judgement.facts.session.grants) {
    if (grant.kind === 'once' || grant.pattern === null || !isAlive(grant, judgement.facts.now)) continue;
    const { tools, ruleSyntax, grantSource } = judgement.policy.preset;
    const result = compileRule(ruleOf(grant, grant.pattern, grantSource), tools, ruleSyntax);
    if (result.ok) out.push({ grant, compiled: result.compiled, index: indexRules([result.compiled]) });
  }
  return out;
}

function ruleOf(grant: Grant, pattern: string, source: Rule['source']): Rule {
  return {
    id: `grant:${grant.id}`,
    effect: 'allow',
    pattern,
    source,
    reason: 'allowed by an earlier answer',
    order: 0,
    match: [],
    notMatch: [],
  };
}

/** A test for asks that a grant has answered before. None lifts a deny; all but one-time ones leave what is personal alone. */
export function liftTest(judgement: Judgement): (match: Match) => boolean {
  if (judgement.facts.session.grants.length === 0) return () => false;
  const exact = exactGrants(judgement);
  if (exact.some(({ kind }) => kind === 'once')) return (match) => match.effect === 'ask';
  const wide = wideGrants(judgement);
  const { ruleNames } = judgement.policy.preset;
  return (match) =>
    match.effect === 'ask' &&
    !isPersonal(match, ruleNames) &&
    (exact.some(({ liftsRuleIds }) => liftsRuleIds.includes(match.ruleId)) ||
      wide.some((one) => one.grant.liftsRuleIds.includes(match.ruleId) && covers(judgement, one, match.subject)));
}

/** Does the grant's pattern cover the part that is asked about? */
function covers(judgement: Judgement, wide: WideGrant, subject: string | null): boolean {
  const { spec } = wide.compiled;
  if (judgement.policy.preset.coverage === 'call') {
    return wide.grant.tool === judgement.call.tool && grantCovers(judgement, wide, subject);
  }
  switch (spec.kind) {
    case 'whole':
      // The tool that was asked about is not always the one that the pattern names.
      return wide.grant.tool === judgement.call.tool && wholeToolRule(judgement, wide.index) !== null;
    case 'command':
      return subject !== null && judgement.analysis.plan !== null && commandMatches(spec.command, subject);
    case 'path':
      return coversPathAsked(judgement, wide.index, subject);
    case 'regex':
      return regexCovers(judgement, wide, spec, subject);
    case 'domain':
      return judgement.analysis.host !== null && domainMatches(spec.domain, judgement.analysis.host);
    case 'content':
      return false;
    case 'text':
      return textCovers(judgement, wide, spec, subject);
  }
}

/** `Tool(name:value)` says nothing of the other arguments, so it lifts no question. */
function textCovers(
  judgement: Judgement,
  wide: WideGrant,
  { text, parameter }: Extract<RuleSpec, { kind: 'text' }>,
  subject: string | null,
): boolean {
  if (wide.grant.tool !== judgement.call.tool || subject === null || parameter !== null) return false;
  return judgement.analysis.named.includes(subject) && matchesWildcard(text, subject);
}

function coversPathAsked(judgement: Judgement, index: RuleIndex, subject: string | null): boolean {
  return judgement.paths.some((path) => path.use.text === subject && pathRule(judgement, index, path) !== null);
}

function regexCovers(
  judgement: Judgement,
  wide: WideGrant,
  { regex, of }: { readonly regex: RegexPattern; readonly of: RegexSubject },
  subject: string | null,
): boolean {
  if (of === 'path') return coversPathAsked(judgement, wide.index, subject);
  if (of !== 'command') return wholeToolRule(judgement, wide.index) !== null;
  return subject !== null && judgement.analysis.plan !== null && matchesRegex(regex, subject);
}
