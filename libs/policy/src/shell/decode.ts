/** Small decoders for text that a script hides. None of them throws; what cannot be decoded is null. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Bytes of base64 text as characters (Latin-1), blanks ignored; null when it holds anything else. */
export function decodeBase64(text: string): string | null {
  const clean = text.replace(/\s+/g, '').replace(/=+$/, '');
  let out = '';
  let bits = 0;
  let held = 0;
  for (const char of clean) {
    const value = ALPHABET.indexOf(char);
    if (value < 0) return null;
    held = (held << 6) | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += String.fromCharCode((held >> bits) & 255);
    held &= (1 << bits) - 1;
  }
  return out;
}

/** Characters of plain hexadecimal text; null when it holds anything else. */
export function decodeHex(text: string): string | null {
  const clean = text.replace(/\s+/g, '');
  if (clean === '' || clean.length % 2 > 0 || !/^[0-9a-fA-F]+$/.test(clean)) return null;
  return (clean.match(/../g) ?? []).map((pair) => String.fromCharCode(parseInt(pair, 16))).join('');
}

const NAMED: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\u001b',
  '\\': '\\',
};

/** Undoes the escapes of `echo -e` and `printf`. */
export function unescapeText(text: string): string {
  return text.replace(/\\(?:x[0-9a-fA-F]{1,2}|0?[0-7]{1,3}|u[0-9a-fA-F]{4}|[ntrabfve\\])/g, (found) => {
    const code = found.slice(1);
    if (/^[xu]/.test(code)) return String.fromCharCode(parseInt(code.slice(1), 16));
    return /^\d/.test(code) ? String.fromCharCode(parseInt(code, 8)) : (NAMED[code] ?? found);
  });
}
