/** Makes paths that a path pattern covers, with fresh words in place of its wildcards. */
import { normalise } from '../paths/normalise.js';
import type { PathPattern } from '../rules/path-pattern.js';
import type { SegmentGlob } from '../rules/segment-glob.js';
import type { FreshWords } from './fresh-words.js';
import type { SpecimenMaker } from './specimens.js';

/** Absolute paths under the pattern: with `**` as nothing and as folders, and something below a covered folder. */
export function pathsUnder(maker: SpecimenMaker, pattern: PathPattern): string[] {
  const base = baseOf(maker, pattern);
  if (base === null) return [];
  const shallow = segmentsUnder(pattern, maker.fresh, 0);
  const deep = segmentsUnder(pattern, maker.fresh, 1);
  const forms = [shallow, deep];
  if (pattern.floating) forms.push([maker.fresh(8), ...shallow]);
  if (pattern.segments.length > 0 && pattern.segments[pattern.segments.length - 1] !== null) {
    forms.push([...shallow, maker.fresh(7)]);
  }
  return [...new Set(forms.map((segments) => normalise([base, ...segments].join('/'))))];
}

function baseOf(maker: SpecimenMaker, pattern: PathPattern): string | null {
  const { scene } = maker;
  switch (pattern.anchor) {
    case 'absolute':
      return '';
    case 'home':
      return scene.home;
    case 'root':
      return scene.roots[0] ?? scene.cwd;
    case 'relative':
      return scene.cwd;
  }
}

/** One path of the pattern; a `**` in its middle becomes `depth` folders, one at its end always at least one name. */
function segmentsUnder(pattern: PathPattern, fresh: FreshWords, depth: number): string[] {
  const out: string[] = [];
  pattern.segments.forEach((segment, place) => {
    if (segment !== null) {
      out.push(nameUnder(segment, fresh(place + 1)));
      return;
    }
    const last = place === pattern.segments.length - 1;
    for (let count = 0; count < depth + Number(last); count += 1) out.push(fresh(20 + place + count));
  });
  return out;
}

/** A name that the segment matches. */
function nameUnder(segment: SegmentGlob, word: string): string {
  if (segment.literal !== null) return segment.literal;
  return segment.atoms
    .map((atom) => {
      switch (atom.kind) {
        case 'char':
          return atom.char;
        case 'any':
          return 'x';
        case 'star':
          return word;
        case 'class':
          return atom.negated ? outsideOf(atom.ranges) : (atom.ranges[0]?.[0] ?? '');
      }
    })
    .join('');
}

function outsideOf(ranges: readonly (readonly [string, string])[]): string {
  return [...'xyzabc0123-_'].find((char) => ranges.every(([from, to]) => char < from || char > to)) ?? '~';
}
