/** Imports OpenCode's permissions: ordered patterns, of which the last match decides; here the strictest does. */
import type { Effect, PolicyInput, RuleSource } from '@countersign/contracts';
import { quoted } from '../documents/text-node.js';
import {
  ASKS,
  addRule,
  finishDraft,
  mapped,
  notMapped,
  startDraft,
  type Draft,
  type ImportFile,
  type ImportResult,
} from './import-report.js';
import { OPENCODE_TOOLS, mcpNames } from './names.js';
import { readOpenCode, type OpenCodeEntry } from './opencode-config.js';
import { toolsOf, writePatterns, type WrittenPatterns } from './opencode-patterns.js';
import { globsMeet } from './globs.js';
import { settle, type OrderedEntry, type Settled, writeFate } from './settle.js';

/** Sources of config files, strongest first. */
const LAYERS: readonly RuleSource[] = ['managed', 'cli', 'command', 'session', 'local', 'project', 'user'];
/** Keys that are no tools. */
const GUARDS = ['external_directory', 'doom_loop'];

/** An entry as one permission sees it, the rules that it would become, and the tools that ask when it cannot be said. */
interface Written {
  readonly entry: OpenCodeEntry;
  readonly written: WrittenPatterns;
  readonly fallback: readonly string[];
}

/** An import in the making; `above` tells of each entry what stands above it, for whatever permission. */
interface Import {
  readonly draft: Draft;
  readonly entries: readonly OpenCodeEntry[];
  readonly ordered: boolean;
  readonly above: ReadonlyMap<OpenCodeEntry, { readonly allows: boolean; readonly opens: boolean }>;
}

/** Imports `opencode.json` files in any order. Never throws. The mode `custom` stands for what OpenCode asks by default. */
export function importOpenCodePermissions(files: readonly ImportFile[]): ImportResult {
  const draft = startDraft();
  const weakestFirst = [...files].sort((a, b) => LAYERS.indexOf(b.source) - LAYERS.indexOf(a.source));
  const read = readOpenCode(draft, weakestFirst);
  const entries = [...read.entries].reverse();
  const work: Import = { draft, entries, ordered: read.ordered, above: whatStandsAbove(entries) };
  const groups = Object.keys(OPENCODE_TOOLS).map((key) => writeGroup(work, key));
  groups.push(writeOthers(work));
  const directories = writeOutside(work);
  noteLoops(work);
  const settings: PolicyInput = {};
  if (read.askByDefault || groups.includes('default'))
    Object.assign(settings, { mode: 'custom', agentModes: ['custom'] });
  if (directories.length > 0) settings.additionalDirectories = directories;
  if (entries.some((entry) => entry.key === '*' && entry.effect === 'deny')) settings.unknownTool = 'deny';
  return finishDraft(draft, settings);
}

function whatStandsAbove(entries: readonly OpenCodeEntry[]): Import['above'] {
  let allows = false;
  let opens = false;
  const above = new Map<OpenCodeEntry, { allows: boolean; opens: boolean }>();
  for (const entry of entries) {
    above.set(entry, { allows, opens });
    allows ||= entry.effect === 'allow';
    opens ||= entry.effect !== 'deny';
  }
  return above;
}

function isFor(entry: OpenCodeEntry, key: string): boolean {
  return entry.key === key || (/[*?]/.test(entry.key) && globsMeet(entry.key, key));
}

function writeGroup(work: Import, key: string): 'default' | 'rules' {
  const own = work.entries
    .filter((entry) => isFor(entry, key))
    .map((entry) => ({ entry, written: writePatterns(key, entry.pattern, entry.effect), fallback: toolsOf(key) }));
  return settleAndWrite(work, own, (item) => `${key} ${item.entry.pattern}`);
}

