/** Reads JSON text and finds what JSON.parse swallows: duplicate keys, unsafe integers, lone surrogates, deep nesting. */
import type { ArgumentProblem } from './tool-call.js';

/** Where in a JSON value: keys and indexes from the root; `[]` is the root itself. */
export type JsonPath = readonly (string | number)[];

/** One flaw of a JSON text that parses. */
export interface JsonProblem {
  readonly problem: Extract<
    ArgumentProblem,
    'duplicate_key' | 'unsafe_integer' | 'lone_surrogate' | 'too_deep' | 'too_large'
  >;
  readonly path: JsonPath;
}

/** JSON text that parsed, its value, and its flaws with their places. */
export interface InspectedJson {
  readonly ok: true;
  readonly text: string;
  readonly value: unknown;
  readonly problems: readonly JsonProblem[];
}

export type JsonInspection = InspectedJson | { readonly ok: false; readonly problem: 'malformed' };

/** Nesting beyond which a body is not looked at any more; arguments have a stricter limit of their own. */
export const MAX_JSON_DEPTH = 256;
/** Problems listed; one more stands for the rest, at the root, so that nothing passes unseen. */
const MAX_PROBLEMS = 200;

const LONE_SURROGATE = /\p{Surrogate}/u;
const QUOTE = 0x22;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
/** A JSON number at `lastIndex`. */
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** More digits than this may exceed 2^53. */
const SAFE_LENGTH = 15;

/** An open object (keys seen so far, the key being read) or array (keys null, the index being read). */
interface Frame {
  readonly keys: Set<string> | null;
  at: string | number;
  /** In an object: the next string is a key. */
  wantsKey: boolean;
}

interface Scan {
  readonly text: string;
  readonly maxDepth: number;
  readonly anyRawLone: boolean;
  readonly frames: Frame[];
  readonly problems: JsonProblem[];
  position: number;
  /** Position of the next backslash at or after `position`; the text's length when there is none. */
  nextEscape: number;
}

/**
 * Parses JSON text and lists its flaws. Linear in the text, never recursive. Of duplicate keys the value holds the last, as
 * JSON.parse does; `__proto__` stays an ordinary own key.
 */
export function inspectJson(text: string, options: { maxDepth?: number } = {}): JsonInspection {
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch {
    return { ok: false, problem: 'malformed' };
  }
  return { ok: true, text, value, problems: findProblems(text, options.maxDepth ?? MAX_JSON_DEPTH) };
}

/** Parses JSON text that must be without flaw; otherwise the first problem and its path. */
export function readStrictJson(
  text: string,
  options: { maxDepth?: number } = {},
): { ok: true; value: unknown } | { ok: false; problem: 'malformed' | JsonProblem['problem']; at: JsonPath } {
  const inspected = inspectJson(text, options);
  if (!inspected.ok) return { ok: false, problem: inspected.problem, at: [] };
  const first = inspected.problems[0];
  return first ? { ok: false, problem: first.problem, at: first.path } : { ok: true, value: inspected.value };
}

/** A problem as people read it: `duplicate_key` is "duplicate key". */
export function jsonProblemText(problem: 'malformed' | JsonProblem['problem']): string {
  return problem.replaceAll('_', ' ');
}

/** The first problem that touches the subtree at `path`: inside of it, at it, or at one of its ancestors. */
export function problemWithin(inspected: InspectedJson, path: JsonPath): JsonProblem | null {
  return inspected.problems.find((item) => overlaps(item.path, path)) ?? null;
}

/** The first problem that touches none of the subtrees at `paths`. */
export function problemOutside(inspected: InspectedJson, paths: readonly JsonPath[]): JsonProblem | null {
  return inspected.problems.find((item) => !paths.some((path) => isPrefix(path, item.path))) ?? null;
}

/** The value at a path, own keys only; undefined where there is none. */
export function valueAt(value: unknown, path: JsonPath): unknown {
  let here = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Record<string | number, unknown>)[step];
  }
  return here;
}

function overlaps(a: JsonPath, b: JsonPath): boolean {
  return isPrefix(a, b) || isPrefix(b, a);
}

function isPrefix(shorter: JsonPath, longer: JsonPath): boolean {
  return shorter.length <= longer.length && shorter.every((step, i) => step === longer[i]);
}

function findProblems(text: string, maxDepth: number): JsonProblem[] {
  const scan = startScan(text, maxDepth);
  while (scan.position < text.length && scan.problems.length <= MAX_PROBLEMS) step(scan);
  if (scan.problems.length > MAX_PROBLEMS) scan.problems.push({ problem: 'too_large', path: [] });
  return scan.problems;
}

function startScan(text: string, maxDepth: number): Scan {
  const scan: Scan = {
    text,
    maxDepth,
    anyRawLone: LONE_SURROGATE.test(text),
    frames: [],
    problems: [],
    position: 0,
    nextEscape: 0,
  };
  findEscape(scan, 0);
  return scan;
}

