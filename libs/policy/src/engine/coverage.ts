/** Which allow rules, grants and classes cover which part of a call. Allow is strict: every part needs its own cover. */
import type { Grant } from '@countersign/contracts';
import { isSafeVariable } from '../commands/environment.js';
import { commandMatches, writtenMatches, type CommandPattern } from '../rules/command-pattern.js';
import type { CompiledRule, RegexSubject, RuleSpec } from '../rules/compiled-rule.js';
import { contentMatches } from '../rules/content-pattern.js';
import { domainMatches } from '../rules/domain-pattern.js';
import { pathMatches } from '../rules/path-pattern.js';
import { isAboutAddress, matchesRegex, type RegexPattern } from '../rules/regex-pattern.js';
import {
  commandText,
  findCommandRule,
  forDomainRules,
  forPathRules,
  forToolRules,
  type CommandText,
  type RuleIndex,
} from '../rules/rule-index.js';
import { matchesWildcard } from '../rules/wildcard.js';
import type { ShellCall } from '../shell/plan.js';
import { contentFields } from './content-fields.js';
import type { JudgedPath } from './evidence.js';
import type { Judgement } from './judgement.js';
import { mayBeGitDanger } from './unknown-words.js';

/** The first rule of the index that allows the tool as a whole, or by its host or named argument; null when none does. */
export function wholeToolRule(judgement: Judgement, index: RuleIndex): CompiledRule | null {
  let found: CompiledRule | null = null as CompiledRule | null;
  const inOrder = judgement.policy.preset.coverage === 'call';
  const { tool } = judgement.call;
  const { entry, host } = judgement.analysis;
  const test = (rule: CompiledRule): void => {
    const isFirst = found === null || (inOrder && rule.rule.order < found.rule.order);
    if (isFirst && coversWhole(judgement, rule)) found = rule;
  };
  forToolRules(index, tool, entry, test);
  if (host !== null) forDomainRules(index, { tool, entry, hosts: [host] }, test);
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
    case 'content':
      return contentFields(judgement).some((field) => contentMatches(spec.content, field));
    case 'regex':
      return regexCoversWhole(judgement, spec.regex, spec.of);
    case 'command':
    case 'path':
      return false;
  }
}

