/** A path in lower case, whole and in parts, for look-ups that take no notice of case. */

interface Folded {
  readonly path: string;
  readonly folded: string;
  segments: readonly string[] | null;
  /** The folder that so many segments name, by their count; null: the path has fewer. */
  readonly heads: (string | null)[];
}

/** The path that was folded last: one call looks the same path up many times. */
let last: Folded = { path: '', folded: '', segments: null, heads: [] };

function fold(path: string): Folded {
  if (last.path !== path) last = { path, folded: path.toLowerCase(), segments: null, heads: [] };
  return last;
}

/** The path in lower case. */
export function foldedPath(path: string): string {
  return fold(path).folded;
}

/** What stands between the slashes of a path, in lower case. The first is empty when the path begins with one. */
export function foldedSegments(path: string): readonly string[] {
  const known = fold(path);
  known.segments ??= known.folded.split('/');
  return known.segments;
}

/** The first `count` segments (one or more) of a canonical path, in lower case: a folder that it lies in or is. Null: it has fewer. */
export function foldedHead(path: string, count: number): string | null {
  const { folded, heads } = fold(path);
  let head = heads[count];
  if (head === undefined) {
    head = headOf(folded, count);
    // INVARIANT: counts come from policies, whose paths are short; a list with far gaps would be slow, not wrong.
    heads[count] = head;
  }
  return head;
}

function headOf(path: string, count: number): string | null {
  let cut = 0;
  for (let seen = 0; seen < count; seen += 1) {
    if (cut < 0 || cut >= path.length) return null;
    cut = path.indexOf('/', cut + 1);
    if (cut < 0) return seen === count - 1 && path.length > 1 ? path : null;
  }
  return path.slice(0, cut);
}
