/** Reads the part of Starlark that rules files use: calls with named arguments that are strings and lists. All else is reported. */
import { lineStarts, placeAt, quoted, type Place } from '../documents/text-node.js';

/** A literal value. Numbers, `True`, `False` and `None` are words. */
export type StarlarkValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly StarlarkValue[] }
  | { readonly kind: 'word'; readonly word: string };

/** A top-level statement: a call that was understood, or one that was not, with what could be seen of it. */
export type StarlarkStatement =
  | {
      readonly kind: 'call';
      readonly at: Place;
      readonly name: string;
      readonly arguments: ReadonlyMap<string, StarlarkValue>;
    }
  | { readonly kind: 'other'; readonly at: Place; readonly source: string; readonly why: string };

interface Token {
  readonly kind: 'name' | 'text' | 'sign' | 'end';
  readonly text: string;
  readonly offset: number;
}

interface Reader {
  readonly source: string;
  readonly starts: readonly number[];
  position: number;
  /** The token that was looked at but not taken. */
  ahead: Token | undefined;
}

/** Thrown inside this file only: the statement is not understood. */
class NotUnderstood extends Error {}

const MAX_DEPTH = 16;
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

/** All top-level statements in order. Never throws; linear but for what follows a statement that is not understood. */
export function readStarlark(source: string): StarlarkStatement[] {
  const reader: Reader = { source, starts: lineStarts(source), position: 0, ahead: undefined };
  const statements: StarlarkStatement[] = [];
  for (;;) {
    skipBlank(reader, true);
    if (reader.position >= source.length) return statements;
    const start = reader.position;
    try {
      statements.push(readCall(reader, placeAt(reader.starts, start)));
    } catch (flaw) {
      if (!(flaw instanceof NotUnderstood)) throw flaw;
      reader.ahead = undefined;
      reader.position = nextStatement(source, start);
      const text = source.slice(start, reader.position).trimEnd();
      statements.push({ kind: 'other', at: placeAt(reader.starts, start), source: text, why: flaw.message });
    }
  }
}

/** INVARIANT: beyond `from`. A statement ends before the next line that starts in the first column with a letter. */
function nextStatement(source: string, from: number): number {
  const next = /\n(?=[A-Za-z_])/g;
  next.lastIndex = from;
  return next.test(source) ? next.lastIndex : source.length;
}

function skipBlank(reader: Reader, newlines: boolean): void {
  const blank = newlines ? /(?:[ \t\r\n;\uFEFF]|\\\r?\n|#[^\n]*)*/y : /(?:[ \t\r]|\\\r?\n)*/y;
  blank.lastIndex = reader.position;
  blank.test(reader.source);
  reader.position = blank.lastIndex;
}

function peek(reader: Reader): Token {
  reader.ahead ??= nextToken(reader);
  return reader.ahead;
}

function take(reader: Reader): Token {
  const token = peek(reader);
  reader.ahead = undefined;
  return token;
}

function nextToken(reader: Reader): Token {
  skipBlank(reader, true);
  const offset = reader.position;
  const unit = reader.source[offset];
  if (unit === undefined) return { kind: 'end', text: '', offset };
  const prefix = /[rR]?(?="""|'''|"|')/y;
  prefix.lastIndex = offset;
  const raw = prefix.exec(reader.source)?.[0];
  if (raw !== undefined) return { kind: 'text', text: readString(reader, raw !== ''), offset };
  const name = /[A-Za-z0-9_]+/y;
  name.lastIndex = offset;
  const word = name.exec(reader.source)?.[0];
  if (word === undefined && !'()[],='.includes(unit)) throw new NotUnderstood(`${quoted(unit)} is not understood`);
  reader.position = offset + (word ?? unit).length;
  return { kind: word === undefined ? 'sign' : 'name', text: word ?? unit, offset };
}

function readString(reader: Reader, raw: boolean): string {
  const { source } = reader;
  const start = reader.position + (raw ? 1 : 0);
  const quote = quoteAt(source, start);
  let text = '';
  let at = start + quote.length;
  while (!source.startsWith(quote, at)) {
    const unit = source[at];
    if (unit === undefined || (unit === '\n' && quote.length === 1)) throw new NotUnderstood('a string is not closed');
    const length = unit === '\\' ? 2 : 1;
    text += length === 2 && !raw ? escaped(source[at + 1]) : source.slice(at, at + length);
    at += length;
  }
  reader.position = at + quote.length;
  return text;
}

/** The quote that a string starts with: one character, or three of it. */
function quoteAt(source: string, at: number): string {
  const one = source.charAt(at);
  return source.startsWith(one.repeat(3), at) ? one.repeat(3) : one;
}

function escaped(unit: string | undefined): string {
  if (unit === '\n') return '';
  const known = unit !== undefined && Object.hasOwn(SIMPLE_ESCAPES, unit) ? SIMPLE_ESCAPES[unit] : undefined;
  if (known === undefined) throw new NotUnderstood(`the escape ${quoted(`\\${unit ?? ''}`)} is not understood`);
  return known;
}

function expect(reader: Reader, sign: string): void {
  const token = take(reader);
  if (token.kind !== 'sign' || token.text !== sign) throw new NotUnderstood(`expected ${quoted(sign)}`);
}

function readCall(reader: Reader, at: Place): StarlarkStatement {
  const name = take(reader);
  if (name.kind !== 'name' || /^\d/.test(name.text)) throw new NotUnderstood('only calls are understood');
  expect(reader, '(');
  const values = new Map<string, StarlarkValue>();
  while (!closes(reader, ')')) {
    const key = take(reader);
    if (key.kind !== 'name') throw new NotUnderstood('only named arguments are understood');
    expect(reader, '=');
    if (values.has(key.text)) throw new NotUnderstood(`the argument ${quoted(key.text)} stands twice`);
    values.set(key.text, readValue(reader, 0));
    comma(reader, ')');
  }
  endStatement(reader);
  return { kind: 'call', at, name: name.text, arguments: values };
}

/** Takes the bracket if it is next. */
function closes(reader: Reader, bracket: string): boolean {
  const token = peek(reader);
  if (token.kind === 'end') throw new NotUnderstood(`expected ${quoted(bracket)}`);
  if (token.kind !== 'sign' || token.text !== bracket) return false;
  take(reader);
  return true;
}

function comma(reader: Reader, bracket: string): void {
  const token = peek(reader);
  if (token.kind === 'sign' && token.text === bracket) return;
  expect(reader, ',');
}

/** Nothing but a comment may follow on the line: `prefix_rule(…) if x else y` is no plain call. */
function endStatement(reader: Reader): void {
  skipBlank(reader, false);
  const unit = reader.source[reader.position];
  if (unit !== undefined && unit !== '\n' && unit !== '#' && unit !== ';') {
    throw new NotUnderstood(`${quoted(unit)} after a call is not understood`);
  }
}

function readValue(reader: Reader, depth: number): StarlarkValue {
  if (depth > MAX_DEPTH) throw new NotUnderstood('lists are nested too deep');
  const token = take(reader);
  if (token.kind === 'name') return { kind: 'word', word: token.text };
  if (token.kind === 'text') {
    // INVARIANT: `"a" "b"` is not joined; it fails at the comma that is missing.
    return { kind: 'text', text: token.text };
  }
  if (token.kind !== 'sign' || token.text !== '[') throw new NotUnderstood('only strings and lists are understood');
  const items: StarlarkValue[] = [];
  while (!closes(reader, ']')) {
    items.push(readValue(reader, depth + 1));
    comma(reader, ']');
  }
  return { kind: 'list', items };
}
