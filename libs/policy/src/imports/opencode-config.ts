/** Reads the permissions of OpenCode's config, both forms, into one ordered list of entries, the last of which decides. */
import type { Effect } from '@countersign/contracts';
import { readText } from '../documents/read-policy-text.js';
import { entryOf, quoted, toValue, type TextEntry, type TextNode } from '../documents/text-node.js';
import { ASKS, notMapped, unreadable, whereOf, type Draft, type ImportFile } from './import-report.js';
import { OPENCODE_ACTIONS } from './names.js';

/** One entry: effect on what matches `pattern`, for the permissions that match `key`. */
export interface OpenCodeEntry {
  readonly effect: Effect;
  readonly key: string;
  readonly pattern: string;
  readonly file: ImportFile;
  readonly where: string;
  /** It holds for one agent there: it must not shadow what holds for all. */
  readonly partial?: true;
}

/** Entries in order; `askByDefault`: the second form stands somewhere, in which what nothing matches asks. */
export interface OpenCodePermissions {
  readonly entries: OpenCodeEntry[];
  readonly askByDefault: boolean;
  /** False: both forms stand side by side, and which of them comes first is not known. */
  readonly ordered: boolean;
}

interface Reading {
  readonly draft: Draft;
  /** First form: key -> pattern -> entry. Merging keeps the place of a key that stood before, as merging objects does. */
  readonly keyed: Map<string, Map<string, OpenCodeEntry>>;
  readonly listed: OpenCodeEntry[];
  /** Of single agents: their denies and asks hold for all here. */
  readonly agents: OpenCodeEntry[];
  askByDefault: boolean;
}

const EFFECTS: readonly string[] = ['allow', 'ask', 'deny'];

/** Reads config files, weakest first. */
export function readOpenCode(draft: Draft, files: readonly ImportFile[]): OpenCodePermissions {
  const reading: Reading = { draft, keyed: new Map(), listed: [], agents: [], askByDefault: false };
  for (const file of files) {
    const read = readText(file.text, 'jsonc');
    const flaw = read.ok ? undefined : read.problems[0];
    if (!read.ok) unreadable(draft, file, flaw ?? { line: 1, column: 1 }, flaw?.message ?? 'not valid JSON');
    else if (read.node.kind !== 'table') unreadable(draft, file, read.node.at, 'expected a table');
    else for (const entry of read.node.entries) readSetting(reading, file, entry);
  }
  const keyed = [...reading.keyed.values()].flatMap((patterns) => [...patterns.values()]);
  return {
    entries: [...keyed, ...reading.listed, ...reading.agents],
    askByDefault: reading.askByDefault,
    ordered: keyed.length === 0 || reading.listed.length === 0,
  };
}

function readSetting(reading: Reading, file: ImportFile, entry: TextEntry): void {
  if (entry.key === 'permission') readKeyed(reading, file, entry.node);
  else if (entry.key === 'permissions') {
    reading.askByDefault = true;
    reading.listed.push(...readListed(reading, file, entry.node));
  } else if (entry.key === 'tools') readTools(reading, file, entry.node);
  else if (entry.key === 'agent' || entry.key === 'mode') readAgents(reading, file, entry.node);
}

/** First form: `{key: effect}` or `{key: {pattern: effect}}`; one effect alone is for all keys. */
function readKeyed(reading: Reading, file: ImportFile, node: TextNode): void {
  if (node.kind === 'scalar') {
    setWhole(reading, file, { key: '*', at: node.at, node });
    return;
  }
  if (node.kind !== 'table') {
    unreadable(reading.draft, file, node.at, '`permission` is no table');
    return;
  }
  for (const entry of node.entries) {
    if (entry.node.kind === 'table') setPatterns(reading, file, entry);
    else setWhole(reading, file, entry);
  }
}

function setWhole(reading: Reading, file: ImportFile, entry: TextEntry): void {
  const made = makeEntry(reading.draft, file, entry, { key: entry.key, pattern: '*', node: entry.node });
  reading.keyed.set(entry.key, new Map([['*', made]]));
}

