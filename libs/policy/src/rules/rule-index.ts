/** Rules of one effect, arranged so that a call meets only those that may concern it. */
import type { ToolFamily, ToolEntry } from '../tools/manifest.js';
import type { CompiledRule, RuleSpec } from './compiled-rule.js';
import type { DomainPattern } from './domain-pattern.js';
import { addToFolders, emptyFolders, forFolderRules, sortFolders, type FolderRules } from './folder-rules.js';
import { foldedSegments } from '../paths/folded-segments.js';
import type { PathPattern } from './path-pattern.js';
import { matchesWildcard } from './wildcard.js';

interface CommandRules {
  readonly byProgram: Map<string, ProgramRules>;
  readonly any: CompiledRule[];
  /** Those that may meet several commands together although they meet none of them. */
  readonly spanning: CompiledRule[];
}

/** Command rules of one program, by their second word; `open` are those that take several. */
interface ProgramRules {
  readonly bySecond: Map<string, CompiledRule[]>;
  readonly open: CompiledRule[];
}

/** Path rules of one family, by their folder or by a literal segment of each: a path without it cannot be meant. */
export interface PathRules {
  readonly all: CompiledRule[];
  readonly byLiteral: Map<string, CompiledRule[]>;
  readonly open: CompiledRule[];
  readonly byFolder: FolderRules;
}

/** Domain rules of one tool, by the name that a host must be or end in; `open` are those with wildcards inside. */
interface DomainRules {
  readonly byName: Map<string, CompiledRule[]>;
  readonly open: CompiledRule[];
}

/** An index over rules of one effect; every list is in the order of the policy. */
export interface RuleIndex {
  readonly size: number;
  readonly byTool: Map<string, CompiledRule[]>;
  readonly servers: Map<string, CompiledRule[]>;
  readonly wildcards: CompiledRule[];
  readonly commands: Map<string, CommandRules>;
  readonly domains: Map<string, DomainRules>;
  readonly paths: Readonly<Record<ToolFamily, PathRules>>;
}

function emptyPaths(): PathRules {
  return { all: [], byLiteral: new Map(), open: [], byFolder: emptyFolders() };
}

/** Builds the index. */
export function indexRules(rules: readonly CompiledRule[]): RuleIndex {
  const index: RuleIndex = {
    size: rules.length,
    byTool: new Map(),
    servers: new Map(),
    wildcards: [],
    commands: new Map(),
    domains: new Map(),
    paths: { Edit: emptyPaths(), Read: emptyPaths() },
  };
  for (const rule of rules) addRule(index, rule);
  sortFolders(index.paths.Edit.byFolder);
  sortFolders(index.paths.Read.byFolder);
  return index;
}

function addRule(index: RuleIndex, rule: CompiledRule): void {
  const { tool } = rule;
  if (tool.kind === 'wildcard') index.wildcards.push(rule);
  else if (tool.kind === 'server') push(index.servers, tool.name, rule);
  else if (rule.spec.kind === 'domain') addDomainRule(index, tool.name, rule.spec.domain, rule);
  else addNamed(index, tool.name, rule);
}

function addNamed(index: RuleIndex, name: string, rule: CompiledRule): void {
  const { spec } = rule;
  const family = name === 'Edit' || name === 'Read' ? index.paths[name] : null;
  const aboutFiles = isAbout(spec, 'path');
  const aboutCommands = isAbout(spec, 'command');
  if (family !== null && (aboutFiles || spec.kind === 'whole')) addPathRule(family, rule);
  if (aboutCommands) addCommandRule(index, name, rule);
  const isIndexed = aboutCommands ? !mayBeParameter(spec) : aboutFiles && family !== null;
  if (!isIndexed) push(index.byTool, name, rule);
}

/** `Bash(run_in_background:true)` may be a parameter as well as a command. */
function mayBeParameter(spec: RuleSpec): boolean {
  return spec.kind === 'command' && spec.parameter !== null;
}

function addDomainRule(index: RuleIndex, name: string, domain: DomainPattern, rule: CompiledRule): void {
  let rules = index.domains.get(name);
  if (rules === undefined) {
    rules = { byName: new Map(), open: [] };
    index.domains.set(name, rules);
  }
  const { everything, labels } = domain;
  if (everything || labels.some((label) => label.includes('*'))) rules.open.push(rule);
  else push(rules.byName, labels.join('.'), rule);
}