/** Reads one token. INVARIANT: the text is valid JSON, so tokens need no check of their own. */
function step(scan: Scan): void {
  const unit = scan.text.charCodeAt(scan.position);
  switch (unit) {
    case QUOTE:
      readString(scan);
      break;
    case OPEN_OBJECT:
    case OPEN_ARRAY:
      openContainer(scan, unit === OPEN_OBJECT);
      break;
    case CLOSE_OBJECT:
    case CLOSE_ARRAY:
      scan.frames.pop();
      scan.position += 1;
      break;
    case COMMA:
      nextItem(scan.frames[scan.frames.length - 1]);
      scan.position += 1;
      break;
    default:
      if (startsNumber(unit)) readNumber(scan);
      else scan.position += 1;
  }
}

function startsNumber(unit: number): boolean {
  return unit === 0x2d || (unit >= 0x30 && unit <= 0x39);
}

function nextItem(frame: Frame | undefined): void {
  if (!frame) return;
  if (frame.keys) frame.wantsKey = true;
  else frame.at = (frame.at as number) + 1;
}

function openContainer(scan: Scan, isObject: boolean): void {
  scan.position += 1;
  if (scan.frames.length === scan.maxDepth) {
    report(scan, 'too_deep');
    skipContainer(scan);
    return;
  }
  scan.frames.push(isObject ? { keys: new Set(), at: '', wantsKey: true } : { keys: null, at: 0, wantsKey: false });
}

/** Moves past the container that was just opened. */
function skipContainer(scan: Scan): void {
  for (let open = 1; open > 0;) {
    const unit = scan.text.charCodeAt(scan.position);
    if (unit === QUOTE) scan.position = endOfString(scan);
    else {
      if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) open += 1;
      else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) open -= 1;
      scan.position += 1;
    }
  }
}

function readString(scan: Scan): void {
  const frame = scan.frames[scan.frames.length - 1];
  const start = scan.position;
  const escape = scan.nextEscape;
  scan.position = endOfString(scan);
  const hasEscape = escape < scan.position;
  const mayBeLone = hasEscape || scan.anyRawLone;
  const isKey = frame?.wantsKey === true;
  if (!isKey && !mayBeLone) return;
  const literal = scan.text.slice(start, scan.position);
  const content = hasEscape ? (JSON.parse(literal) as string) : literal.slice(1, -1);
  if (isKey) enterKey(scan, frame, content);
  if (mayBeLone && LONE_SURROGATE.test(content)) report(scan, 'lone_surrogate');
}

function enterKey(scan: Scan, frame: Frame, key: string): void {
  frame.at = key;
  frame.wantsKey = false;
  if (frame.keys?.has(key)) report(scan, 'duplicate_key');
  frame.keys?.add(key);
}

/** Position after the string that begins at `position`; keeps `nextEscape` ahead of it. Looks at no character twice. */
function endOfString(scan: Scan): number {
  let from = scan.position + 1;
  let quote = scan.text.indexOf('"', from);
  while (scan.nextEscape < quote) {
    from = scan.nextEscape + 2;
    findEscape(scan, from);
    if (quote < from) quote = scan.text.indexOf('"', from);
  }
  return quote + 1;
}

function findEscape(scan: Scan, from: number): void {
  const found = scan.text.indexOf('\\', from);
  scan.nextEscape = found === -1 ? scan.text.length : found;
}

function readNumber(scan: Scan): void {
  NUMBER.lastIndex = scan.position;
  const literal = NUMBER.exec(scan.text)?.[0] ?? '-';
  scan.position += literal.length;
  if (literal.length <= SAFE_LENGTH && !/e/i.test(literal)) return;
  const value = Number(literal);
  // A whole number beyond 2^53 may not be the one that was written; 1e999 is not a number at all.
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
    report(scan, 'unsafe_integer');
}

function report(scan: Scan, problem: JsonProblem['problem']): void {
  scan.problems.push({ problem, path: scan.frames.map((frame) => frame.at) });
}

/**
 * The raw text of the value at `path` (of duplicate keys the last one's, as in the parsed value); null when there is none.
 * Scans the text again: meant for the rare value that cannot be judged.
 */
export function rawTextAt(inspected: InspectedJson, path: JsonPath): string | null {
  if (valueAt(inspected.value, path) === undefined) return null;
  const scan = startScan(inspected.text, Number.POSITIVE_INFINITY);
  let found: string | null = null;
  while (scan.position < scan.text.length) {
    if (!startsValueAt(scan, path)) step(scan);
    else {
      const start = scan.position;
      skipValue(scan);
      found = scan.text.slice(start, scan.position);
    }
    // The scan has its own problem list, which nobody reads.
    scan.problems.length = 0;
  }
  return found;
}

function startsValueAt(scan: Scan, path: JsonPath): boolean {
  if (scan.frames.length !== path.length) return false;
  const unit = scan.text.charCodeAt(scan.position);
  const frame = scan.frames[scan.frames.length - 1];
  if (unit <= 0x20 || unit === COMMA || unit === 0x3a || unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) return false;
  return frame?.wantsKey !== true && scan.frames.every((item, i) => item.at === path[i]);
}

function skipValue(scan: Scan): void {
  const unit = scan.text.charCodeAt(scan.position);
  if (unit === QUOTE) scan.position = endOfString(scan);
  else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
    scan.position += 1;
    skipContainer(scan);
  } else {
    while (scan.position < scan.text.length && !/[\s,\]}]/.test(scan.text.charAt(scan.position))) scan.position += 1;
  }
}
