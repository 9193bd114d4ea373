/** Canonical JSON (RFC 8785) of parsed JSON values, and its hash: what a permit binds arguments by. */
import { createHash } from 'node:crypto';

/** Deepest nesting that is read; arguments beyond it were never allowed. */
const MAX_DEPTH = 128;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Canonical text of a JSON value: members sorted by UTF-16 code units, numbers and strings as ECMAScript writes them. Throws a
 * TypeError on what JSON cannot hold: undefined, functions, NaN, infinities, lone surrogates, nesting beyond 128.
 */
export function canonicalText(value: unknown): string {
  return write(value, 0);
}

/** Lower-case hex SHA-256 of the canonical text's UTF-8 bytes. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(canonicalText(value), 'utf8').digest('hex');
}

function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new TypeError('nested too deeply');
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value === 'string' && !LONE_SURROGATE.test(value)) return JSON.stringify(value);
  if (typeof value !== 'object') throw new TypeError('the value has no JSON form');
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  return `{${members(value as Record<string, unknown>, depth)}}`;
}

function members(value: Record<string, unknown>, depth: number): string {
  const names = Object.keys(value).sort();
  return names.map((name) => `${write(name, depth)}:${write(value[name], depth + 1)}`).join(',');
}
