/** One segment of a path pattern: `*`, `?`, `[ab]`, `[!a-z]` and `\` escapes; never crosses a slash. */

type Atom =
  { readonly kind: 'char'; readonly char: string } | { readonly kind: 'any' } | { readonly kind: 'star' } | ClassAtom;
interface ClassAtom {
  readonly kind: 'class';
  readonly negated: boolean;
  readonly ranges: readonly (readonly [string, string])[];
}

/** A compiled segment; `literal` is set when it holds no wildcard, for the fast path. */
export interface SegmentGlob {
  readonly literal: string | null;
  readonly folded: string | null;
  readonly atoms: readonly Atom[];
}

/** Compiles one segment. An unclosed `[` stands for itself. */
export function compileSegment(text: string): SegmentGlob {
  const atoms: Atom[] = [];
  let at = 0;
  while (at < text.length) {
    const [atom, next] = atomAt(text, at);
    atoms.push(atom);
    at = next;
  }
  const literal = atoms.every((atom) => atom.kind === 'char')
    ? atoms.map((atom) => (atom.kind === 'char' ? atom.char : '')).join('')
    : null;
  return { literal, folded: literal === null ? null : literal.toLowerCase(), atoms };
}

/** Compiles one segment of a shell wildcard. `[[:alpha:]]` and its kin may be any character; that only makes the answer stricter. */
export function compileShellSegment(text: string): SegmentGlob {
  return compileSegment(text.includes('[') ? text.replace(NAMED_CLASS, '?') : text);
}

/** A bracket expression that holds a class, a collating symbol or an equivalence class by name. */
const NAMED_CLASS = /(?<!\\)\[[!^]?[^[\]]*(?:\[(?::\w*:|\.[^\]]*\.|=[^\]]*=)\][^[\]]*)+\]/g;

function atomAt(text: string, at: number): [Atom, number] {
  const char = text.charAt(at);
  if (char === '\\' && at + 1 < text.length) return [{ kind: 'char', char: text.charAt(at + 1) }, at + 2];
  if (char === '*') return [{ kind: 'star' }, at + 1];
  if (char === '?') return [{ kind: 'any' }, at + 1];
  if (char === '[') return classAt(text, at) ?? [{ kind: 'char', char }, at + 1];
  return [{ kind: 'char', char }, at + 1];
}

function classAt(text: string, at: number): [Atom, number] | null {
  const negated = text.charAt(at + 1) === '!' || text.charAt(at + 1) === '^';
  const start = at + (negated ? 2 : 1);
  const close = text.indexOf(']', start + 1);
  if (close < 0) return null;
  const ranges: [string, string][] = [];
  for (let index = start; index < close; index += 1) {
    const from = text.charAt(index);
    if (text.charAt(index + 1) === '-' && index + 2 < close) {
      ranges.push([from, text.charAt(index + 2)]);
      index += 2;
    } else {
      ranges.push([from, from]);
    }
  }
  return [{ kind: 'class', negated, ranges }, close + 1];
}

/** True when the whole segment matches; `fold` compares without case. */
export function matchesSegment(glob: SegmentGlob, segment: string, fold: boolean): boolean {
  if (glob.literal !== null) return fold ? glob.folded === segment.toLowerCase() : glob.literal === segment;
  return matchAtoms(glob.atoms, segment, fold);
}

/** Classic two-pointer glob: on a mismatch the last star takes one character more, so the cost is atoms x characters. */
function matchAtoms(atoms: readonly Atom[], text: string, fold: boolean): boolean {
  let at = 0;
  let atom = 0;
  let starAtom = -1;
  let starAt = 0;
  while (at < text.length) {
    const current = atoms[atom];
    if (current?.kind === 'star') {
      starAtom = atom;
      starAt = at;
      atom += 1;
    } else if (current !== undefined && atomTakes(current, text.charAt(at), fold)) {
      atom += 1;
      at += 1;
    } else if (starAtom >= 0) {
      starAt += 1;
      at = starAt;
      atom = starAtom + 1;
    } else {
      return false;
    }
  }
  while (atoms[atom]?.kind === 'star') atom += 1;
  return atom === atoms.length;
}

function atomTakes(atom: Atom, char: string, fold: boolean): boolean {
  switch (atom.kind) {
    case 'star':
    case 'any':
      return true;
    case 'char':
      return atom.char === char || (fold && atom.char.toLowerCase() === char.toLowerCase());
    case 'class':
      return (
        classTakes(atom, char) ||
        (fold && (classTakes(atom, char.toLowerCase()) || classTakes(atom, char.toUpperCase())))
      );
  }
}

function classTakes(atom: ClassAtom, char: string): boolean {
  const inside = atom.ranges.some(([from, to]) => char >= from && char <= to);
  return inside !== atom.negated;
}

/** True when some text is matched by both segments, without case; `other` is a shell glob, where a leading dot must be written. */
export function segmentsMeet(glob: SegmentGlob, other: SegmentGlob): boolean {
  if (other.literal !== null) return matchesSegment(glob, other.literal, true);
  if (glob.literal !== null) {
    if (glob.literal.startsWith('.') && other.atoms[0]?.kind !== 'char') return false;
    return matchAtoms(other.atoms, glob.literal, true);
  }
  return atomsMeet(glob.atoms, other.atoms);
}

/** Reachability over pairs of positions: at most rows x columns steps. */
function atomsMeet(left: readonly Atom[], right: readonly Atom[]): boolean {
  const width = right.length + 1;
  const seen = new Uint8Array((left.length + 1) * width);
  const stack: number[] = [0];
  while (stack.length > 0) {
    const state = stack.pop() ?? 0;
    if (seen[state] === 1) continue;
    seen[state] = 1;
    const i = Math.floor(state / width);
    const j = state % width;
    if (i === left.length && j === right.length) return true;
    pushMoves(stack, { i, j, width }, left[i], right[j]);
  }
  return false;
}

interface Place {
  readonly i: number;
  readonly j: number;
  readonly width: number;
}

function pushMoves(stack: number[], place: Place, left: Atom | undefined, right: Atom | undefined): void {
  const { i, j, width } = place;
  const stays = { left: left?.kind === 'star', right: right?.kind === 'star' };
  if (stays.left) stack.push((i + 1) * width + j);
  if (stays.right) stack.push(i * width + j + 1);
  const ended = left === undefined || right === undefined;
  if (ended || (stays.left && stays.right) || !atomsTouch(left, right)) return;
  stack.push((i + Number(!stays.left)) * width + j + Number(!stays.right));
}

function atomsTouch(left: Atom, right: Atom): boolean {
  if (left.kind === 'char') return atomTakes(right, left.char, true);
  if (right.kind === 'char') return atomTakes(left, right.char, true);
  return true; // two classes may share nothing; saying that they meet only makes the answer stricter
}