function regexCoversWhole(judgement: Judgement, regex: RegexPattern, of: RegexSubject): boolean {
  const { url, host, named } = judgement.analysis;
  switch (of) {
    case 'address': {
      const text = isAboutAddress(regex) ? url : host;
      return host !== null && text !== null && matchesRegex(regex, text);
    }
    case 'name':
      return named.length > 0 && named.every((name) => matchesRegex(regex, name));
    case 'field':
      return contentFields(judgement).some((field) => matchesRegex(regex, field));
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
  const byTool = judgement.policy.preset.pathRulesBy === 'tool_or_family';
  if (byTool && path.use.origin === 'argument') index.byTool.get(judgement.call.tool)?.forEach(test);
  return found;
}

function coversPath(judgement: Judgement, rule: CompiledRule, path: JudgedPath): boolean {
  const { spec } = rule;
  if (spec.kind === 'whole') return path.use.origin === 'argument' && path.use.byUrl !== true;
  // An expression that names a folder says nothing of what lies below it.
  if (spec.kind === 'regex' && path.use.recursive) return false;
  const { lexical, real } = path;
  if (lexical === null || real === null || !coversName(judgement, spec, lexical)) return false;
  return real === lexical || coversName(judgement, spec, real);
}

function coversName(judgement: Judgement, spec: RuleSpec, path: string): boolean {
  if (spec.kind === 'path') return pathMatches(spec.path, path, judgement.bases, 'strict');
  return spec.kind === 'regex' && spec.of === 'path' && matchesRegex(spec.regex, path);
}

/** No rule speaks for a program, or for a subcommand of git, that nobody knows. */
function isBeyondRules({ analysis }: Judgement, call: ShellCall): boolean {
  if (call.doubt !== null || call.name === null || /\s/.test(call.name.value)) return true;
  return analysis.plan !== null && mayBeGitDanger(call, analysis.plan);
}

/** The rule that allows this simple command. */
export function commandRule(judgement: Judgement, index: RuleIndex, call: ShellCall): CompiledRule | null {
  if (isBeyondRules(judgement, call)) return null;
  for (const { name } of call.assignments) if (!isSafeVariable(name)) return null;
  const want: ExactNeeds = {
    exactOnly: call.wrapper?.exactOnly === true,
    blanks: judgement.policy.preset.commands.exactBlanks,
  };
  const command = judgement.tighteningTexts?.get(call.text) ?? commandText(call.text);
  return findRule(judgement, index, command, ({ spec }) => allowsCommand(spec, call, want));
}

/** The first rule about the command, under the tool's own name or another one, that passes the test. */
function findRule(
  judgement: Judgement,
  index: RuleIndex,
  command: CommandText,
  test: (rule: CompiledRule) => boolean,
): CompiledRule | null {
  let found = findCommandRule(index, judgement.call.tool, command, test);
  for (const alias of judgement.analysis.entry.aliases ?? []) found ??= findCommandRule(index, alias, command, test);
  return found;
}

/** What an exact rule needs: `exactOnly` that there be one at all, `blanks` that the line's blanks be single. */
interface ExactNeeds {
  readonly exactOnly: boolean;
  readonly blanks: boolean;
}

function allowsCommand(spec: RuleSpec, call: ShellCall, needs: ExactNeeds): boolean {
  if (spec.kind === 'command') return allows(spec.command, call, needs);
  if (spec.kind !== 'regex' || needs.exactOnly) return false;
  if (needs.blanks && !hasSingleBlanks(call)) return false;
  // An expression speaks of letters; of a word that only the running shell knows it knows none.
  return call.args.every((word) => word.literal) && matchesRegex(spec.regex, call.text);
}

function allows(pattern: CommandPattern, call: ShellCall, needs: ExactNeeds): boolean {
  if (pattern.exact !== null && needs.blanks && !hasSingleBlanks(call)) return false;
  if (needs.exactOnly) return pattern.exact === call.text;
  // An exact rule says what the words are; words that only the running shell knows are none of them.
  if (pattern.exact !== null) return pattern.exact === call.text && call.args.every((word) => word.literal);
  return commandMatches(pattern, call.text) || writtenMatches(pattern, call.source);
}

function hasSingleBlanks(call: ShellCall): boolean {
  const words = [call.name, ...call.args].map((word) => word?.text ?? '');
  return call.source.includes(words.join(' '));
}

/** The rule that spells out the whole command line, word for word. */
export function exactLineRule(judgement: Judgement, index: RuleIndex): CompiledRule | null {
  const line = judgement.analysis.command?.trim();
  if (line === undefined) return null;
  const command = judgement.tighteningTexts?.get(line) ?? commandText(line);
  return findRule(judgement, index, command, (rule) => spellsOut(rule, line));
}

function spellsOut({ spec, tool, rule }: CompiledRule, line: string): boolean {
  if (spec.kind !== 'command' || spec.command.exact === null || tool.kind !== 'name') return false;
  return rule.pattern === `${tool.name}(${line})`;
}

/** The grants for this exact call, one-time ones first. */
export function exactGrants({ call, facts }: Judgement): readonly Grant[] {
  const { grants } = facts.session;
  if (grants.length === 0) return [];
  const exact = grants.filter(
    (grant) =>
      grant.tool === call.tool &&
      grant.argsHash === call.argsHash &&
      isOfPlace(grant, call.placeHash) &&
      isAlive(grant, facts.now),
  );
  return exact.sort((a, b) => Number(b.kind === 'once') - Number(a.kind === 'once'));
}

/** A grant for one call is for that call in its folder, on its server and with the files that its paths led to. */
function isOfPlace({ placeHash: granted }: Grant, placeHash: string | undefined): boolean {
  return granted === undefined || granted === (placeHash ?? null);
}

/** ISO-8601 UTC compares as text only when written alike, so times are compared as numbers; an unreadable one is over. */
export function isAlive(grant: Grant, now: string): boolean {
  return grant.expiresAt === null || Date.parse(grant.expiresAt) > Date.parse(now);
}