/** Calls `each` for every domain rule of the tool that may cover one of the hosts; without hosts, for all of them. */
export function forDomainRules(
  index: RuleIndex,
  call: { readonly tool: string; readonly entry: ToolEntry; readonly hosts: readonly string[] | null },
  each: (rule: CompiledRule) => void,
): void {
  if (index.domains.size === 0) return;
  for (const tool of [call.tool, ...(call.entry.aliases ?? [])]) {
    const rules = index.domains.get(tool);
    if (rules === undefined) continue;
    rules.open.forEach(each);
    if (call.hosts === null) for (const list of rules.byName.values()) list.forEach(each);
    else forNames(rules.byName, call.hosts, each);
  }
}

/** Calls `each` for every domain rule of the tools that may cover one of the hosts; without hosts, for all of them. */
export function forHostRules(
  index: RuleIndex,
  about: { readonly hosts: readonly string[] | null; readonly isMeant: (tool: string) => boolean },
  each: (rule: CompiledRule) => void,
): void {
  for (const [tool, { open, byName }] of index.domains) {
    if (!about.isMeant(tool)) continue;
    open.forEach(each);
    if (about.hosts === null) for (const list of byName.values()) list.forEach(each);
    else forNames(byName, about.hosts, each);
  }
}

/** A host, and every name that it ends in. */
function forNames(
  byName: Map<string, CompiledRule[]>,
  hosts: readonly string[],
  each: (rule: CompiledRule) => void,
): void {
  for (const host of hosts) {
    for (let at = 0; at >= 0; at = host.indexOf('.', at + 1)) {
      byName.get(at === 0 ? host : host.slice(at + 1))?.forEach(each);
    }
  }
}

function isAbout(spec: RuleSpec, what: 'path' | 'command'): boolean {
  return spec.kind === 'regex' ? spec.of === what : spec.kind === what;
}

function addPathRule(rules: PathRules, rule: CompiledRule): void {
  const hasFolder = addToFolders(rules.byFolder, rule, rules.all.length);
  rules.all.push(rule);
  if (hasFolder) return;
  const literal = rule.spec.kind === 'path' ? rarestSegment(rule.spec.path) : null;
  if (literal === null) rules.open.push(rule);
  else push(rules.byLiteral, literal, rule);
}

/** The longest literal segment: the one that fewest paths have. */
function rarestSegment(path: PathPattern): string | null {
  let rarest: string | null = null;
  for (const segment of path.segments) {
    const text = segment?.folded ?? null;
    if (text !== null && text !== '..' && text.length > (rarest?.length ?? 0)) rarest = text;
  }
  return rarest;
}

/** Calls `each` for every rule of the family that may cover the canonical path; without a path for all. */
export function forPathRules(rules: PathRules, path: string | null, each: (rule: CompiledRule) => void): void {
  if (path === null || rules.all.length <= FEW) {
    rules.all.forEach(each);
    return;
  }
  rules.open.forEach(each);
  forFolderRules(rules.byFolder, path, each);
  if (rules.byLiteral.size === 0) return;
  // A name that a path holds twice brings its rules twice, which changes nothing.
  for (const segment of foldedSegments(path)) rules.byLiteral.get(segment)?.forEach(each);
}

/** So few rules are faster tried than looked up. */
const FEW = 4;

function addCommandRule(index: RuleIndex, name: string, rule: CompiledRule): void {
  const program = programOf(rule);
  let rules = index.commands.get(name);
  if (rules === undefined) {
    rules = { byProgram: new Map(), any: [], spanning: [] };
    index.commands.set(name, rules);
  }
  if (maySpan(rule.spec)) rules.spanning.push(rule);
  if (program === null) rules.any.push(rule);
  else addProgramRule(rules.byProgram, program, rule);
}

/** A pattern that only says how a command begins meets a line no sooner than the first command of it, unless it begins as no command does. */
function maySpan(spec: RuleSpec): boolean {
  if (spec.kind === 'regex') return true;
  if (spec.kind !== 'command') return false;
  const { pieces, stars } = spec.command.whole;
  const [head = '', tail = ''] = pieces;
  const onlyBegins = !stars || (pieces.length === 2 && tail === '');
  return !onlyBegins || MORE_THAN_WORDS.test(head) || KEYWORD.test(head);
}

