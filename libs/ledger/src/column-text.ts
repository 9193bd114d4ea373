/** Foreign text on its way into and out of columns: Postgres takes no NUL, and UTF-8 no lone surrogate. */

const UNSTORABLE = /[\\\0]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

const SUSPECT = /[\\\0\uD800-\uDFFF]/;

/** Reversible: a backslash doubles, NUL and lone surrogates become `\uXXXX`. Different texts stay different. */
export function toColumn(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(UNSTORABLE, (found) =>
    found === '\\' ? '\\\\' : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The text that `toColumn` was given. */
export function fromColumn(stored: string): string {
  if (!stored.includes('\\')) return stored;
  return stored.replace(/\\(?:\\|u([0-9a-f]{4}))/g, (_found, code: string | undefined) =>
    code === undefined ? '\\' : String.fromCharCode(parseInt(code, 16)),
  );
}

export function toColumnOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : toColumn(text);
}

export function fromColumnOrNull(stored: string | null): string | null {
  return stored === null ? null : fromColumn(stored);
}
