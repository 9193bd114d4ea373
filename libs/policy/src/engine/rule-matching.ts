/** Which rules of an index speak about a call, and about which part of it. */
import { forAddressRules } from './address-rules.js';
import type { Judgement, TighteningText } from './judgement.js';
import { forLineRules, speaksOfCommand } from './line-rules.js';
import { forReachedRules } from '../rules/folder-rules.js';
import type { PathRules, RuleIndex } from '../rules/rule-index.js';
import {
  commandText,
  forCommandRules,
  forDomainRules,
  forPathRules,
  forToolRules,
  spanningRulesOf,
} from '../rules/rule-index.js';
import type { CompiledRule, ParameterPattern, RegexSubject, RuleSpec } from '../rules/compiled-rule.js';
import { contentMatches } from '../rules/content-pattern.js';
import { domainMatches, type DomainPattern } from '../rules/domain-pattern.js';
import { pathMatches, pathMayMeet, type PathBases, type PathPattern } from '../rules/path-pattern.js';
import { isAboutAddress, matchesRegex, regexMayReach, type RegexPattern } from '../rules/regex-pattern.js';
import { matchesWildcard } from '../rules/wildcard.js';
import type { ShellCall } from '../shell/plan.js';
import { tighteningFields } from './content-fields.js';
import type { JudgedPath } from './evidence.js';
import { canonicalPath } from '../paths/normalise.js';
import type { PathUse } from './uses.js';
import type { RuleListener } from './rule-listener.js';
import { forRulesOfUnknownWords } from './unknown-words.js';

/** Deny and ask rules: any part that any spelling, path or argument brings under the rule. */
export function forTighteningRules(judgement: Judgement, index: RuleIndex, listen: RuleListener): void {
  if (index.size === 0) return;
  if (judgement.policy.preset.ruleSyntax === 'content') {
    forContentRules(judgement, index, listen);
    return;
  }
  const { call, analysis } = judgement;
  forToolRules(index, call.tool, analysis.entry, (rule) => matchTool(judgement, rule, listen));
  if (analysis.url !== null) matchDomains(judgement, index, listen);
  if (analysis.command !== null) matchCommands(judgement, index, listen);
  if (analysis.addresses.length > 0) forAddressRules(judgement, index, listen);
  for (const path of judgement.paths) matchPath(judgement, index, path, listen);
}

/** Where the first rule that matches is the one that counts, rules speak in the order of the policy. */
function forContentRules(judgement: Judgement, index: RuleIndex, listen: RuleListener): void {
  const rules: CompiledRule[] = [];
  forToolRules(index, judgement.call.tool, judgement.analysis.entry, (rule) => rules.push(rule));
  rules.sort((one, other) => one.rule.order - other.rule.order);
  for (const rule of rules) matchTool(judgement, rule, listen);
}

function matchTool(judgement: Judgement, rule: CompiledRule, listen: RuleListener): void {
  const { spec } = rule;
  switch (spec.kind) {
    case 'whole':
      listen(rule, null, true);
      return;
    case 'domain':
      matchDomain(judgement, rule, spec.domain, listen);
      return;
    case 'text':
      for (const name of judgement.analysis.named) if (matchesWildcard(spec.text, name)) listen(rule, name, true);
      matchParameter(judgement, rule, spec.parameter, listen);
      return;
    case 'command':
      matchParameter(judgement, rule, spec.parameter, listen);
      return;
    case 'content': {
      const field = tighteningFields(judgement).find((one) => contentMatches(spec.content, one));
      if (field !== undefined) listen(rule, field, true);
      return;
    }
    case 'path':
      matchArgumentPaths(judgement, rule, listen);
      return;
    case 'regex':
      matchRegex(judgement, rule, spec, listen);
  }
}

function matchArgumentPaths(judgement: Judgement, rule: CompiledRule, listen: RuleListener): void {
  for (const path of judgement.paths) if (path.use.origin === 'argument') matchOnePath(judgement, rule, path, listen);
}

interface RegexSpec {
  readonly regex: RegexPattern;
  readonly of: RegexSubject;
}

function matchRegex(judgement: Judgement, rule: CompiledRule, { regex, of }: RegexSpec, listen: RuleListener): void {
  switch (of) {
    case 'command':
      return; // held against each program of the line, by the index
    case 'path':
      matchArgumentPaths(judgement, rule, listen);
      return;
    case 'address':
      matchAddress(judgement, rule, regex, listen);
      return;
    case 'name':
      for (const name of judgement.analysis.named) if (matchesRegex(regex, name)) listen(rule, name, true);
      return;
    case 'field': {
      const field = tighteningFields(judgement).find((one) => matchesRegex(regex, one));
      if (field !== undefined) listen(rule, field, true);
    }
  }
}