function settleAndWrite(work: Import, items: readonly Written[], name: (item: Written) => string): 'default' | 'rules' {
  const { draft } = work;
  const writable = items.filter((item) => {
    const loose = item.entry.effect === 'allow' && (!item.written.exact || item.written.patterns.length === 0);
    const why = item.written.why ?? 'it cannot be said exactly';
    if (loose) notMapped(draft, { where: item.entry.where, what: `allow ${quoted(name(item))}`, why, safe: ASKS });
    return !loose;
  });
  const fates = work.ordered ? settle(writable.map(orderedEntry)) : [];
  writable.forEach((item, i) => writeEntry(draft, item, name(item), fates[i] ?? { fate: 'kept' }));
  return fates.some((fate) => fate.fate === 'default') ? 'default' : 'rules';
}

function orderedEntry({ entry, written }: Written): OrderedEntry {
  const exact = written.exact && entry.partial !== true && !/[?]/.test(entry.pattern);
  return { effect: entry.effect, glob: entry.pattern, exact };
}

function writeEntry(draft: Draft, item: Written, name: string, fate: Settled): void {
  const { where, effect } = item.entry;
  const what = `${effect} ${quoted(name)}`;
  const words = { where, what, dead: 'a later pattern decides', dropped: 'a later pattern asks about some of it' };
  writeFate(draft, fate, words, (stricter) => keepEntry(draft, item, what, stricter));
}

/** A deny that cannot be said makes its tools ask. */
function keepEntry(draft: Draft, item: Written, what: string, stricter: boolean): void {
  const { entry, written } = item;
  const { where } = entry;
  const unsaid = written.patterns.length === 0;
  const effect: Effect = unsaid ? 'ask' : entry.effect;
  const patterns = unsaid ? item.fallback : written.patterns;
  for (const pattern of patterns) addRule(draft, { effect, pattern, source: entry.file.source, where });
  const as = patterns.map((pattern) => `${effect} ${pattern}`);
  const why: string[] = [];
  if (!written.exact) why.push(written.why ?? 'it cannot be said exactly');
  if (stricter) why.push('a later pattern lets some of it through; here the strictest rule decides');
  if (why.length === 0) mapped(draft, { where, what, as });
  else notMapped(draft, { where, what, why: why.join('; '), safe: as.map((text) => quoted(text)).join(', ') });
}

/** Tools of MCP servers and plugins: `server_tool`, or a name of their own. */
function writeOthers(work: Import): 'default' | 'rules' {
  const own = work.entries.filter((entry) => !Object.hasOwn(OPENCODE_TOOLS, entry.key) && !GUARDS.includes(entry.key));
  const isLeft = (entry: OpenCodeEntry): boolean =>
    work.ordered && entry.effect === 'ask' && /[*?]/.test(entry.key) && work.above.get(entry)?.allows === true;
  const left = own.filter(isLeft);
  for (const { where, key } of left) {
    mapped(work.draft, { where, what: `ask ${quoted(key)}`, as: ['mode custom: what no rule allows asks'] });
  }
  const items = own
    .filter((entry) => !isLeft(entry))
    .map((entry) => ({
      entry: { ...entry, pattern: entry.key },
      written: otherPatterns(entry, work.above.get(entry)?.opens ?? true),
      fallback: strictNames(entry.key, 'ask', false),
    }));
  const fate = settleAndWrite(work, items, (item) => item.entry.key);
  return left.length > 0 ? 'default' : fate;
}

function otherPatterns(entry: OpenCodeEntry, opened: boolean): WrittenPatterns {
  const { key, effect } = entry;
  const narrowed = entry.pattern !== '*' && entry.pattern !== '**';
  const unsaid: WrittenPatterns = {
    patterns: [],
    exact: false,
    why: 'patterns of this permission have no counterpart',
  };
  if (narrowed && effect !== 'ask') return unsaid;
  if (effect === 'allow') return allowedNames(key);
  return { patterns: strictNames(key, effect, opened), exact: key === '*' && !narrowed };
}

