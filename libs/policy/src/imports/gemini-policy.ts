/** Imports Gemini CLI policy files: rules by priority, the highest match decides; here the strictest does. */
import type { Effect, PolicyInput } from '@countersign/contracts';
import { readText } from '../documents/read-policy-text.js';
import { entryOf, quoted, toValue, type TextNode } from '../documents/text-node.js';
import { readGeminiRule, type GeminiRule } from './gemini-rule.js';
import {
  ASKS,
  addRule,
  finishDraft,
  mapped,
  notMapped,
  startDraft,
  unreadable,
  whereOf,
  type Draft,
  type ImportFile,
  type ImportResult,
} from './import-report.js';
import { wholePatterns } from './gemini-names.js';
import { GEMINI_ALIASES, GEMINI_TOOLS } from './names.js';
import { settle, type OrderedEntry, type Settled, writeFate } from './settle.js';

/** The tiers of Gemini CLI, weakest first; a higher tier beats any priority below it. */
export const GEMINI_TIERS = ['default', 'extension', 'workspace', 'user', 'admin'] as const;

/** One policy file. */
export interface GeminiPolicyFile extends ImportFile {
  readonly tier: (typeof GEMINI_TIERS)[number];
}

/** A rule for one tool name, in the order of all. */
interface Placed {
  readonly file: GeminiPolicyFile;
  readonly where: string;
  readonly rule: GeminiRule;
  readonly tool: string;
  /** An allow, or anything but a deny, stands above it, for whatever tool. */
  readonly allowsAbove: boolean;
  readonly opensAbove: boolean;
}

/** Names that stand for all other tools: those of MCP servers and those that are not known. */
const OTHERS = 'other tools';

/** Imports policy files. Never throws. When a question is left to the default, the policy gets the mode `custom`. */
export function importGeminiPolicy(files: readonly GeminiPolicyFile[]): ImportResult {
  const draft = startDraft();
  const placed = inOrder(files.flatMap((file) => readFile(draft, file)));
  const groups = Object.keys(GEMINI_TOOLS).map((tool) => writeGroup(draft, tool, placed));
  const others = writeGroup(draft, OTHERS, placed);
  const settings: PolicyInput = [...groups, others].includes('default')
    ? { mode: 'custom', agentModes: ['custom'] }
    : {};
  if (deniesOthers(placed)) settings.unknownTool = 'deny';
  return finishDraft(draft, settings);
}

/** Highest first. Among equals the order of loading decides there; here the strictest comes first. */
function inOrder(placed: readonly Placed[]): Placed[] {
  const sorted = [...placed].sort(
    (a, b) => rank(b) - rank(a) || EFFECT_ORDER.indexOf(a.rule.effect) - EFFECT_ORDER.indexOf(b.rule.effect),
  );
  let allowsAbove = false;
  let opensAbove = false;
  return sorted.map((item) => {
    const marked = { ...item, allowsAbove, opensAbove };
    allowsAbove ||= item.rule.effect === 'allow';
    opensAbove ||= item.rule.effect !== 'deny';
    return marked;
  });
}

const EFFECT_ORDER: readonly Effect[] = ['deny', 'ask', 'allow'];

/** True when a deny of every tool stands somewhere: tools that are not known are then denied as well. */
function deniesOthers(placed: readonly Placed[]): boolean {
  return placed.some((item) => item.tool === '*' && item.rule.effect === 'deny' && !item.rule.command);
}

function rank(item: Placed): number {
  return GEMINI_TIERS.indexOf(item.file.tier) + 1 + item.rule.priority / 1_000;
}

function readFile(draft: Draft, file: GeminiPolicyFile): Placed[] {
  const read = readText(file.text, 'toml');
  if (!read.ok) {
    const flaw = read.problems[0];
    unreadable(draft, file, flaw ?? { line: 1, column: 1 }, flaw?.message ?? 'not valid TOML');
    return [];
  }
  const entries = read.node.kind === 'table' ? read.node.entries : [];
  return entries.flatMap((entry) => {
    if (entry.key === 'rule') return readRules(draft, file, entry.node);
    importOther(draft, file, entry.key, entry.node);
    return [];
  });
}

