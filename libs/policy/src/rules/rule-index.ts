/** Rules of one effect, arranged so that a call meets only those that may concern it. */
import type { ToolFamily, ToolEntry } from '../tools/manifest.js';
import type { CompiledRule } from './compiled-rule.js';
import { matchesWildcard } from './wildcard.js';

interface CommandRules {
  readonly byProgram: Map<string, CompiledRule[]>;
  readonly any: CompiledRule[];
}

/** Path rules of one family, by a literal segment of each: a path without that segment cannot be meant. */
export interface PathRules {
  readonly all: CompiledRule[];
  readonly byLiteral: Map<string, CompiledRule[]>;
  readonly open: CompiledRule[];
}

/** An index over rules of one effect; every list is in the order of the policy. */
export interface RuleIndex {
  readonly size: number;
  readonly byTool: Map<string, CompiledRule[]>;
  readonly servers: Map<string, CompiledRule[]>;
  readonly wildcards: CompiledRule[];
  readonly commands: Map<string, CommandRules>;
  readonly paths: Readonly<Record<ToolFamily, PathRules>>;
}

function emptyPaths(): PathRules {
  return { all: [], byLiteral: new Map(), open: [] };
}

/** Builds the index. */
export function indexRules(rules: readonly CompiledRule[]): RuleIndex {
  const index: RuleIndex = {
    size: rules.length,
    byTool: new Map(),
    servers: new Map(),
    wildcards: [],
    commands: new Map(),
    paths: { Edit: emptyPaths(), Read: emptyPaths() },
  };
  for (const rule of rules) addRule(index, rule);
  return index;
}

function addRule(index: RuleIndex, rule: CompiledRule): void {
  const { tool } = rule;
  if (tool.kind === 'wildcard') index.wildcards.push(rule);
  else if (tool.kind === 'server') push(index.servers, tool.name, rule);
  else addNamed(index, tool.name, rule);
}

function addNamed(index: RuleIndex, name: string, rule: CompiledRule): void {
  const { spec } = rule;
  const family = name === 'Edit' || name === 'Read' ? index.paths[name] : null;
  if (family !== null && (spec.kind === 'path' || spec.kind === 'whole')) addPathRule(family, rule);
  if (spec.kind === 'command') addCommandRule(index, name, rule);
  // `Bash(run_in_background:true)` may be a parameter as well as a command.
  const byName = spec.kind === 'command' ? spec.parameter !== null : spec.kind !== 'path' || family === null;
  if (byName) push(index.byTool, name, rule);
}

function addPathRule(rules: PathRules, rule: CompiledRule): void {
  rules.all.push(rule);
  const literal =
    rule.spec.kind === 'path'
      ? rule.spec.path.segments.find((one) => one !== null && one.folded !== null && one.folded !== '..')?.folded
      : null;
  if (literal === null || literal === undefined) rules.open.push(rule);
  else push(rules.byLiteral, literal, rule);
}

/** Calls `each` for every rule of the family that may cover the canonical path; without a path (a wildcard, a folder taken whole) for all. */
export function forPathRules(rules: PathRules, path: string | null, each: (rule: CompiledRule) => void): void {
  if (path === null || rules.all.length <= FEW) {
    rules.all.forEach(each);
    return;
  }
  rules.open.forEach(each);
  for (const segment of new Set(path.toLowerCase().split('/'))) rules.byLiteral.get(segment)?.forEach(each);
}

/** So few rules are faster tried than looked up. */
const FEW = 4;

function addCommandRule(index: RuleIndex, name: string, rule: CompiledRule): void {
  if (rule.spec.kind !== 'command') return;
  let rules = index.commands.get(name);
  if (rules === undefined) {
    rules = { byProgram: new Map(), any: [] };
    index.commands.set(name, rules);
  }
  const { program } = rule.spec.command;
  if (program === null) rules.any.push(rule);
  else push(rules.byProgram, program, rule);
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

/** Calls `each` for every command rule of the tool whose first word is that of `text`, or open. */
export function forCommandRules(
  index: RuleIndex,
  tool: string,
  text: string,
  each: (rule: CompiledRule) => void,
): void {
  const rules = index.commands.get(tool);
  if (rules === undefined) return;
  const space = text.indexOf(' ');
  rules.byProgram.get(space < 0 ? text : text.slice(0, space))?.forEach(each);
  rules.any.forEach(each);
}
