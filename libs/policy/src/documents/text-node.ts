/** The tree that every reader of a text format makes: values with their places, in the order they were written. */

/** A place in a text: line and column count from 1, columns in UTF-16 code units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One entry of a table; `at` is the place of its key. */
export interface TextEntry {
  readonly key: string;
  readonly at: Place;
  readonly node: TextNode;
}

export interface TableNode {
  readonly kind: 'table';
  readonly at: Place;
  readonly entries: readonly TextEntry[];
}

export interface ListNode {
  readonly kind: 'list';
  readonly at: Place;
  readonly items: readonly TextNode[];
}

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly at: Place;
  readonly value: string | number | boolean | null;
}

/** A value as written. Keys of a table are unique and never `__proto__`. */
export type TextNode = TableNode | ListNode | ScalarNode;

/** A flaw of a text, before anybody asks what the text means. */
export interface TextProblem extends Place {
  readonly path: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** What a reader gives: the tree, or why there is none. Readers never throw. */
export type TextResult = { ok: true; node: TextNode } | { ok: false; problems: TextProblem[] };

/** Keys and indexes from the root. */
export type TextPath = readonly (string | number)[];

/** Largest text that is read, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 1024 * 1024;
/** Deepest nesting that is read. */
export const MAX_TEXT_DEPTH = 32;
/** Most values that one text may hold, aliases counted as often as they are used. */
export const MAX_TEXT_NODES = 100_000;

/** Key that would change an object's prototype instead of becoming a member. */
export const FORBIDDEN_KEY = '__proto__';

const START: Place = { line: 1, column: 1 };

/** The plain value of a tree; INVARIANT: depth is bounded by MAX_TEXT_DEPTH, so recursion is safe. */
export function toValue(node: TextNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toValue);
  return Object.fromEntries(node.entries.map((entry) => [entry.key, toValue(entry.node)]));
}

/** The entry of a table by key, if the node is a table and has it. */
export function entryOf(node: TextNode | undefined, key: string): TextEntry | undefined {
  return node?.kind === 'table' ? node.entries.find((entry) => entry.key === key) : undefined;
}

/** The place of the value at a path, or of its nearest ancestor that was written. */
export function placeOf(root: TextNode, path: TextPath): Place {
  let here = root;
  let at = root.at;
  for (const step of path) {
    const next = childOf(here, step);
    if (!next) return at;
    here = next.node;
    at = next.at;
  }
  return at;
}

function childOf(node: TextNode, step: string | number): { node: TextNode; at: Place } | undefined {
  if (node.kind === 'list' && typeof step === 'number') {
    const item = node.items[step];
    return item && { node: item, at: item.at };
  }
  const entry = entryOf(node, String(step));
  return entry && { node: entry.node, at: entry.node.kind === 'scalar' ? entry.node.at : entry.at };
}

/** A path as people read it: `allow[2].rule`; the root is empty. */
export function pathText(path: TextPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${String(step)}]`;
    const key = /^[\w-]+$/.test(step) ? step : JSON.stringify(step);
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

/** Offsets at which lines start; INVARIANT: the first is 0. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The place of an offset, by binary search in `lineStarts`. */
export function placeAt(starts: readonly number[], offset: number): Place {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/** One problem at the start of the text. */
export function refusal(message: string, at: Place = START): { ok: false; problems: TextProblem[] } {
  return { ok: false, problems: [{ path: '', line: at.line, column: at.column, message }] };
}

/** Input quoted in a message: in backticks, shortened, with controls escaped. */
export function quoted(input: unknown): string {
  const text = typeof input === 'string' ? input : (JSON.stringify(input) as string | undefined);
  const safe = (text ?? String(input)).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `\`${safe.length > 60 ? `${safe.slice(0, 57)}...` : safe}\``;
}
