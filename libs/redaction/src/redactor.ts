/** Takes secrets out of texts and JSON values, and remembers what it took out, so that texts made from them are cleaned alike. */
import { isSecretName } from './rules/names.js';
import { isMarker, isReference, looksLikePath } from './rules/values.js';
import { findSecrets } from './scan/find-secrets.js';

/** A keyed hash of a secret in hex, 4 to 32 digits: equal secrets get equal tags, and nobody without the key can try guesses. */
export type Tag = (secret: string) => string;

/** What was taken out: the rule's kind, and how often. */
export interface FoundKind {
  readonly kind: string;
  readonly count: number;
}

/**
 * Redacts texts that belong together, such as the parts of one call. Every secret is replaced by `[redacted:kind:tag]`; what is
 * redacted already stays as it is.
 */
export interface Redactor {
  text(text: string): string;
  /** The value with every secret in its strings and names replaced; the same object when there is none. */
  json(value: unknown): unknown;
  /** What was found so far, by kind in the order of first sight. */
  found(): FoundKind[];
}

/** Shorter secrets are not looked for by their letters elsewhere: they would be found everywhere. */
const LEAST_KNOWN = 6;
/** Deepest value that is walked; what lies deeper counts as one secret. */
const MAX_DEPTH = 200;

export function createRedactor(tag: Tag): Redactor {
  const counts = new Map<string, number>();
  const known = new Map<string, string>();
  const mark = (kind: string, secret: string): string => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const marker = known.get(secret) ?? `[redacted:${kind}:${tag(secret)}]`;
    if (secret.length >= LEAST_KNOWN) known.set(secret, marker);
    return marker;
  };
  const text = (given: string): string => replaceKnown(replaceFound(given, mark), known);
  return {
    text,
    json: (value) => walk(value, { text, mark }, 0),
    found: () => [...counts].map(([kind, count]) => ({ kind, count })),
  };
}

type Mark = (kind: string, secret: string) => string;

function replaceFound(text: string, mark: Mark): string {
  const spans = findSecrets(text);
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const { kind, start, end } of spans) {
    parts.push(text.slice(from, start), mark(kind, text.slice(start, end)));
    from = end;
  }
  return parts.join('') + text.slice(from);
}

/** A secret that was found once is one wherever it stands, also where nothing but its letters gives it away. */
function replaceKnown(text: string, known: ReadonlyMap<string, string>): string {
  let cleaned = text;
  for (const [secret, marker] of known) if (cleaned.includes(secret)) cleaned = cleaned.split(secret).join(marker);
  return cleaned;
}

interface Tools {
  readonly text: (text: string) => string;
  readonly mark: Mark;
}

function walk(value: unknown, tools: Tools, depth: number): unknown {
  if (typeof value === 'string') return tools.text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return tools.mark('unsearchable', JSON.stringify(value) ?? '');
  return Array.isArray(value) ? walkList(value, tools, depth) : walkObject(value, tools, depth);
}

function walkObject(value: object, tools: Tools, depth: number): unknown {
  let changed = false;
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    const cleanName = tools.text(name);
    const clean = namedSecret(name, item) ? tools.mark('secret-field', item) : walk(item, tools, depth + 1);
    changed ||= clean !== item || cleanName !== name;
    return [cleanName, clean];
  });
  return changed ? fromEntries(entries) : value;
}

/** Unlike plain assignment this keeps a field named `__proto__` a field. */
function fromEntries(entries: readonly [string, unknown][]): object {
  return Object.fromEntries(entries);
}

/** In a field that is named like a secret the whole text is one, unless it only refers to it or is prose. */
function namedSecret(name: string, item: unknown): item is string {
  if (typeof item !== 'string' || !isSecretName(name)) return false;
  if (isReference(item) || isMarker(item) || looksLikePath(item) || item.includes('[redacted:')) return false;
  return item.length <= 4_096 && !/\s\S+\s/.test(item);
}

function walkList(items: readonly unknown[], tools: Tools, depth: number): unknown {
  const words = items.length > 1 && items.every((item) => typeof item === 'string') ? wordsOf(items, tools) : null;
  const clean = (words ?? items).map((item) => walk(item, tools, depth + 1));
  return clean.some((item, index) => item !== items[index]) ? clean : items;
}

/** Longest list of words that is read as one command line, in characters. */
const MAX_LINE = 65_536;

/** A list of words may be a command line, whose places tell what is a secret: `["mysql", "-p", "x"]`. */
function wordsOf(items: readonly string[], { mark }: Tools): string[] | null {
  const line = items.join(' ');
  if (line.length > MAX_LINE) return null;
  const spans = findSecrets(line);
  if (spans.length === 0) return null;
  let offset = 0;
  return items.map((item) => {
    const [from, to] = [offset, offset + item.length];
    offset = to + 1;
    const inside = spans.filter(({ start, end }) => start < to && end > from);
    return inside.reduceRight((text, { kind, start, end }) => {
      const [first, last] = [Math.max(start, from) - from, Math.min(end, to) - from];
      return text.slice(0, first) + mark(kind, text.slice(first, last)) + text.slice(last);
    }, item);
  });
}