/** Scheme and host are the same in capitals, so an address is held against the expression in any case. */
function matchAddress(judgement: Judgement, rule: CompiledRule, regex: RegexPattern, listen: RuleListener): void {
  const { url, host, possibleHosts } = judgement.analysis;
  if (url === null) return;
  const texts = isAboutAddress(regex) ? [url.trim()] : possibleHosts;
  if (texts.some((text) => matchesRegex(regex, text, true))) listen(rule, url, true);
  else if (host === null) listen(rule, url, false);
}

/** An address without a plain host may mean any. */
function matchDomains(judgement: Judgement, index: RuleIndex, listen: RuleListener): void {
  const { entry, url, host, possibleHosts } = judgement.analysis;
  if (url === null) return;
  const hosts = host === null ? null : possibleHosts;
  forDomainRules(index, { tool: judgement.call.tool, entry, hosts }, (rule) => matchTool(judgement, rule, listen));
}

/** An address that readers of URLs read differently is held against every host that one of them might mean. */
function matchDomain(judgement: Judgement, rule: CompiledRule, domain: DomainPattern, listen: RuleListener): void {
  const { url, host, possibleHosts } = judgement.analysis;
  if (url === null) return;
  if (possibleHosts.some((possible) => domainMatches(domain, possible))) listen(rule, url, true);
  else if (host === null) listen(rule, url, false);
}

function matchParameter(
  judgement: Judgement,
  rule: CompiledRule,
  parameter: ParameterPattern | null,
  listen: RuleListener,
): void {
  if (parameter !== null && parameterMatches(judgement, parameter)) listen(rule, parameter.name, true);
}

function parameterMatches(judgement: Judgement, parameter: ParameterPattern): boolean {
  const { args } = judgement.analysis;
  if (args === null || !Object.hasOwn(args, parameter.name)) return false;
  const value = args[parameter.name];
  return (
    (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') &&
    matchesWildcard(parameter.value, String(value))
  );
}

function matchCommands(judgement: Judgement, index: RuleIndex, listen: RuleListener): void {
  const { analysis } = judgement;
  if (analysis.command === null || index.commands.size === 0) return;
  matchCommandsOf(judgement, index, judgement.call.tool, listen);
  for (const alias of analysis.entry.aliases ?? []) matchCommandsOf(judgement, index, alias, listen);
}

function matchCommandsOf(judgement: Judgement, index: RuleIndex, tool: string, listen: RuleListener): void {
  const { plan } = judgement.analysis;
  const spanning = spanningRulesOf(index, tool);
  if (plan === null || spanning.length === 0) matchTexts(judgement, index, tool, listen);
  else {
    const open = new Set(spanning);
    const heard: RuleListener = (rule, text, sure) => {
      if (sure) open.delete(rule);
      listen(rule, text, sure);
    };
    matchTexts(judgement, index, tool, heard);
    if (open.size > 0) forLineRules(judgement, open, heard);
  }
  if (plan !== null) forRulesOfUnknownWords(index, tool, plan, (rule, text) => listen(rule, text, false));
}

/** A command that a rule meets in several spellings is told once: as it is written, where that meets it. */
function matchTexts(judgement: Judgement, index: RuleIndex, tool: string, listen: RuleListener): void {
  const told = new Map<CompiledRule, Set<number>>();
  const hear = (rule: CompiledRule, { text, sure, call }: TighteningText): void => {
    if (told.get(rule)?.has(call) === true || !speaksOfCommand(rule.spec, text)) return;
    // What runs here for sure is told even after what only may run.
    if (sure) rememberIn(told, rule, call);
    listen(rule, text, sure);
  };
  for (const command of tighteningTexts(judgement).values()) forCommandRules(index, tool, command, hear);
}

function rememberIn<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([value]));
  else known.add(value);
}

/** Every text that a deny or ask about commands is compared with, and whether it surely runs here. */
function tighteningTexts(judgement: Judgement): ReadonlyMap<string, TighteningText> {
  if (judgement.tighteningTexts !== null) return judgement.tighteningTexts;
  const texts = new Map<string, TighteningText>();
  const { command, plan } = judgement.analysis;
  if (command !== null) addText(texts, command.trim(), { sure: true, call: -1 });
  const calls = plan?.calls ?? [];
  for (let call = 0; call < calls.length; call += 1) {
    const one = calls[call];
    if (one !== undefined) addTexts(texts, one, { call, fold: judgement.facts.platform !== 'linux' });
  }
  judgement.tighteningTexts = texts;
  return texts;
}

/** `fold`: the file system may find `RM` when `rm` is meant. */
function addTexts(texts: Map<string, TighteningText>, call: ShellCall, how: { call: number; fold: boolean }): void {
  const spellings = how.fold ? [...call.spellings, ...call.spellings.map(lowerProgram)] : call.spellings;
  const here: TextOrigin = { sure: !call.foreign, call: how.call };
  for (const spelling of spellings) addText(texts, spelling, here);
  if (call.source !== call.text) addText(texts, call.source, here);
  for (const text of call.elsewhere) addText(texts, text, { sure: false, call: how.call });
}

