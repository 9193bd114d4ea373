/** Which allow rules, grants and classes cover which part of a call. Allow is strict: every part needs its own cover. */
import type { Grant } from '@countersign/contracts';
import { isSafeVariable } from '../commands/environment.js';
import { commandMatches, writtenMatches, type CommandPattern } from '../rules/command-pattern.js';
import type { CompiledRule } from '../rules/compiled-rule.js';
import { domainMatches } from '../rules/domain-pattern.js';
import { pathMatches } from '../rules/path-pattern.js';
import { forCommandRules, forPathRules, forToolRules, type RuleIndex } from '../rules/rule-index.js';
import { matchesWildcard } from '../rules/wildcard.js';
import type { ShellCall } from '../shell/plan.js';
import type { JudgedPath } from './evidence.js';
import type { Judgement } from './judgement.js';

/** The first rule of the index that allows the tool as a whole, or by its host or named argument; null when none does. */
export function wholeToolRule(judgement: Judgement, index: RuleIndex): CompiledRule | null {
  let found: CompiledRule | null = null;
  forToolRules(index, judgement.call.tool, judgement.analysis.entry, (rule) => {
    if (found === null && coversWhole(judgement, rule)) found = rule;
  });
  return found;
}

function coversWhole(judgement: Judgement, rule: CompiledRule): boolean {
  const { spec } = rule;
  const { host, named } = judgement.analysis;
  switch (spec.kind) {
    case 'whole':
      return true;
    case 'domain':
      return host !== null && domainMatches(spec.domain, host);
    case 'text':
      // `Tool(name:value)` tightens only; as an allow it would say nothing of the other arguments.
      return spec.parameter === null && named.length > 0 && named.every((name) => matchesWildcard(spec.text, name));
    case 'command':
    case 'path':
      return false;
  }
}

/** The rule that allows this path: under the tool's own name, or of its family. Both the path and its target must be covered. */
export function pathRule(judgement: Judgement, index: RuleIndex, path: JudgedPath): CompiledRule | null {
  if (path.lexical === null || path.real === null || path.use.glob !== null) return null;
  let found: CompiledRule | null = null;
  const test = (rule: CompiledRule): void => {
    if (found === null && coversPath(judgement, rule, path)) found = rule;
  };
  forPathRules(path.use.access === 'write' ? index.paths.Edit : index.paths.Read, path.lexical, test);
  if (path.use.origin === 'argument') index.byTool.get(judgement.call.tool)?.forEach(test);
  return found;
}

function coversPath(judgement: Judgement, rule: CompiledRule, path: JudgedPath): boolean {
  const { spec } = rule;
  if (spec.kind === 'whole') return path.use.origin === 'argument';
  return (
    spec.kind === 'path' &&
    [path.lexical, path.real].every((one) => one !== null && pathMatches(spec.path, one, judgement.bases, 'strict'))
  );
}

/** The rule that allows this simple command. */
export function commandRule(judgement: Judgement, index: RuleIndex, call: ShellCall): CompiledRule | null {
  if (call.doubt !== null || call.name === null || /\s/.test(call.name.value)) return null;
  if (!call.assignments.every((assignment) => isSafeVariable(assignment.name))) return null;
  let found: CompiledRule | null = null;
  const exactOnly = call.wrapper?.exactOnly === true;
  forAliases(judgement, (tool) => {
    forCommandRules(index, tool, call.text, (rule) => {
      if (found === null && rule.spec.kind === 'command' && allows(rule.spec.command, call, exactOnly)) found = rule;
    });
  });
  return found;
}

function forAliases(judgement: Judgement, each: (tool: string) => void): void {
  each(judgement.call.tool);
  judgement.analysis.entry.aliases?.forEach(each);
}

function allows(pattern: CommandPattern, call: ShellCall, exactOnly: boolean): boolean {
  if (exactOnly) return pattern.exact === call.text;
  // An exact rule says what the words are; words that only the running shell knows are none of them.
  if (pattern.exact !== null) return pattern.exact === call.text && call.args.every((word) => word.literal);
  return commandMatches(pattern, call.text) || writtenMatches(pattern, call.source);
}

/** The rule that spells out the whole command line, word for word. */
export function exactLineRule(judgement: Judgement, index: RuleIndex): CompiledRule | null {
  const line = judgement.analysis.command?.trim();
  if (line === undefined) return null;
  let found: CompiledRule | null = null;
  forAliases(judgement, (tool) => {
    forCommandRules(index, tool, line, (rule) => {
      if (rule.spec.kind === 'command' && rule.rule.pattern === `${tool}(${line})` && rule.spec.command.exact !== null)
        found ??= rule;
    });
  });
  return found;
}

/** The one-time grant for exactly this call, if there is one that has not run out. */
export function onceGrant(judgement: Judgement): Grant | null {
  const { call, facts } = judgement;
  return (
    facts.session.grants.find(
      (grant) =>
        grant.kind === 'once' &&
        grant.tool === call.tool &&
        grant.argsHash === call.argsHash &&
        isAlive(grant, facts.now),
    ) ?? null
  );
}

/** ISO-8601 UTC compares as text only when written alike, so times are compared as numbers; an unreadable one is over. */
export function isAlive(grant: Grant, now: string): boolean {
  return grant.expiresAt === null || Date.parse(grant.expiresAt) > Date.parse(now);
}
