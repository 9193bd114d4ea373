/** One rule, ready to match: its tool pattern and what its text compares with. */
import type { Rule } from '@countersign/contracts';
import type { ToolManifest } from '../tools/manifest.js';
import { toolEntry } from '../tools/manifest.js';
import { compileCommandPattern, type CommandPattern } from './command-pattern.js';
import { compileDomain, type DomainPattern } from './domain-pattern.js';
import { parseRuleText } from './parse-rule.js';
import { compilePathPattern, type PathPattern } from './path-pattern.js';
import { compileWildcard, type Wildcard } from './wildcard.js';

/** `Tool(name:value)`: a top-level scalar argument. */
export interface ParameterPattern {
  readonly name: string;
  readonly value: Wildcard;
}

/** What stands in the brackets of a rule. */
export type RuleSpec =
  | { readonly kind: 'whole' }
  | { readonly kind: 'command'; readonly command: CommandPattern; readonly parameter: ParameterPattern | null }
  | { readonly kind: 'path'; readonly path: PathPattern }
  | { readonly kind: 'domain'; readonly domain: DomainPattern }
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

export type RuleCompilation =
  | { readonly ok: true; readonly compiled: CompiledRule; readonly warning: string | null }
  | { readonly ok: false; readonly message: string };

/** Compiles a rule. Not ok: the text is malformed, or an allow whose tool pattern names no tool or server. */
export function compileRule(rule: Rule, manifest: ToolManifest): RuleCompilation {
  const text = parseRuleText(rule.pattern);
  if (text === null)
    return { ok: false, message: `malformed rule \`${rule.pattern}\`: write \`Tool\` or \`Tool(text)\`` };
  const tool = toolPattern(text.tool);
  if (rule.effect === 'allow' && tool.kind === 'wildcard' && !isAnchored(text.tool)) {
    return { ok: false, message: `allow rule \`${rule.pattern}\` names no tool or server: an allow may not span them` };
  }
  const spec = text.spec === null ? WHOLE : compileSpec(text.tool, text.spec, manifest);
  if (spec === null) return { ok: false, message: `rule \`${rule.pattern}\` has an empty text in its brackets` };
  return { ok: true, compiled: { rule, tool, spec }, warning: null };
}

const WHOLE: RuleSpec = { kind: 'whole' };

/** `mcp__server__get_*` is anchored to a server; `mcp__*` and `*` are not. */
function isAnchored(tool: string): boolean {
  const star = tool.indexOf('*');
  return /^mcp__[^*]+?__/.test(tool.slice(0, star));
}

function toolPattern(tool: string): ToolPattern {
  if (tool.startsWith('mcp__') && tool.endsWith('__*') && tool.indexOf('*') === tool.length - 1 && tool.length > 8) {
    return { kind: 'server', name: tool.slice(0, -3) };
  }
  if (tool.includes('*')) return { kind: 'wildcard', pattern: compileWildcard(tool) };
  if (tool.startsWith('mcp__') && !tool.slice(5).includes('__')) return { kind: 'server', name: tool };
  return { kind: 'name', name: tool };
}

function compileSpec(tool: string, text: string, manifest: ToolManifest): RuleSpec | null {
  if (text.startsWith('domain:')) {
    const domain = compileDomain(text.slice(7));
    return domain === null ? null : { kind: 'domain', domain };
  }
  const entry = toolEntry(manifest, tool);
  if (entry.family !== undefined || entry.kind === 'read' || entry.kind === 'write') {
    const path = compilePathPattern(text);
    return path === null ? null : { kind: 'path', path };
  }
  if (entry.command !== undefined) {
    return { kind: 'command', command: compileCommandPattern(text), parameter: parameterOf(text, entry.command.name) };
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
