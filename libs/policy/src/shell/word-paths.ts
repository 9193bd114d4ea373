/** The paths that a word may name when the shell has expanded it. */
import { expandBraces } from './braces.js';
import type { ShellWord } from './tree.js';

/**
 * Every path that the word may stand for, braces expanded and home filled in; null for one that only the running shell knows.
 * Shell wildcards stay in the path as `*`, `?` and `[…]`; literal ones come escaped with a backslash.
 */
export function pathsOfWord(word: ShellWord, home: string | null): (string | null)[] {
  const only = word.pieces.length === 1 ? word.pieces[0] : undefined;
  if (only?.kind === 'literal') return [escapeGlob(only.value)];
  let out: (string | null)[] = [''];
  for (const piece of word.pieces) {
    switch (piece.kind) {
      case 'literal':
        out = out.map((path) => append(path, escapeGlob(piece.value)));
        break;
      case 'glob':
        out = out.map((path) => append(path, piece.value));
        break;
      case 'home':
        out = out.map((path) => (home === null ? null : append(path, home)));
        break;
      case 'brace':
        out = product(out, expandBraces(piece.value));
        break;
      case 'variable':
      case 'dynamic':
        out = out.map(() => null);
    }
  }
  return out;
}

const MAX_PATHS = 64;

function product(heads: readonly (string | null)[], tails: readonly string[] | null): (string | null)[] {
  if (tails === null || heads.length * tails.length > MAX_PATHS) return [null];
  return heads.flatMap((head) => tails.map((tail) => append(head, tail)));
}

function append(path: string | null, more: string): string | null {
  return path === null ? null : path + more;
}

/** Takes the meaning of shell wildcards away. */
export function escapeGlob(value: string): string {
  return /[*?[\\]/.test(value) ? value.replace(/[*?[\\]/g, '\\$&') : value;
}

/** True when the path still holds a shell wildcard. */
export function hasGlob(path: string): boolean {
  return /(?:^|[^\\])(?:\\\\)*[*?[]/.test(path);
}

/** Undoes the escapes of a path without wildcards. */
export function plainPath(path: string): string {
  return path.includes('\\') ? path.replace(/\\([*?[\\])/g, '$1') : path;
}

/** Where the folder that holds the first wildcard ends. */
export function globStart(path: string): number {
  const at = path.search(/(?:^|[^\\])[*?[]/);
  return path.lastIndexOf('/', at + 1) + 1;
}
