/** Reads JSON (and JSON with comments) into a tree with places: strict, bounded, and able to say where it went wrong. */
import {
  FORBIDDEN_KEY,
  MAX_TEXT_DEPTH,
  MAX_TEXT_NODES,
  lineStarts,
  placeAt,
  quoted,
  type Place,
  type ScalarNode,
  type TextEntry,
  type TextNode,
  type TextResult,
} from './text-node.js';

interface Reader {
  readonly text: string;
  readonly starts: readonly number[];
  readonly comments: boolean;
  position: number;
  nodes: number;
}

/** Thrown inside this file only: the first flaw ends the reading. */
class JsonFlaw extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

/** Parses JSON; `comments` also takes `//`, block comments and a comma before a closing bracket. */
export function readJsonText(text: string, options: { comments?: boolean } = {}): TextResult {
  const reader: Reader = {
    text,
    starts: lineStarts(text),
    comments: options.comments ?? false,
    position: text.startsWith('\uFEFF') ? 1 : 0,
    nodes: 0,
  };
  try {
    const node = readValue(reader, 0);
    skipBlank(reader);
    if (reader.position < text.length) fail(reader, 'nothing may follow the value');
    return { ok: true, node };
  } catch (flaw) {
    if (!(flaw instanceof JsonFlaw)) throw flaw;
    return { ok: false, problems: [{ path: '', ...placeAt(reader.starts, flaw.offset), message: flaw.message }] };
  }
}

function fail(reader: Reader, message: string, offset = reader.position): never {
  throw new JsonFlaw(message, offset);
}

function here(reader: Reader): Place {
  return placeAt(reader.starts, reader.position);
}

function skipBlank(reader: Reader): void {
  const blank = /[ \t\r\n]*/y;
  for (;;) {
    blank.lastIndex = reader.position;
    blank.test(reader.text);
    reader.position = blank.lastIndex;
    if (!reader.comments || !skipComment(reader)) return;
  }
}

function skipComment(reader: Reader): boolean {
  const two = reader.text.slice(reader.position, reader.position + 2);
  if (two !== '//' && two !== '/*') return false;
  const end = reader.text.indexOf(two === '//' ? '\n' : '*/', reader.position + 2);
  if (end === -1 && two === '/*') fail(reader, 'the comment is not closed');
  reader.position = end === -1 ? reader.text.length : end + (two === '//' ? 1 : 2);
  return true;
}

function readValue(reader: Reader, depth: number): TextNode {
  skipBlank(reader);
  reader.nodes += 1;
  if (reader.nodes > MAX_TEXT_NODES) fail(reader, `more than ${String(MAX_TEXT_NODES)} values`);
  if (depth > MAX_TEXT_DEPTH) fail(reader, `nested deeper than ${String(MAX_TEXT_DEPTH)} levels`);
  const unit = reader.text[reader.position];
  if (unit === '{') return readTable(reader, depth);
  if (unit === '[') return readList(reader, depth);
  if (unit === '"') return { kind: 'scalar', at: here(reader), value: readString(reader) };
  return readWord(reader);
}

function readWord(reader: Reader): ScalarNode {
  const at = here(reader);
  const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;
  word.lastIndex = reader.position;
  const found = word.exec(reader.text)?.[0];
  if (found === undefined) return fail(reader, expectedValue(reader));
  const value = JSON.parse(found) as number | boolean | null;
  if (typeof value === 'number' && !Number.isFinite(value)) fail(reader, `the number ${quoted(found)} is too large`);
  reader.position += found.length;
  return { kind: 'scalar', at, value };
}

function expectedValue(reader: Reader): string {
  const rest = /\S{0,20}/y;
  rest.lastIndex = reader.position;
  const found = rest.exec(reader.text)?.[0] ?? '';
  return found === '' ? 'the text ends where a value is expected' : `expected a value, found ${quoted(found)}`;
}

function readString(reader: Reader): string {
  const start = reader.position;
  const body = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
  body.lastIndex = start;
  const found = matchString(body, reader);
  if (found === undefined)
    return fail(reader, 'the string is not closed, or holds a bad escape or a control character');
  reader.position += found.length;
  return JSON.parse(found) as string;
}

/** The string's own scan, character by character: an expression over a megabyte can overflow the matcher's stack. */
function matchString(body: RegExp, reader: Reader): string | undefined {
  let end = reader.position + 1;
  for (; end < reader.text.length && reader.text[end] !== '"' && reader.text[end] !== '\n'; end += 1) {
    if (reader.text[end] === '\\') end += 1;
  }
  const piece = reader.text.slice(reader.position, end + 1);
  if (piece.length < 1_000) return body.exec(reader.text)?.[0];
  try {
    JSON.parse(piece);
    return piece;
  } catch {
    return undefined;
  }
}

function readList(reader: Reader, depth: number): TextNode {
  const at = here(reader);
  const items: TextNode[] = [];
  reader.position += 1;
  while (!closes(reader, ']', items.length > 0)) items.push(readValue(reader, depth + 1));
  return { kind: 'list', at, items };
}

function readTable(reader: Reader, depth: number): TextNode {
  const at = here(reader);
  const entries: TextEntry[] = [];
  const seen = new Set<string>();
  reader.position += 1;
  while (!closes(reader, '}', entries.length > 0)) entries.push(readEntry(reader, depth, seen));
  return { kind: 'table', at, entries };
}

function readEntry(reader: Reader, depth: number, seen: Set<string>): TextEntry {
  const start = reader.position;
  const at = here(reader);
  if (reader.text[start] !== '"') fail(reader, 'expected a key in double quotes');
  const key = readString(reader);
  if (seen.has(key)) fail(reader, `the key ${quoted(key)} stands twice`, start);
  if (key === FORBIDDEN_KEY) fail(reader, `${quoted(key)} is no usable key`, start);
  seen.add(key);
  skipBlank(reader);
  if (reader.text[reader.position] !== ':') fail(reader, `expected \`:\` after the key ${quoted(key)}`);
  reader.position += 1;
  return { key, at, node: readValue(reader, depth + 1) };
}

/** True past the closing bracket; otherwise at the next item, past the comma when one is due. */
function closes(reader: Reader, bracket: string, commaDue: boolean): boolean {
  skipBlank(reader);
  if (reader.text[reader.position] === bracket) {
    reader.position += 1;
    return true;
  }
  if (!commaDue) return false;
  if (reader.text[reader.position] !== ',') fail(reader, `expected \`,\` or \`${bracket}\``);
  reader.position += 1;
  skipBlank(reader);
  if (reader.text[reader.position] !== bracket) return false;
  if (!reader.comments) fail(reader, 'no comma may stand before a closing bracket');
  reader.position += 1;
  return true;
}