function readRules(draft: Draft, file: GeminiPolicyFile, node: TextNode): Placed[] {
  if (node.kind === 'list') return node.items.flatMap((item) => readRule(draft, file, item));
  unreadable(draft, file, node.at, '`rule` is no list of tables');
  return [];
}

function readRule(draft: Draft, file: GeminiPolicyFile, item: TextNode): Placed[] {
  const where = whereOf(file, item.at);
  if (item.kind !== 'table') {
    unreadable(draft, file, item.at, 'a rule is no table');
    return [];
  }
  const table = toValue(item) as Record<string, unknown>;
  const read = readGeminiRule(table);
  if (read.ok) {
    const common = { file, where, rule: read.rule, allowsAbove: false, opensAbove: false };
    return read.rule.tools.map((tool) => ({ ...common, tool: presentName(tool) }));
  }
  const allows = table['decision'] === 'allow';
  const safe = allows ? ASKS : 'every call asks, since the rule may be a deny';
  notMapped(draft, { where, what: 'rule', why: read.why, safe });
  if (!allows) addRule(draft, { effect: 'ask', pattern: '*', source: file.source, where });
  return [];
}

/** Safety checkers can turn an allow into a question: what they watch asks. */
function importOther(draft: Draft, file: GeminiPolicyFile, key: string, node: TextNode): void {
  const where = whereOf(file, node.at);
  if (!/checker/i.test(key)) {
    notMapped(draft, { where, what: quoted(key), why: 'not known', safe: 'nothing: it allows nothing' });
    return;
  }
  const items = node.kind === 'list' ? node.items : [node];
  for (const item of items) {
    const name = entryOf(item, 'toolName')?.node;
    const tools = name ? [toValue(name)].flat().map(String) : ['*'];
    const patterns = tools.flatMap((tool) => wholePatterns(tool, 'ask'));
    for (const pattern of patterns) addRule(draft, { effect: 'ask', pattern, source: file.source, where });
    const safe = `${patterns.map((pattern) => quoted(pattern)).join(', ')} asks`;
    notMapped(draft, { where, what: quoted(key), why: 'checkers are not run here', safe });
  }
}

function presentName(tool: string): string {
  return Object.hasOwn(GEMINI_ALIASES, tool) ? (GEMINI_ALIASES[tool] ?? tool) : tool;
}

function concerns(name: string, tool: string): boolean {
  if (tool === OTHERS) return !Object.hasOwn(GEMINI_TOOLS, name);
  return name === tool || name === '*';
}

/** Writes the rules of one tool; `default` when a question was left to the default. */
function writeGroup(draft: Draft, tool: string, placed: readonly Placed[]): 'default' | 'rules' {
  const group = placed.filter((item) => concerns(item.tool, tool));
  const writable = group.filter((item) => {
    const flaw = item.rule.effect === 'allow' ? allowFlaw(item, tool) : undefined;
    if (flaw !== undefined) notMapped(draft, { where: item.where, what: describe(item, tool), why: flaw, safe: ASKS });
    return flaw === undefined;
  });
  const fates = settle(writable.map((item) => entryFor(item, tool))).map((fate, i) =>
    tool === OTHERS ? fateAmongOthers(fate, writable[i]) : fate,
  );
  writable.forEach((item, i) => writeRule(draft, item, tool, fates[i] ?? { fate: 'kept' }));
  return fates.some((fate) => fate.fate === 'default') ? 'default' : 'rules';
}

/** A question about every tool would also hold the tools that an allow above it names: it is left to the default. */
function fateAmongOthers(fate: Settled, item: Placed | undefined): Settled {
  return item?.tool === '*' && item.rule.effect === 'ask' && item.allowsAbove ? { fate: 'default' } : fate;
}

