/** Canonical JSON text (RFC 8785): what is hashed, signed and stored. */
import canonicalize from 'canonicalize';

// The package is CommonJS with ESM typings: its default export is the function itself.
const serialize = canonicalize as unknown as (value: unknown) => string | undefined;

/**
 * Canonical JSON text of a JSON value: keys sorted by UTF-16 code units, ECMAScript numbers, control characters as escapes.
 * Throws on what JSON cannot hold (undefined at the top, NaN, infinities) and on nesting that overflows the stack; check the
 * depth of foreign values first.
 */
export function canonicalJson(value: unknown): string {
  const text = serialize(value);
  if (text === undefined) throw new TypeError('the value has no JSON form');
  return text;
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
