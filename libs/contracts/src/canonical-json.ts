/** Canonical JSON text (RFC 8785): what is hashed, signed and stored. */

/** What `JSON.stringify` would escape: such strings are left to it. */
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;
/** Longer strings are left to `JSON.stringify`, whose own scan is faster than the expression's. */
const SHORT = 512;
const FEW_KEYS = 24;

/**
 * Canonical JSON text of a JSON value: keys sorted by UTF-16 code units, ECMAScript numbers, control characters as escapes.
 * Throws on what JSON cannot hold (undefined at the top, NaN, infinities, functions) and on nesting that overflows the stack; check
 * the depth of foreign values first. Written out because every event and every call's arguments pass here.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return stringJson(value);
    case 'number':
      return numberJson(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : containerJson(value);
    default:
      throw new TypeError(`the value has no JSON form: ${typeof value}`);
  }
}

function stringJson(text: string): string {
  return text.length > SHORT || ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function numberJson(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`the number has no JSON form: ${value}`);
  return String(value);
}

function containerJson(value: object): string {
  if (Array.isArray(value)) return arrayJson(value);
  if (Object.getPrototypeOf(value) === Object.prototype) return objectJson(value as Fields);
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? canonicalJson(toJSON.call(value)) : objectJson(value as Fields);
}

function arrayJson(items: readonly unknown[]): string {
  let text = '[';
  for (let at = 0; at < items.length; at += 1) text += (at === 0 ? '' : ',') + canonicalJson(items[at] ?? null);
  return `${text}]`;
}

type Fields = Readonly<Record<string, unknown>>;

function objectJson(value: Fields): string {
  let text = '';
  for (const key of sorted(Object.keys(value))) {
    const item = value[key];
    if (item === undefined) continue;
    text += text === '' ? `{${stringJson(key)}:` : leadOf(key);
    text += canonicalJson(item);
  }
  return text === '' ? '{}' : `${text}}`;
}

/** What stands before the value of a field that is not the first: the same few names come again and again. */
function leadOf(key: string): string {
  const known = leads.get(key);
  if (known !== undefined) return known;
  const lead = `,${stringJson(key)}:`;
  if (leads.size < MOST_LEADS && key.length <= LONGEST_LEAD) leads.set(key, lead);
  return lead;
}

const leads = new Map<string, string>();
const MOST_LEADS = 1_000;
const LONGEST_LEAD = 32;

/** In place. Most objects here have few keys, for which insertion is faster than the general sort. */
function sorted(keys: string[]): string[] {
  if (keys.length > FEW_KEYS) return keys.sort();
  for (let from = 1; from < keys.length; from += 1) {
    const key = keys[from] as string;
    let to = from;
    for (; to > 0 && (keys[to - 1] as string) > key; to -= 1) keys[to] = keys[to - 1] as string;
    keys[to] = key;
  }
  return keys;
}

/** Size of a text in bytes of UTF-8; a lone surrogate counts three. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isPair(unit, text.charCodeAt(i + 1))) {
      bytes += 2;
      i += 1;
    } else bytes += 2;
  }
  return bytes;
}

function isPair(unit: number, next: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
}
