/** Specs of command rules: `npm run build` exactly, `git push *` and `git push:*` with or without arguments, `*` anywhere. */
import { compileWildcard, matchesWildcard, type Wildcard } from './wildcard.js';

/** A compiled command spec. */
export interface CommandPattern {
  /** Spec without wildcards, quoting undone; null when it has any. */
  readonly exact: string | null;
  /** The first word when it is literal: what rules are indexed by. */
  readonly program: string | null;
  /** Matches when the command is this, with or without arguments; null when there is no such tail. */
  readonly bare: Wildcard | null;
  readonly whole: Wildcard;
  /** The spec as written, for commands compared as written (quotes kept). */
  readonly written: Wildcard | null;
}

/** Compiles a command spec. `legacyTail`: a final `:*` means ` *`; else it is literal text and a star. */
export function compileCommandPattern(spec: string, legacyTail = true): CommandPattern {
  const plain = unquote(spec);
  const text = legacyTail && plain.endsWith(':*') ? `${plain.slice(0, -2)} *` : plain;
  const tail = text.endsWith(' *') && !text.endsWith('\\ *');
  const whole = compileWildcard(text);
  return {
    exact: whole.stars ? null : (whole.pieces[0] ?? ''),
    program: programOf(text),
    bare: tail ? compileWildcard(text.slice(0, -2).trimEnd()) : null,
    whole,
    written: plain === spec ? null : compileWildcard(spec),
  };
}

function programOf(text: string): string | null {
  const space = text.indexOf(' ');
  const word = space < 0 ? text : text.slice(0, space);
  return word.includes('*') || word.includes('\\') || word === '' ? null : word;
}

/** Undoes quotes, so that `psql -c "x"` compares with a command whose quotes are undone too; stars inside stay stars. */
function unquote(spec: string): string {
  return spec.replace(
    /"([^"]*)"|'([^']*)'/g,
    (_all, double: string | undefined, single: string | undefined) => double ?? single ?? '',
  );
}

/** True when the command text (quoting undone, single blanks) is covered. */
export function commandMatches(pattern: CommandPattern, text: string): boolean {
  if (pattern.exact !== null) return pattern.exact === text;
  return matchesWildcard(pattern.whole, text) || (pattern.bare !== null && matchesWildcard(pattern.bare, text));
}

/** True when the command as written is covered by the spec as written. */
export function writtenMatches(pattern: CommandPattern, source: string): boolean {
  return pattern.written !== null && matchesWildcard(pattern.written, source);
}
