/** Judges single rules of Claude Code's settings: our rules are its rules, but for those that it never consults. */
import type { Effect, RuleSource } from '@countersign/contracts';
import { ruleParts, type RuleParts } from '../documents/rule-list.js';

/** What becomes of a rule: patterns to add, maybe under another effect, and why it is not the same. */
export interface ClaudeRuleFate {
  readonly patterns: readonly string[];
  readonly effect: Effect;
  /** Absent: an exact counterpart. */
  readonly why?: string;
}

/** The file that a rule stands in. `directory` is where `/path` rules start, absolute; null: the project's root. */
export interface ClaudeRuleHome {
  readonly source: RuleSource;
  readonly directory: string | null;
}

const WRITERS = ['Write', 'MultiEdit', 'NotebookEdit'];
const PATH_TOOLS = ['Read', 'Edit', ...WRITERS, 'Glob', 'Grep', 'LS', 'NotebookRead'];
const COMMAND_TOOLS = ['Bash', 'PowerShell', 'Monitor'];

/** The fate of one rule text under an effect. */
export function claudeRuleFate(text: string, effect: Effect, home: ClaudeRuleHome): ClaudeRuleFate {
  const parts = ruleParts(text);
  if (!parts) return malformed(text, effect);
  if (parts.tool === 'Cd') {
    return { patterns: [], effect, why: '`Cd` rules govern a command of the user, not a tool call' };
  }
  if (effect === 'allow') return allowFate(parts, home);
  const { pattern, why } = anchored(parts, effect, home);
  return { patterns: [pattern], effect, ...(why === undefined ? {} : { why }) };
}

/** Claude Code skips a rule that it cannot read; here a deny or ask that names a tool makes that tool ask. */
function malformed(text: string, effect: Effect): ClaudeRuleFate {
  const tool = /^\s*([A-Za-z_][\w-]*)\s*\(/.exec(text)?.[1];
  const why = 'the rule is malformed';
  return effect === 'allow' || tool === undefined
    ? { patterns: [], effect, why }
    : { patterns: [tool], effect: 'ask', why };
}

function allowFate(parts: RuleParts, home: ClaudeRuleHome): ClaudeRuleFate {
  const nothing = (why: string): ClaudeRuleFate => ({ patterns: [], effect: 'allow', why });
  if (parts.tool.includes('*') && !/^mcp__[^*]+__/.test(parts.tool)) {
    return nothing('Claude Code ignores an allow that names no tool or server');
  }
  if (parts.spec !== null && PATH_TOOLS.includes(parts.tool) && parts.tool !== 'Read' && parts.tool !== 'Edit') {
    return nothing(`Claude Code never consults paths of \`${parts.tool}\`; \`Edit\` and \`Read\` rules govern them`);
  }
  if (parts.spec !== null && isParameter(parts.tool, parts.spec)) {
    return nothing('Claude Code takes rules on parameters only to deny or ask');
  }
  const { pattern, why } = anchored(parts, 'allow', home);
  return why === undefined ? { patterns: [pattern], effect: 'allow' } : nothing(why);
}

/** `name:value` outside commands, where a colon is text; `domain:` is no parameter. */
function isParameter(tool: string, spec: string): boolean {
  if (spec.startsWith('domain:') || COMMAND_TOOLS.includes(tool) || PATH_TOOLS.includes(tool)) return false;
  return /^[A-Za-z_]\w*:/.test(spec);
}

/** Rewrites `/path`, which starts at the folder of the settings, into a pattern that says so. */
function anchored(parts: RuleParts, effect: Effect, home: ClaudeRuleHome): { pattern: string; why?: string } {
  const { tool, spec } = parts;
  if (spec === null) return { pattern: tool };
  const written = `${tool}(${spec})`;
  if (!PATH_TOOLS.includes(tool) || !spec.startsWith('/') || spec.startsWith('//')) return { pattern: written };
  if (home.source === 'user') return { pattern: `${tool}(~/.claude${spec})` };
  if (home.directory !== null) return { pattern: `${tool}(/${home.directory.replace(/\/+$/, '')}${spec})` };
  if (home.source !== 'managed') return { pattern: written };
  const why = 'where the `/` of managed settings stands is not known';
  return effect === 'allow' ? { pattern: written, why } : { pattern: `${tool}(//**${spec})`, why };
}
