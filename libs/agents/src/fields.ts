/** Reading fields of a body that may be anything at all: a field that does not fit is null, never an exception. */

export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object, or null for arrays, null and everything else. */
export function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** An own field; what is inherited does not count. */
export function field(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** A non-empty string of at most `limit` UTF-16 units, or null. */
export function textField(fields: Fields, name: string, limit: number): string | null {
  const value = field(fields, name);
  return typeof value === 'string' && value.length > 0 && value.length <= limit ? value : null;
}

/** The head of a string field, or null when it is no string. */
export function headField(fields: Fields, name: string, limit: number): string | null {
  const value = field(fields, name);
  return typeof value === 'string' ? bounded(value, limit) : null;
}

const CONTROL_OR_LONE = /[\p{Cc}\p{Cs}]/u;

/** A string that may serve as an id: up to `limit` units, no controls, no lone surrogates; null otherwise. */
export function idField(fields: Fields, name: string, limit = 256): string | null {
  const value = textField(fields, name, limit);
  return value === null || CONTROL_OR_LONE.test(value) ? null : value;
}

/** A finite number of at least 0, or null. */
export function durationField(fields: Fields, name: string): number | null {
  const value = field(fields, name);
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** The first `limit` UTF-16 units, ending in `…` when cut, without lone surrogates. */
export function bounded(text: string, limit: number): string {
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return cut.replace(/\p{Cs}/gu, '\uFFFD');
}

/** A string as it is, any other JSON value as JSON text, nothing as null. Text that cannot be made is null too. */
export function outputText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return null;
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    // Nested deeper than the stack: there is no text to keep.
    return null;
  }
}