function entryFor(item: Placed, tool: string): OrderedEntry {
  const { effect } = item.rule;
  if (tool === OTHERS)
    return { effect, glob: item.tool.replaceAll('__', '_'), exact: item.tool === '*' && isWhole(item.rule) };
  const globs = item.rule.command?.globs ?? ['*'];
  const glob = globs.length === 1 ? (globs[0] ?? '*') : commonGlob(globs);
  return { effect, glob, exact: globs.length === 1 && !glob.includes('?') && isExact(item.rule) };
}

function isWhole(rule: GeminiRule): boolean {
  return rule.lost.length === 0 && rule.command === undefined;
}

function isExact(rule: GeminiRule): boolean {
  return rule.lost.length === 0 && rule.command?.exact !== false;
}

/** One pattern that holds several: their common start. */
function commonGlob(globs: readonly string[]): string {
  let head = globs[0] ?? '';
  for (const glob of globs) while (!glob.startsWith(head)) head = head.slice(0, -1);
  return `${head.replace(/[ *]+$/, '')}*`;
}

/** Why an allow cannot be written, or undefined. */
function allowFlaw(item: Placed, tool: string): string | undefined {
  const { rule } = item;
  if (rule.lost.length > 0) return rule.lost.join('; ');
  const whole = rule.command === undefined;
  if (!whole && tool !== 'run_shell_command') return 'a pattern on arguments has no counterpart';
  if (!isExact(rule)) return rule.command?.why ?? 'it cannot be said exactly';
  if (!whole || tool !== OTHERS) return undefined;
  return wholePatterns(item.tool, 'allow').length === 0 ? 'an allow may not span servers or tools' : undefined;
}

function writeRule(draft: Draft, item: Placed, tool: string, fate: Settled): void {
  const what = describe(item, tool);
  const dead = 'a rule above it decides first';
  const words = { where: item.where, what, dead, dropped: 'a rule above it asks about some of it' };
  writeFate(draft, fate, words, (stricter) => keepRule(draft, item, { tool, what, stricter }));
}

function describe(item: Placed, tool: string): string {
  const specs = item.rule.command?.specs ?? [];
  const name = tool === OTHERS ? item.tool : tool;
  return `${item.rule.effect} ${quoted(specs.length === 0 ? name : `${name}: ${specs.join(', ')}`)}`;
}

function keepRule(draft: Draft, item: Placed, kept: { tool: string; what: string; stricter: boolean }): void {
  const { rule, where, file } = item;
  const written = patternsOf(item, kept.tool);
  for (const pattern of written.patterns) {
    addRule(draft, { effect: written.effect, pattern, source: file.source, where, reason: rule.reason });
  }
  const as = written.patterns.map((pattern) => `${written.effect} ${pattern}`);
  const why = [
    ...rule.lost,
    ...(rule.command?.why === undefined ? [] : [rule.command.why]),
    ...(kept.stricter ? ['a rule above it lets some of it through; here the strictest rule decides'] : []),
  ];
  if (why.length === 0) mapped(draft, { where, what: kept.what, as });
  else
    notMapped(draft, {
      where,
      what: kept.what,
      why: why.join('; '),
      safe: `${as.map((text) => quoted(text)).join(', ')}`,
    });
}

/** Patterns of a rule. A deny whose condition cannot be said makes the tool ask. */
function patternsOf(item: Placed, tool: string): { effect: Effect; patterns: string[] } {
  const { rule } = item;
  const specs = tool === 'run_shell_command' ? (rule.command?.specs ?? []) : [];
  if (specs.length > 0) return { effect: rule.effect, patterns: specs.map((spec) => `Bash(${spec})`) };
  return toolPatterns(item, tool);
}

function toolPatterns(item: Placed, tool: string): { effect: Effect; patterns: string[] } {
  const { rule } = item;
  const name = tool === OTHERS ? item.tool : tool;
  const effect = rule.command && rule.effect === 'deny' ? 'ask' : rule.effect;
  // INVARIANT: known tools have rules of their own, and `unknownTool` denies those that nobody knows.
  if (name === '*' && effect === 'deny' && item.opensAbove) return { effect, patterns: ['mcp__*'] };
  return { effect, patterns: wholePatterns(name, effect) };
}