/** INVARIANT: our own tool names start with a capital, so that a foreign name never frees one of them. */
function allowedNames(key: string): WrittenPatterns {
  const server = /^([A-Za-z0-9-]+)_\*$/.exec(key)?.[1];
  if (server !== undefined) return { patterns: [`mcp__${server}__*`], exact: true };
  const taken = Object.values(OPENCODE_TOOLS).some((tools) => tools.includes(key));
  const mcp = mcpNames(key);
  const plain = /^[\w-]+$/.test(key) && !key.includes('__') && !taken;
  const own = /^[a-z]/.test(key) ? [key] : [];
  if (plain && own.length + mcp.length > 0) return { patterns: [...own, ...mcp], exact: true };
  return { patterns: [], exact: false, why: 'an allow may not span servers or tools' };
}

function strictNames(key: string, effect: Effect, opened: boolean): string[] {
  const name = key.replace(/[?\s(),]+/gu, '*');
  if (name === '*' || name === '') return effect === 'deny' && opened ? ['mcp__*'] : ['*'];
  return [name, `mcp__${name.replace(/_+/g, '*')}`];
}

/** Folders outside of the project: an allowed one becomes an additional folder, a denied one is denied; all others ask. */
function writeOutside(work: Import): string[] {
  const own = work.entries.filter((entry) => isFor(entry, 'external_directory'));
  const folders: string[] = [];
  const shut: OpenCodeEntry[] = [];
  for (const entry of own) {
    if (entry.effect !== 'allow') {
      shut.push(entry);
      if (entry.key === 'external_directory') writeShut(work.draft, entry);
    } else if (entry.key === 'external_directory') openFolder(work, entry, shut, folders);
  }
  return folders;
}

/** Further entries are not compared: a folder below that many is not opened. */
const MAX_SHUT = 200;

function openFolder(work: Import, entry: OpenCodeEntry, shut: readonly OpenCodeEntry[], folders: string[]): void {
  const { where, pattern } = entry;
  const what = `allow ${quoted(`external_directory ${pattern}`)}`;
  const folder = /^((?:\/|~\/|\$HOME\/)[\w.@+/-]+?)\/\*{1,2}$/.exec(pattern)?.[1]?.replace(/^\$HOME/, '~');
  const plain = folder !== undefined && !folder.split('/').includes('..');
  const closed = !work.ordered || shut.length > MAX_SHUT || shut.some((other) => globsMeet(other.pattern, pattern));
  if (!plain || closed) {
    const why = plain ? 'another pattern shuts some of it' : 'no plain folder';
    notMapped(work.draft, { where, what, why, safe: 'paths there count as outside and ask' });
    return;
  }
  if (!folders.includes(folder)) folders.push(folder);
  mapped(work.draft, { where, what, as: [`additionalDirectories ${folder}`] });
}

function writeShut(draft: Draft, entry: OpenCodeEntry): void {
  const { where, effect, pattern, file } = entry;
  const what = `${effect} ${quoted(`external_directory ${pattern}`)}`;
  if (pattern === '*' || pattern === '**') {
    const safe = 'paths outside of the roots ask';
    if (effect === 'ask') mapped(draft, { where, what, as: [safe] });
    else notMapped(draft, { where, what, why: 'no counterpart', safe });
    return;
  }
  const written = ['read', 'edit'].flatMap((key) => writePatterns(key, pattern, effect).patterns);
  for (const rule of written) addRule(draft, { effect, pattern: rule, source: file.source, where });
  mapped(draft, { where, what, as: written.map((rule) => `${effect} ${rule}`) });
}

function noteLoops(work: Import): void {
  for (const { key, effect, where } of work.entries) {
    if (key !== 'doom_loop') continue;
    const safe = 'repeated calls are judged by the rules and by the guard on repetition';
    notMapped(work.draft, { where, what: `${effect} \`doom_loop\``, why: 'no rule', safe });
  }
}
