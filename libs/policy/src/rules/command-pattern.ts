/** Specs of command rules: `npm run build` exactly, `git push *` and `git push:*` with or without arguments, `*` anywhere. */
import { compileWildcard, matchesWildcard, type Wildcard } from './wildcard.js';

/** A compiled command spec. */
export interface CommandPattern {
  /** Spec without wildcards, quoting undone; null when it has any. */
  readonly exact: string | null;
  /** The first word when it is literal: what rules are indexed by. */
  readonly program: string | null;
  /** The second word when every command that matches has just that one behind its program: what rules of one program are told apart by. */
  readonly second: string | null;
  /** The words, program first, that every command which matches begins with. */
  readonly fixed: readonly string[];
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
    exact: exactOf(whole),
    program: programOf(text),
    second: plain === spec && !spec.includes('\\') ? secondOf(whole) : null,
    fixed: fixedOf(whole),
    bare: tail ? compileWildcard(text.slice(0, -2).trimEnd()) : null,
    whole,
    written: plain === spec ? null : compileWildcard(spec),
  };
}

function exactOf({ pieces, stars }: Wildcard): string | null {
  return stars ? null : (pieces[0] ?? '');
}

function programOf(text: string): string | null {
  const space = text.indexOf(' ');
  const word = space < 0 ? text : text.slice(0, space);
  return word.includes('*') || word.includes('\\') || word === '' ? null : word;
}

/** A word counts when the pattern says where it ends: at a blank, or with the command. */
function secondOf({ pieces, stars }: Wildcard): string | null {
  const [head = ''] = pieces;
  const start = head.indexOf(' ') + 1;
  const end = head.indexOf(' ', start);
  if (start === 0 || (end < 0 && stars)) return null;
  return end < 0 ? head.slice(start) : head.slice(start, end);
}

function fixedOf({ pieces, stars }: Wildcard): string[] {
  const all = (pieces[0] ?? '').split(' ');
  return stars ? all.slice(0, -1) : all;
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