/** Signs that the text of a command has lost, since its quoting is undone, or that stand between commands. */
const MORE_THAN_WORDS = /[|&;<>(){}\n'"`\\#]/;
const KEYWORD = /^(?:if|while|until|for|select|case|function|time|coproc|!|\[\[)(?: |$)/;

function addProgramRule(byProgram: Map<string, ProgramRules>, program: string, rule: CompiledRule): void {
  let rules = byProgram.get(program);
  if (rules === undefined) {
    rules = { bySecond: new Map(), open: [] };
    byProgram.set(program, rules);
  }
  const second = rule.spec.kind === 'command' ? rule.spec.command.second : null;
  if (second === null) rules.open.push(rule);
  else push(rules.bySecond, second, rule);
}

function programOf({ spec }: CompiledRule): string | null {
  if (spec.kind === 'command') return spec.command.program;
  return spec.kind === 'regex' ? spec.regex.program : null;
}

function push(map: Map<string, CompiledRule[]>, key: string, rule: CompiledRule): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [rule]);
  else list.push(rule);
}

/** Calls `each` for every rule that names this tool: by name, alias, server or wildcard. */
export function forToolRules(
  index: RuleIndex,
  tool: string,
  entry: ToolEntry,
  each: (rule: CompiledRule) => void,
): void {
  index.byTool.get(tool)?.forEach(each);
  for (const alias of entry.aliases ?? []) index.byTool.get(alias)?.forEach(each);
  if (index.servers.size > 0 && tool.startsWith('mcp__')) forServers(index, tool, each);
  for (const rule of index.wildcards) {
    if (rule.tool.kind === 'wildcard' && matchesWildcard(rule.tool.pattern, tool)) each(rule);
  }
}

/** A server's name may hold `__` itself, so every prefix that ends before `__` is a candidate. */
function forServers(index: RuleIndex, tool: string, each: (rule: CompiledRule) => void): void {
  index.servers.get(tool)?.forEach(each);
  for (let at = tool.indexOf('__', 5); at > 0; at = tool.indexOf('__', at + 1)) {
    index.servers.get(tool.slice(0, at))?.forEach(each);
  }
}

/** A command's text with its first word, by which rules are found: cut once, since every index is asked. */
export interface CommandText {
  readonly text: string;
  readonly program: string;
}

/** The text of a command as rules are looked up by it. */
export function commandText(text: string): CommandText {
  const space = text.indexOf(' ');
  return { text, program: space < 0 ? text : text.slice(0, space) };
}

/** Calls `each` for every command rule of the tool whose first two words are those of the command, or open. */
export function forCommandRules<Text extends CommandText>(
  index: RuleIndex,
  tool: string,
  command: Text,
  each: (rule: CompiledRule, command: Text) => void,
): void {
  const rules = index.commands.get(tool);
  if (rules === undefined) return;
  const own = rules.byProgram.get(command.program);
  if (own !== undefined) {
    for (const rule of own.open) each(rule, command);
    for (const rule of secondRules(own, command)) each(rule, command);
  }
  for (const rule of rules.any) each(rule, command);
}

/** The first of these rules that passes the test; null when none does. */
export function findCommandRule(
  index: RuleIndex,
  tool: string,
  command: CommandText,
  test: (rule: CompiledRule) => boolean,
): CompiledRule | null {
  const rules = index.commands.get(tool);
  if (rules === undefined) return null;
  const own = rules.byProgram.get(command.program);
  const found = own === undefined ? undefined : (own.open.find(test) ?? secondRules(own, command).find(test));
  return found ?? rules.any.find(test) ?? null;
}

/** Every command rule of the tool that may meet a whole line although it meets no command of it. */
export function spanningRulesOf(index: RuleIndex, tool: string): readonly CompiledRule[] {
  return index.commands.get(tool)?.spanning ?? NO_RULES;
}

/** Every command rule of the tool about that program, whatever its second word. */
export function commandRulesOf(index: RuleIndex, tool: string, program: string): readonly CompiledRule[] {
  const own = index.commands.get(tool)?.byProgram.get(program);
  return own === undefined ? NO_RULES : [...own.open, ...[...own.bySecond.values()].flat()];
}

const NO_RULES: readonly CompiledRule[] = [];

function secondRules(own: ProgramRules, command: CommandText): readonly CompiledRule[] {
  if (own.bySecond.size === 0) return NO_RULES;
  return own.bySecond.get(secondWord(command)) ?? NO_RULES;
}

function secondWord({ text, program }: CommandText): string {
  const start = program.length + 1;
  const end = text.indexOf(' ', start);
  return end < 0 ? text.slice(start) : text.slice(start, end);
}
