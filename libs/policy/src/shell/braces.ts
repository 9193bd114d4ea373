/** Brace expansion, as far as it is plain: lists, nesting and short number ranges. */

const MAX_RESULTS = 64;
const MAX_DEPTH = 8;

/** All words that `{a,b}` text expands to; null when it is not plain (quotes, expansions) or too many. */
export function expandBraces(text: string): string[] | null {
  if (/["'\\$`]/.test(text)) return null;
  return expand(text, 0);
}

function expand(text: string, depth: number): string[] | null {
  if (depth > MAX_DEPTH) return null;
  const open = text.indexOf('{');
  const close = open < 0 ? -1 : closing(text, open);
  if (close < 0) return [text];
  const heads = alternatives(text.slice(open + 1, close))?.map((choice) => expand(choice, depth + 1));
  const tails = expand(text.slice(close + 1), depth + 1);
  if (heads === undefined || tails === null) return null;
  const middles = heads.flatMap((choices) => choices ?? []);
  if (heads.includes(null) || middles.length * tails.length > MAX_RESULTS) return null;
  const before = text.slice(0, open);
  return middles.flatMap((middle) => tails.map((tail) => before + middle + tail));
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text.charAt(at) === '{') depth += 1;
    else if (text.charAt(at) === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

function alternatives(inner: string): string[] | null {
  if (/^(?:-?\d{1,6}\.\.-?\d{1,6}|[a-zA-Z]\.\.[a-zA-Z])$/.test(inner)) return rangeOf(inner.split('..'));
  const out: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < inner.length; at += 1) {
    const char = inner.charAt(at);
    if (char === '{') depth += 1;
    else if (char === '}') depth -= 1;
    else if (char === ',' && depth === 0) {
      out.push(inner.slice(start, at));
      start = at + 1;
    }
  }
  out.push(inner.slice(start));
  return out.length > 1 ? out : null;
}

/** `1..9` and `a..z`. */
function rangeOf([from = '', to = '']: readonly string[]): string[] | null {
  if (/\d/.test(from)) return numbers(Number(from), Number(to));
  const codes = numbers(from.charCodeAt(0), to.charCodeAt(0));
  return codes?.map((code) => String.fromCharCode(Number(code))) ?? null;
}

function numbers(from: number, to: number): string[] | null {
  const count = Math.abs(to - from) + 1;
  if (count > MAX_RESULTS) return null;
  const step = to < from ? -1 : 1;
  return Array.from({ length: count }, (_none, index) => String(from + index * step));
}
