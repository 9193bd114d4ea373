/** `re:` specs: RE2 expressions that must match the whole of what a rule of that tool is held against, in linear time. */
import { RE2JS, RE2JSSyntaxException } from 're2js';

/** A compiled expression. `folded` is the same without regard to case, for names of files that denies and asks look for. */
export interface RegexPattern {
  readonly source: string;
  readonly exact: RE2JS;
  readonly folded: RE2JS;
  /** What every text begins with that is matched. */
  readonly prefix: string;
  /** The first word of every text that is matched, when the expression says it letter by letter: what rules are indexed by. */
  readonly program: string | null;
}

export type RegexCompilation =
  { readonly ok: true; readonly regex: RegexPattern } | { readonly ok: false; readonly message: string };

/** Longest expression, in UTF-16 units, and largest program that one may become, in instructions: what bounds the work per text. */
const MAX_LENGTH = 1_000;
const MAX_PROGRAM = 2_000;

/** Expressions seen before: a policy is compiled many times over while it is analysed. Emptied when full. */
const known = new Map<string, RegexCompilation>();
const MAX_KNOWN = 4_000;

/** Compiles an expression. A dot matches line breaks too. Not ok: what is wrong and at which character of it, from 1. */
export function compileRegex(source: string): RegexCompilation {
  const before = known.get(source);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const result = compileAfresh(source);
  known.set(source, result);
  return result;
}

function compileAfresh(source: string): RegexCompilation {
  if (source === '') return { ok: false, message: 'the expression behind `re:` is empty' };
  if (source.length > MAX_LENGTH) {
    return { ok: false, message: `an expression may have ${String(MAX_LENGTH)} characters at most` };
  }
  try {
    const exact = RE2JS.compile(source, RE2JS.DOTALL);
    if (exact.programSize() > MAX_PROGRAM) return { ok: false, message: 'the expression repeats too much' };
    const folded = RE2JS.compile(source, RE2JS.DOTALL | RE2JS.CASE_INSENSITIVE);
    return { ok: true, regex: { source, exact, folded, ...beginningOf(exact) } };
  } catch (error) {
    return { ok: false, message: describeError(source, error) };
  }
}

function beginningOf(expression: RE2JS): Pick<RegexPattern, 'prefix' | 'program'> {
  const { prefix, prefixComplete } = expression.re2() as { prefix: unknown; prefixComplete: boolean };
  const text = typeof prefix === 'string' ? prefix : '';
  const blank = text.indexOf(' ');
  if (blank > 0) return { prefix: text, program: text.slice(0, blank) };
  return { prefix: text, program: blank < 0 && prefixComplete && text !== '' ? text : null };
}

function describeError(source: string, error: unknown): string {
  if (!(error instanceof RE2JSSyntaxException)) return 'the expression cannot be read';
  const part = error.getPattern();
  const at = part === null ? -1 : source.indexOf(part);
  // What is missing is told with the whole expression: its place is the end.
  if (part === null || at < 0) return `${error.getDescription()} at character ${String(source.length + 1)}`;
  return `${error.getDescription()} at character ${String(at + 1)}: \`${part}\``;
}

/** True when the whole text is matched; `fold`: whatever its case. */
export function matchesRegex(regex: RegexPattern, text: string, fold = false): boolean {
  return fold ? regex.folded.testExact(text) : text.startsWith(regex.prefix) && regex.exact.testExact(text);
}

/** True unless nothing at or below the folder can be matched, since all that is begins otherwise. */
export function regexMayReach(regex: RegexPattern, folder: string): boolean {
  const prefix = regex.prefix.toLowerCase();
  const start = folder.toLowerCase();
  return prefix.startsWith(start) || start.startsWith(prefix);
}

/** An expression that spells an address out is held against addresses, any other against hosts. */
export function isAboutAddress(regex: RegexPattern): boolean {
  return /:(?:\\?\/){2}/.test(regex.source);
}
