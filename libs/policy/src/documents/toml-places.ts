/** Finds where the keys of a valid TOML text stand: a light scan over headers and assignments, never an error. */
import { MAX_TEXT_DEPTH, lineStarts, pathText, placeAt, type Place } from './text-node.js';

/** Path as text (`allow[1].rule`) -> place of the key, or of the table's header. */
export type TomlPlaces = ReadonlyMap<string, Place>;

interface Scan {
  readonly text: string;
  readonly starts: readonly number[];
  readonly places: Map<string, Place>;
  /** How many tables of an array of tables were seen, by the array's path. */
  readonly counts: Map<string, number>;
  position: number;
  table: (string | number)[];
}

const KEY = /[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*/y;

/** INVARIANT: every turn of the loop moves on, so the scan is linear and ends. */
export function scanTomlPlaces(text: string): TomlPlaces {
  const scan: Scan = { text, starts: lineStarts(text), places: new Map(), counts: new Map(), position: 0, table: [] };
  while (scan.position < text.length) {
    const unit = text[scan.position] ?? '';
    if (unit === '#') skipLine(scan);
    else if (/[\s\uFEFF]/.test(unit)) scan.position += 1;
    else if (unit === '[') readHeader(scan);
    else readAssignment(scan);
  }
  return scan.places;
}

function skipLine(scan: Scan): void {
  const end = scan.text.indexOf('\n', scan.position);
  scan.position = end === -1 ? scan.text.length : end + 1;
}

/** Keys of a dotted name; beyond the depth that is read at all they are passed over. */
function readKeys(scan: Scan): string[] {
  const keys: string[] = [];
  for (;;) {
    KEY.lastIndex = scan.position;
    const found = KEY.exec(scan.text);
    if (!found) return keys;
    if (keys.length <= MAX_TEXT_DEPTH) keys.push(plainKey(found[1] ?? ''));
    scan.position = KEY.lastIndex;
    if (scan.text[scan.position] !== '.') return keys;
    scan.position += 1;
  }
}

function plainKey(written: string): string {
  if (written.startsWith("'")) return written.slice(1, -1);
  if (!written.startsWith('"')) return written;
  try {
    return JSON.parse(written) as string;
  } catch {
    return written.slice(1, -1);
  }
}

function readHeader(scan: Scan): void {
  const at = placeAt(scan.starts, scan.position);
  const isArray = scan.text[scan.position + 1] === '[';
  scan.position += isArray ? 2 : 1;
  const keys = readKeys(scan);
  scan.table = resolve(scan, keys, isArray);
  note(scan, scan.table, at);
  if (isArray) note(scan, scan.table.slice(0, -1), at);
  skipLine(scan);
}

/** Header keys as a path: each array of tables on the way stands at its last table. */
function resolve(scan: Scan, keys: readonly string[], isArray: boolean): (string | number)[] {
  const path: (string | number)[] = [];
  keys.forEach((key, i) => {
    path.push(key);
    const name = pathText(path);
    if (isArray && i === keys.length - 1) scan.counts.set(name, (scan.counts.get(name) ?? 0) + 1);
    const count = scan.counts.get(name);
    if (count !== undefined) path.push(count - 1);
  });
  return path;
}

function note(scan: Scan, path: readonly (string | number)[], at: Place): void {
  const name = pathText(path);
  if (!scan.places.has(name)) scan.places.set(name, at);
}

function readAssignment(scan: Scan): void {
  const start = scan.position;
  const at = placeAt(scan.starts, start);
  const keys = readKeys(scan);
  const path = [...scan.table];
  for (const key of keys) {
    path.push(key);
    note(scan, path, at);
  }
  if (scan.text[scan.position] === '=') scan.position += 1;
  skipValue(scan, path);
  if (scan.position === start) scan.position += 1;
}

/** Moves past a value, noting where the items of an outer array stand. */
function skipValue(scan: Scan, path: readonly (string | number)[]): void {
  const outer = { depth: 0, index: 0, fresh: false };
  while (scan.position < scan.text.length) {
    const unit = scan.text[scan.position] ?? '';
    if (unit === '\n' && outer.depth === 0) return;
    if (outer.fresh && outer.depth === 1 && !/[\s#,\]]/.test(unit)) {
      note(scan, [...path, outer.index], placeAt(scan.starts, scan.position));
      outer.fresh = false;
    }
    countBracket(outer, unit);
    skipUnit(scan, unit);
  }
}

function countBracket(outer: { depth: number; index: number; fresh: boolean }, unit: string): void {
  if (unit === ']' || unit === '}') outer.depth -= 1;
  if (unit === '[' || unit === '{') outer.depth += 1;
  if (outer.depth !== 1) return;
  if (unit === ',') outer.index += 1;
  if (unit === ',' || unit === '[') outer.fresh = true;
}

function skipUnit(scan: Scan, unit: string): void {
  if (unit === '#') {
    const end = scan.text.indexOf('\n', scan.position);
    scan.position = end === -1 ? scan.text.length : end;
  } else if (unit === '"' || unit === "'") skipString(scan, unit);
  else scan.position += 1;
}

function skipString(scan: Scan, quote: string): void {
  const triple = quote.repeat(3);
  const mark = scan.text.startsWith(triple, scan.position) ? triple : quote;
  scan.position += mark.length;
  while (scan.position < scan.text.length && !scan.text.startsWith(mark, scan.position)) {
    scan.position += quote === '"' && scan.text[scan.position] === '\\' ? 2 : 1;
  }
  scan.position += mark.length;
  while (mark.length === 3 && scan.text[scan.position] === quote) scan.position += 1;
}