function setPatterns(reading: Reading, file: ImportFile, entry: TextEntry): void {
  const patterns = reading.keyed.get(entry.key) ?? new Map<string, OpenCodeEntry>();
  // A whole-key allow of a weaker file is replaced by patterns; a deny or an ask is kept, since versions differ.
  if (patterns.size === 1 && patterns.get('*')?.effect === 'allow') patterns.clear();
  reading.keyed.set(entry.key, patterns);
  for (const member of entry.node.kind === 'table' ? entry.node.entries : []) {
    const made = makeEntry(reading.draft, file, member, { key: entry.key, pattern: member.key, node: member.node });
    patterns.set(member.key, made);
  }
}

/** The entry; a word that is no effect may be a deny misspelt, so it asks. */
function makeEntry(
  draft: Draft,
  file: ImportFile,
  at: TextEntry,
  said: { key: string; pattern: string; node: TextNode },
): OpenCodeEntry {
  const where = whereOf(file, at.at);
  const word = toValue(said.node);
  const known = typeof word === 'string' && EFFECTS.includes(word);
  if (!known) {
    const what = `${quoted(said.key)} ${quoted(said.pattern)}: ${quoted(word)}`;
    notMapped(draft, { where, what, why: 'no known effect', safe: 'it asks' });
  }
  return { effect: known ? (word as Effect) : 'ask', key: said.key, pattern: said.pattern, file, where };
}

/** Second form: a list of `{action, resource, effect}`. */
function readListed(reading: Reading, file: ImportFile, node: TextNode): OpenCodeEntry[] {
  if (node.kind !== 'list') {
    unreadable(reading.draft, file, node.at, '`permissions` is no list');
    return [];
  }
  return node.items.flatMap((item) => readListItem(reading.draft, file, item));
}

function readListItem(draft: Draft, file: ImportFile, item: TextNode): OpenCodeEntry[] {
  const action = memberOf(item, 'action');
  const resource = entryOf(item, 'resource') ? memberOf(item, 'resource') : '*';
  if (typeof action !== 'string' || typeof resource !== 'string') {
    unreadable(draft, file, item.at, 'an entry has no action or no plain resource');
    return [];
  }
  const key = Object.hasOwn(OPENCODE_ACTIONS, action) ? (OPENCODE_ACTIONS[action] ?? action) : action;
  const node = entryOf(item, 'effect')?.node ?? { kind: 'scalar', at: item.at, value: null };
  return [makeEntry(draft, file, { key, at: item.at, node: item }, { key, pattern: resource, node })];
}

function memberOf(item: TextNode, key: string): unknown {
  const node = entryOf(item, key)?.node;
  return node && toValue(node);
}

/** `tools: {name: false}` switches a tool off. */
function readTools(reading: Reading, file: ImportFile, node: TextNode): void {
  for (const entry of node.kind === 'table' ? node.entries : []) {
    if (toValue(entry.node) !== false) continue;
    const key = entry.key === 'write' || entry.key === 'patch' ? 'edit' : entry.key;
    reading.agents.push({ effect: 'deny', key, pattern: '*', file, where: whereOf(file, entry.at), partial: true });
  }
}

/** What one agent may do is not told apart here: its denies and asks hold for every agent, its allows for none. */
function readAgents(reading: Reading, file: ImportFile, node: TextNode): void {
  for (const agent of node.kind === 'table' ? node.entries : []) {
    const alone: Reading = { ...reading, keyed: new Map(), listed: [], agents: [] };
    for (const entry of agent.node.kind === 'table' ? agent.node.entries : []) {
      if (entry.key !== 'agent' && entry.key !== 'mode') readSetting(alone, file, entry);
    }
    const keyed = [...alone.keyed.values()].flatMap((patterns) => [...patterns.values()]);
    for (const entry of [...keyed, ...alone.listed, ...alone.agents]) {
      const allows = entry.effect === 'allow';
      const what = `${entry.effect} ${quoted(`${entry.key} ${entry.pattern}`)} of the agent ${quoted(agent.key)}`;
      const safe = allows ? ASKS : `it holds for every agent`;
      notMapped(reading.draft, { where: entry.where, what, why: 'agents are not told apart', safe });
      if (!allows) reading.agents.push({ ...entry, partial: true });
    }
  }
}
