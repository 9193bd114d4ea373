/** One rule, ready to match: its tool pattern and what its text compares with. */
import type { Rule } from '@countersign/contracts';
import type { ToolEntry, ToolManifest } from '../tools/manifest.js';
import { toolEntry } from '../tools/manifest.js';
import { compileCommandPattern, type CommandPattern } from './command-pattern.js';
import { compileContent, type ContentPattern } from './content-pattern.js';
import { compileDomain, type DomainPattern } from './domain-pattern.js';
import { parseRuleText, REGEX_MARK } from './parse-rule.js';
import { compilePathPattern, type PathPattern } from './path-pattern.js';
import { compileRegex, type RegexPattern } from './regex-pattern.js';
import { compileWildcard, type Wildcard } from './wildcard.js';

/** `Tool(name:value)`: a top-level scalar argument. */
export interface ParameterPattern {
  readonly name: string;
  readonly value: Wildcard;
}

/** What the expression of a rule is held against: simple commands, files, addresses, the name that a call is about, any field. */
export type RegexSubject = 'command' | 'path' | 'address' | 'name' | 'field';

/** What stands in the brackets of a rule. */
export type RuleSpec =
  | { readonly kind: 'whole' }
  | { readonly kind: 'command'; readonly command: CommandPattern; readonly parameter: ParameterPattern | null }
  | { readonly kind: 'path'; readonly path: PathPattern }
  | { readonly kind: 'domain'; readonly domain: DomainPattern }
  | { readonly kind: 'content'; readonly content: ContentPattern }
  | { readonly kind: 'regex'; readonly regex: RegexPattern; readonly of: RegexSubject }
  | { readonly kind: 'text'; readonly text: Wildcard; readonly parameter: ParameterPattern | null };

/** How the tool's name is given: one name, a whole MCP server, or a pattern with `*`. */
export type ToolPattern =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'server'; readonly name: string }
  | { readonly kind: 'wildcard'; readonly pattern: Wildcard };

export interface CompiledRule {
  readonly rule: Rule;
  readonly tool: ToolPattern;
  readonly spec: RuleSpec;
}

/** `warning`: it works, but is written in a form that is out of use. */
export type RuleCompilation =
  | { readonly ok: true; readonly compiled: CompiledRule; readonly warning: string | null }
  | { readonly ok: false; readonly message: string };

/**
 * How the texts of rules are read: `patterns` by kind of tool, `plain_patterns` the same without the legacy tail `:*` (which is
 * literal text there), `content` one text held against some fields of the call.
 */
export type RuleSyntax = 'patterns' | 'plain_patterns' | 'content';

/** Compiles a rule. Not ok: the text is malformed, or an allow whose tool pattern names no tool or server. */
export function compileRule(rule: Rule, manifest: ToolManifest, syntax: RuleSyntax = 'patterns'): RuleCompilation {
  if (syntax === 'content') return compileContentRule(rule);
  const text = parseRuleText(rule.pattern);
  if (text === null)
    return { ok: false, message: `malformed rule \`${rule.pattern}\`: write \`Tool\` or \`Tool(text)\`` };
  const tool = toolPattern(text.tool);
  if (rule.effect === 'allow' && isSpanning(tool, text.tool)) {
    return { ok: false, message: `allow rule \`${rule.pattern}\` names no tool or server: an allow may not span them` };
  }
  const place = { rule, tool };
  if (text.spec === null) return { ok: true, compiled: { ...place, spec: WHOLE }, warning: null };
  if (text.spec.startsWith(REGEX_MARK)) return compileRegexRule(place, text.spec, subjectOf(text.tool, manifest));
  return compilePlainRule(place, text.spec, {
    entry: toolEntry(manifest, text.tool),
    legacyTail: syntax === 'patterns',
  });
}

/** A rule without what stands in its brackets. */
type RulePlace = Omit<CompiledRule, 'spec'>;

function compilePlainRule(place: RulePlace, text: string, reading: SpecReading): RuleCompilation {
  const { pattern } = place.rule;
  const spec = compileSpec(text, reading);
  if (spec === null) return { ok: false, message: `rule \`${pattern}\` has an empty text in its brackets` };
  const old = reading.legacyTail && spec.kind === 'command' && text.endsWith(':*');
  return { ok: true, compiled: { ...place, spec }, warning: old ? oldTail(pattern) : null };
}

