/**
 * Array parameters in Postgres's binary form. The driver's own text form quotes and escapes every element here and has the server undo
 * it; a round has thousands of elements, most of them JSON full of quotes.
 */

/** What an element may be; everything but null is written as its text. */
export type Cell = string | number | boolean | null;

const TEXT = 25;
const INT4 = 23;
const INT8 = 20;
/** Dimensions, null flag, element type, then size and lower bound of each dimension. */
const headerBytes = (dimensions: number): number => 12 + 8 * dimensions;
/** Length and text of a number or truth value. */
const MOST_OTHER_BYTES = 4 + 32;

const FIRST_BYTES = 64 * 1024;
/** Elements are written here first, since their size is known only afterwards. INVARIANT: used by one synchronous call at a time. */
let scratch = Buffer.allocUnsafe(FIRST_BYTES);
/** Most UTF-16 units that are copied one by one. */
const SHORT = 48;
/** Texts longer than this are counted. */
const COUNTED = 4_096;
/** A larger scratch is given back after use. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** A matrix as `text[][]`; all rows must be of one length. No rows: an empty array. */
export function textMatrix(rows: readonly (readonly Cell[])[]): Buffer {
  const width = rows[0]?.length ?? 0;
  if (rows.some((row) => row.length !== width)) throw new TypeError('the rows of a matrix differ in length');
  return encode(rows, width === 0 ? [] : [rows.length, width]);
}

/** A list as `text[]`. */
export function textArray(cells: readonly Cell[]): Buffer {
  return encode([cells], cells.length === 0 ? [] : [cells.length]);
}

/** Whole numbers as `int4[]`; throws a RangeError beyond 32 bits. */
export function int4Array(numbers: readonly (number | null)[]): Buffer {
  return encodeNumbers(numbers, INT4, 4);
}

/** Whole numbers up to 2^53 as `int8[]`. */
export function int8Array(numbers: readonly (number | null)[]): Buffer {
  return encodeNumbers(numbers, INT8, 8);
}

function encode(rows: readonly (readonly Cell[])[], sizes: readonly number[]): Buffer {
  const bound = headerBytes(sizes.length) + mostBytes(rows);
  if (bound > scratch.length) scratch = Buffer.allocUnsafe(bound);
  let at = writeHeader(scratch, TEXT, sizes, true);
  for (const row of rows) {
    for (const cell of row) at = writeCell(scratch, at, cell);
  }
  const bytes = Buffer.from(scratch.subarray(0, at));
  if (scratch.length > KEPT_BYTES) scratch = Buffer.allocUnsafe(FIRST_BYTES);
  return bytes;
}

/** Each element takes its length and its text. */
function mostBytes(rows: readonly (readonly Cell[])[]): number {
  let bytes = 0;
  for (const row of rows) {
    for (const cell of row) bytes += typeof cell === 'string' ? 4 + mostTextBytes(cell) : MOST_OTHER_BYTES;
  }
  return bytes;
}

/** In UTF-8 a UTF-16 unit takes three bytes at most. Long texts are counted, for three times their size would be much. */
function mostTextBytes(text: string): number {
  return text.length > COUNTED ? Buffer.byteLength(text) : 3 * text.length;
}

/** `mayHoldNulls`: the server looks for them; saying so without one costs nothing. */
function writeHeader(target: Buffer, type: number, sizes: readonly number[], mayHoldNulls: boolean): number {
  let at = writeInt(target, 0, sizes.length);
  at = writeInt(target, at, mayHoldNulls ? 1 : 0);
  at = writeInt(target, at, type);
  for (const size of sizes) {
    at = writeInt(target, at, size);
    at = writeInt(target, at, 1);
  }
  return at;
}

function writeCell(target: Buffer, at: number, cell: Cell): number {
  if (cell === null) return writeInt(target, at, -1);
  const text = typeof cell === 'string' ? cell : String(cell);
  const bytes = text.length <= SHORT ? writeShort(target, at + 4, text) : target.write(text, at + 4, 'utf8');
  writeInt(target, at, bytes);
  return at + 4 + bytes;
}

/** 32 bits, the highest first. Byte by byte: in a process that loads much, Buffer's own methods are looked up anew for every number. */
function writeInt(target: Uint8Array, at: number, value: number): number {
  target[at] = value >>> 24;
  target[at + 1] = value >>> 16;
  target[at + 2] = value >>> 8;
  target[at + 3] = value;
  return at + 4;
}

/** Plain ASCII unit by unit: for short texts a call into the runtime costs more than the copying. */
function writeShort(target: Buffer, at: number, text: string): number {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return target.write(text, at, 'utf8');
    target[at + i] = unit;
  }
  return text.length;
}

function encodeNumbers(numbers: readonly (number | null)[], type: number, size: 4 | 8): Buffer {
  const sizes = numbers.length === 0 ? [] : [numbers.length];
  const target = Buffer.allocUnsafe(headerBytes(sizes.length) + numbers.length * (4 + size));
  let at = writeHeader(target, type, sizes, numbers.includes(null));
  for (const number of numbers) {
    at = target.writeInt32BE(number === null ? -1 : size, at);
    if (number === null) continue;
    at = size === 4 ? target.writeInt32BE(number, at) : target.writeBigInt64BE(BigInt(number), at);
  }
  return target.subarray(0, at);
}
