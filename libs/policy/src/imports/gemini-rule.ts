/** Reads one `[[rule]]` of a Gemini CLI policy into plain fields, and says which of its conditions have no counterpart. */
import type { Effect } from '@countersign/contracts';
import { quoted } from '../documents/text-node.js';
import { literalText } from './command-words.js';
import { regexSpecs } from './gemini-regex.js';

/** What a rule compares in the command: specs to write, patterns to compare by, and whether the specs match just that. */
export interface CommandCondition {
  readonly specs: readonly string[];
  readonly globs: readonly string[];
  readonly exact: boolean;
  readonly why?: string;
}

/** A rule as read. `tools` are names or patterns with `*`: `mcp_server_tool` as written, `mcp__server__tool` with `mcpName`. */
export interface GeminiRule {
  readonly effect: Effect;
  readonly tools: readonly string[];
  readonly priority: number;
  readonly reason: string | undefined;
  readonly command: CommandCondition | undefined;
  /** Conditions that cannot be said here: an allow must not lose them, a deny or ask may. */
  readonly lost: readonly string[];
}

export type GeminiRuleResult = { ok: true; rule: GeminiRule } | { ok: false; why: string };

const DECISIONS: Readonly<Record<string, Effect>> = { allow: 'allow', deny: 'deny', ask_user: 'ask' };
const KNOWN = [
  ...['toolName', 'mcpName', 'subagent', 'toolAnnotations', 'argsPattern', 'commandPrefix', 'commandRegex', 'decision'],
  ...['priority', 'denyMessage', 'deny_message', 'modes', 'interactive', 'allowRedirection', 'allow_redirection'],
];
const MODES = ['default', 'autoEdit', 'plan', 'yolo'];
const SHELL = 'run_shell_command';

/** Reads the fields of a rule's table. */
export function readGeminiRule(table: Readonly<Record<string, unknown>>): GeminiRuleResult {
  const decision = table['decision'];
  const effect = typeof decision === 'string' && Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision] : undefined;
  if (effect === undefined) return { ok: false, why: `the decision ${quoted(decision)} is not known` };
  const tools = toolsOf(table);
  if (!tools) return { ok: false, why: 'the tool is not named' };
  const priority = table['priority'];
  const message = table['denyMessage'] ?? table['deny_message'];
  return {
    ok: true,
    rule: {
      effect,
      tools,
      priority: typeof priority === 'number' ? Math.min(999, Math.max(0, priority)) : 0,
      reason: typeof message === 'string' ? message : undefined,
      command: commandOf(table),
      lost: lostConditions(table),
    },
  };
}

function textsOf(value: unknown): string[] | undefined {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  const texts = items.filter((item): item is string => typeof item === 'string' && item !== '');
  return texts.length > 0 && texts.length === items.length ? texts : undefined;
}

/** Tools of the rule; with `mcpName` the tools of that server. A server's name with `*` in it is any server. */
function toolsOf(table: Readonly<Record<string, unknown>>): string[] | undefined {
  const server = table['mcpName'];
  const names = table['toolName'] === undefined ? undefined : textsOf(table['toolName']);
  if (server === undefined) return names;
  if (typeof server !== 'string' || server === '') return undefined;
  const own = `mcp_${server}_`;
  return (names ?? ['*']).map((name) => `mcp__${server}__${name.startsWith(own) ? name.slice(own.length) : name}`);
}

function commandOf(table: Readonly<Record<string, unknown>>): CommandCondition | undefined {
  if (table['commandPrefix'] !== undefined) return prefixes(table['commandPrefix']);
  if (table['commandRegex'] !== undefined) return regex(table['commandRegex']);
  const pattern = table['argsPattern'];
  if (pattern === undefined) return undefined;
  const inCommand = typeof pattern === 'string' ? /^"command":\s*"([\s\S]*)$/.exec(pattern)?.[1] : undefined;
  const own = table['toolName'] === SHELL && table['mcpName'] === undefined;
  return own && inCommand !== undefined ? regex(inCommand) : unknown('a pattern on arguments has no counterpart');
}

function unknown(why: string): CommandCondition {
  return { specs: [], globs: ['*'], exact: false, why };
}

/** A prefix ends at a word's end; one with a blank at its end is widened to the word, which an allow must not be. */
function prefixes(value: unknown): CommandCondition {
  const texts = textsOf(value);
  if (!texts) return unknown('the command prefix is no text');
  const written = texts.map((text) => ({ text, ...literalText(text.replace(/\s+/gu, ' ').trim()) }));
  if (written.some(({ spec }) => spec === '')) return unknown('the command prefix is empty');
  const exact = written.every(
    (item) => item.exact && item.text === item.text.trim() && !/\s{2}|[\t\n]/u.test(item.text),
  );
  return {
    specs: written.map(({ spec }) => `${spec} *`),
    globs: written.map(({ text }) => `${text.trim().replace(/[*?"']/g, '?')} *`),
    exact,
    ...(exact ? {} : { why: 'the prefix has quotes in it or needs a blank behind it' }),
  };
}

function regex(value: unknown): CommandCondition {
  const found = typeof value === 'string' ? regexSpecs(value) : undefined;
  if (!found || found.specs.some((spec) => spec === '' || spec === '*')) {
    return unknown(`the expression ${quoted(value)} has no counterpart`);
  }
  return {
    ...found,
    ...(found.exact ? {} : { why: `the expression ${quoted(value)} is narrower than what can be said` }),
  };
}

/** Conditions of single keys that have no counterpart. */
const LOST_KEYS: Readonly<Record<string, string>> = {
  subagent: 'it holds for one subagent',
  toolAnnotations: 'it depends on what a server says of its tool',
  interactive: 'it depends on whether a person is at hand',
};

function lostConditions(table: Readonly<Record<string, unknown>>): string[] {
  const lost = Object.keys(table)
    .filter((key) => !KNOWN.includes(key) || Object.hasOwn(LOST_KEYS, key))
    .map(
      (key) => (Object.hasOwn(LOST_KEYS, key) ? LOST_KEYS[key] : undefined) ?? `the key ${quoted(key)} is not known`,
    );
  const { toolName, modes } = table;
  const flat = table['mcpName'] === undefined && (textsOf(toolName) ?? []).some((name) => name.includes('__'));
  if (flat) lost.push('names with `__` in them are not known');
  const command = table['commandPrefix'] !== undefined || table['commandRegex'] !== undefined;
  if (command && toolName !== SHELL) lost.push(`a command is compared, but the tool is not ${quoted(SHELL)}`);
  if (!holdsInEveryMode(modes)) lost.push(`it holds in the modes ${quoted(modes)}`);
  return lost;
}

function holdsInEveryMode(modes: unknown): boolean {
  if (modes === undefined) return true;
  return Array.isArray(modes) && (modes.length === 0 || MODES.every((mode) => modes.includes(mode)));
}