/** What takes the place of a legacy tail. */
export function withoutLegacyTail(pattern: string): string {
  return pattern.trim().replace(/:\*\s*\)$/, ' *)');
}

function oldTail(pattern: string): string {
  return `the tail \`:*\` is out of use: write \`${withoutLegacyTail(pattern)}\`, which means the same`;
}

function compileRegexRule(place: RulePlace, text: string, of: RegexSubject): RuleCompilation {
  const result = compileRegex(text.slice(REGEX_MARK.length));
  if (!result.ok) return { ok: false, message: `rule \`${place.rule.pattern}\`: ${result.message}` };
  return { ok: true, compiled: { ...place, spec: { kind: 'regex', regex: result.regex, of } }, warning: null };
}

function subjectOf(tool: string, manifest: ToolManifest): RegexSubject {
  const entry = toolEntry(manifest, tool);
  if (isFileTool(entry)) return 'path';
  if (entry.command !== undefined) return 'command';
  return entry.url === undefined ? 'name' : 'address';
}

function isFileTool({ family, kind }: ToolEntry): boolean {
  return family !== undefined || kind === 'read' || kind === 'write';
}

const WHOLE: RuleSpec = { kind: 'whole' };

/** Only a lone `*` stands for every tool; any other name is meant as it is written. */
function compileContentRule(rule: Rule): RuleCompilation {
  const text = parseRuleText(rule.pattern);
  if (text === null)
    return { ok: false, message: `malformed rule \`${rule.pattern}\`: write \`tool\` or \`tool(text)\`` };
  const tool: ToolPattern =
    text.tool === '*' ? { kind: 'wildcard', pattern: compileWildcard('*') } : { kind: 'name', name: text.tool };
  if (text.spec?.startsWith(REGEX_MARK) === true) return compileRegexRule({ rule, tool }, text.spec, 'field');
  const spec: RuleSpec = text.spec === null ? WHOLE : { kind: 'content', content: compileContent(text.spec) };
  return { ok: true, compiled: { rule, tool, spec }, warning: null };
}

/** `mcp__server__get_*` is anchored to a server; `mcp__*` and `*` are not. */
function isSpanning(pattern: ToolPattern, tool: string): boolean {
  const star = tool.indexOf('*');
  return pattern.kind === 'wildcard' && !/^mcp__[^*]+?__/.test(tool.slice(0, star));
}

function toolPattern(tool: string): ToolPattern {
  if (tool.startsWith('mcp__') && tool.endsWith('__*') && tool.indexOf('*') === tool.length - 1 && tool.length > 8) {
    return { kind: 'server', name: tool.slice(0, -3) };
  }
  if (tool.includes('*')) return { kind: 'wildcard', pattern: compileWildcard(tool) };
  if (tool.startsWith('mcp__') && !tool.slice(5).includes('__')) return { kind: 'server', name: tool };
  return { kind: 'name', name: tool };
}

/** What a spec is compiled with: its tool. `legacyTail`: `x:*` means `x *`. */
interface SpecReading {
  readonly entry: ToolEntry;
  readonly legacyTail: boolean;
}

function compileSpec(text: string, { entry, legacyTail }: SpecReading): RuleSpec | null {
  if (text.startsWith('domain:')) {
    const domain = compileDomain(text.slice(7));
    return domain === null ? null : { kind: 'domain', domain };
  }
  if (isFileTool(entry)) {
    const path = compilePathPattern(text);
    return path === null ? null : { kind: 'path', path };
  }
  if (entry.command !== undefined) {
    const command = compileCommandPattern(text, legacyTail);
    return { kind: 'command', command, parameter: parameterOf(text, entry.command.name) };
  }
  return { kind: 'text', text: compileWildcard(text), parameter: parameterOf(text, null) };
}

/** `name:value`; the argument that the rules of the tool compare anyway is no parameter. */
function parameterOf(text: string, primary: string | null): ParameterPattern | null {
  const match = /^([A-Za-z_][A-Za-z0-9_]*):(?!\*$)(.+)$/.exec(text);
  const name = match?.[1];
  const value = match?.[2];
  if (name === undefined || value === undefined || name === primary) return null;
  return { name, value: compileWildcard(value) };
}
