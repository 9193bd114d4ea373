/** What a value must look like to count as a secret, where only its name or its place speaks for it. */

/** A value without the pair of quotes around it. */
export function unquoted(value: string): string {
  const quote = value[0];
  if (value.length < 2 || value.at(-1) !== quote || (quote !== '"' && quote !== "'" && quote !== '`')) return value;
  const inner = value.slice(1, -1);
  return inner.includes(quote) ? value : inner;
}

/** Stands for a value instead of being one: a variable, a template's place, a mask. */
const REFERENCE =
  /^(?:\$|\$[A-Za-z_]\w*|\$\{[^}]*\}|\$\([^)]*\)?|\{\{[^}]*\}?\}?|%[A-Za-z_]+%|%\(?\w*\)?[sd]|<[^>]*>|\[[^\]]*\]|[*x.•…_-]{3,}|:[a-z_]+|@[A-Za-z_]\w*@|`[^`]*`)$/i;
/** Words that people and programs write where a secret would stand. */
const PLAIN =
  /^(?:true|false|yes|no|none|null|nil|undefined|nan|string|str|text|number|int|bool(?:ean)?|any|unknown|bytes|object|void|required|optional|env|stdin|prompt|ask|file|auto|disabled|enabled|default|unset|empty|password|passwd|secret|token|apikey|\d{1,3})$/i;

/** True for a value that names a secret without holding it. A single-quoted text is never expanded, so only a bare one refers. */
export function isReference(value: string): boolean {
  const inner = unquoted(value);
  if (inner === '' || PLAIN.test(inner)) return true;
  if (value.startsWith("'") && inner !== value)
    return /^(?:<[^>]*>|\{\{[^}]*\}\}|\$\{\{[^}]*\}\}|[*x.•…]+)$/i.test(inner);
  return REFERENCE.test(inner);
}

/** A path to a file is not what the file holds. */
export function looksLikePath(value: string): boolean {
  const inner = unquoted(value);
  return /^(?:\/|\.{1,2}\/|~\/|[A-Za-z]:\\)[\w.~@+ /\\-]*$/.test(inner) && /[A-Za-z]/.test(inner)
    ? inner.length < 200
    : /^[\w./-]+\.(?:pem|key|crt|json|ya?ml|txt|env|toml|ini|cfg|conf|p12|pub)$/i.test(inner);
}

/** The next option stands where the value would. */
export function isOption(value: string): boolean {
  return /^-{1,2}[A-Za-z]/.test(value);
}

/** A value of an option or a variable that is named like a secret. */
export function isSecretWord(value: string): boolean {
  return !isReference(value) && !looksLikePath(value) && !isOption(value) && !isMarker(value);
}

/** Letters and digits mixed, or long and varied: what people do not write as prose or as a name in code. */
export function looksRandom(value: string): boolean {
  if (value.length < 6 || /\s/.test(value)) return false;
  if (/\d/.test(value) && /[A-Za-z]/.test(value)) return true;
  return value.length >= 8 && /[!@#$%^&*+=/~?]/.test(value) && /[A-Za-z]/.test(value);
}

/** What is put in the place of a secret, with its kind and its tag. */
export const MARKER = /\[redacted:[a-z0-9-]{1,64}:[0-9a-f]{4,32}\]/g;

/** True for a value that was redacted before. */
export function isMarker(value: string): boolean {
  return /^\[redacted:[a-z0-9-]{1,64}:[0-9a-f]{4,32}\]$/.test(unquoted(value));
}