type TextOrigin = Pick<TighteningText, 'sure' | 'call'>;

/** A text that is there already stays where it is, and is sure when it is so anywhere. That of the whole line is one of its command too. */
function addText(texts: Map<string, TighteningText>, text: string, { sure, call }: TextOrigin): void {
  const known = texts.get(text);
  if (known === undefined) texts.set(text, { text, program: commandText(text).program, sure, call });
  else if ((sure && !known.sure) || known.call < 0)
    texts.set(text, { text, program: known.program, sure: sure || known.sure, call });
}

function lowerProgram(text: string): string {
  const space = text.indexOf(' ');
  return space < 0 ? text.toLowerCase() : text.slice(0, space).toLowerCase() + text.slice(space);
}

/** `Edit(…)` covers all writers; a `Read(…)` rule covers all readers and, as nobody edits what may not be read, writers too. */
function matchPath(judgement: Judgement, index: RuleIndex, path: JudgedPath, listen: RuleListener): void {
  const { use } = path;
  for (const family of use.access === 'write' ? WRITER_FAMILIES : READER_FAMILIES) {
    const rules = index.paths[family];
    if (rules.all.length === 0) continue;
    const meant = family === 'Read' && use.unread === true ? { ...path, use: { ...use, recursive: false } } : path;
    forRulesAbout(rules, meant, (rule) => {
      if (rule.spec.kind !== 'whole') matchOnePath(judgement, rule, meant, listen);
      else if (family === 'Edit') listen(rule, use.text, isSure(use));
    });
  }
}

/** A wildcard or a folder may reach many rules. Where no name is known at all every rule is tried: `Edit` alone means every file. */
function forRulesAbout(rules: PathRules, path: JudgedPath, each: (rule: CompiledRule) => void): void {
  const { use, lexical, real } = path;
  if (lexical === null) forPathRules(rules, null, each);
  else if (use.glob !== null || use.recursive) forReachedRules(rules.byFolder, reachedFolders(path, lexical), each);
  else for (const name of namesOf(lexical, real)) forPathRules(rules, name, each);
}

/** The folders that hold whatever a wildcard or a folder taken whole may be. */
function reachedFolders({ use, real }: JudgedPath, lexical: string): string[] {
  if (use.glob === null) return namesOf(lexical, real);
  const glob = canonicalPath(use.glob) ?? '/';
  const wild = glob.search(/[*?[\\]/);
  return [wild < 0 ? glob : glob.slice(0, glob.lastIndexOf('/', wild)) || '/'];
}

const WRITER_FAMILIES = ['Edit', 'Read'] as const;
const READER_FAMILIES = ['Read'] as const;

function namesOf(lexical: string, real: string | null): string[] {
  return real === null || real === lexical ? [lexical] : [lexical, real];
}

function matchOnePath(judgement: Judgement, rule: CompiledRule, path: JudgedPath, listen: RuleListener): void {
  const { use, lexical, real } = path;
  const { bases } = judgement;
  if (lexical === null) return;
  const covered = use.glob === null && namesOf(lexical, real).some((one) => coversLoosely(rule.spec, one, bases));
  if (covered || mayReach(rule.spec, path, bases)) listen(rule, use.text, covered && isSure(use));
}

/** What a program's words only may name is asked about. */
function isSure({ origin, call }: PathUse): boolean {
  return origin !== 'guess' || call < 0;
}

function coversLoosely(spec: RuleSpec, path: string, bases: PathBases): boolean {
  if (spec.kind === 'path') return pathMatches(spec.path, path, bases, 'loose');
  return spec.kind === 'regex' && matchesRegex(spec.regex, path, true);
}

/** A wildcard, or a folder taken with all below it, may reach what the pattern covers. */
function mayReach(spec: RuleSpec, path: JudgedPath, bases: PathBases): boolean {
  const { use, lexical, real } = path;
  if (lexical === null || (use.glob === null && !use.recursive)) return false;
  if (spec.kind === 'regex') return namesOf(lexical, real).some((folder) => regexMayReach(spec.regex, folder));
  return spec.kind === 'path' && patternMayReach(spec.path, path, bases);
}

function patternMayReach(pattern: PathPattern, { use, lexical, real }: JudgedPath, bases: PathBases): boolean {
  const reached = use.glob === null ? escapeForGlob(real ?? lexical ?? '/') : (canonicalPath(use.glob) ?? '/');
  return pathMayMeet(pattern, { path: reached, recursive: use.recursive }, bases);
}

function escapeForGlob(path: string): string {
  return path.replace(/[*?[\\]/g, '\\$&');
}
