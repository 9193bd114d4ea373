/** Path patterns of file rules, in gitignore's manner, with four anchors: `//abs`, `~/home`, `/from-root`, `./rel` or `rel`. */
import { normalise } from '../paths/normalise.js';
import { compileSegment, compileShellSegment, matchesSegment, segmentsMeet, type SegmentGlob } from './segment-glob.js';

export type PathAnchor = 'absolute' | 'home' | 'root' | 'relative';

/** A compiled path pattern. A `null` segment is `**`. `floating`: a bare name, which matches at any depth below its base. */
export interface PathPattern {
  readonly anchor: PathAnchor;
  readonly floating: boolean;
  readonly segments: readonly (SegmentGlob | null)[];
}

/** Where the anchors stand in one session; all canonical. `loose` bases also serve relative patterns of denies and asks. */
export interface PathBases {
  readonly home: string | null;
  readonly root: string | null;
  readonly relative: string | null;
  readonly loose: readonly string[];
}

/** How to compare: a strict match (allow) or one that rather matches too much (deny, ask). */
export type PathStance = 'strict' | 'loose';

/** Compiles a path pattern; null when it is empty. Windows drives (`C:\x`, `//c/x`) become `/c/x`. */
export function compilePathPattern(text: string): PathPattern | null {
  const spec = withoutDrive(text);
  const { anchor, rest } = splitAnchor(spec);
  const raw = withoutDots(rest);
  if (raw.length === 0) return anchor === 'relative' ? null : { anchor, floating: false, segments: [] };
  const floating = anchor === 'relative' && raw.length === 1 && !spec.startsWith('./') && raw[0] !== '**';
  return { anchor, floating, segments: raw.map((segment) => (segment === '**' ? null : compileSegment(segment))) };
}

/** `C:\x` is `//c/x`; only behind a drive is a backslash a separator, elsewhere it escapes. */
function withoutDrive(text: string): string {
  const drive = /^([A-Za-z]):[\\/]/.exec(text)?.[1];
  return drive === undefined ? text : `//${drive.toLowerCase()}/${text.slice(3).replaceAll('\\', '/')}`;
}

function splitAnchor(spec: string): { anchor: PathAnchor; rest: string } {
  if (spec.startsWith('//')) return { anchor: 'absolute', rest: spec.slice(2) };
  if (spec === '~' || spec.startsWith('~/')) return { anchor: 'home', rest: spec.slice(2) };
  if (spec.startsWith('/')) return { anchor: 'root', rest: spec.slice(1) };
  return { anchor: 'relative', rest: spec.startsWith('./') ? spec.slice(2) : spec };
}

function withoutDots(rest: string): string[] {
  const out: string[] = [];
  for (const segment of rest.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..' && out.length > 0 && out[out.length - 1] !== '..') out.pop();
    else out.push(segment);
  }
  return out;
}

/** True when the pattern covers the canonical path or a folder above it. */
export function pathMatches(pattern: PathPattern, path: string, bases: PathBases, stance: PathStance): boolean {
  return overBases(pattern, bases, stance, (base) => {
    const rest = below(path, base, stance === 'loose');
    return rest !== null && segmentsCover(pattern, rest, stance);
  });
}

/** True when something that the shell glob `path` may expand to, or something below it, could be covered by the pattern. */
export function pathMayMeet(pattern: PathPattern, glob: GlobPath, bases: PathBases): boolean {
  return overBases(pattern, bases, 'loose', (base) => {
    const rest = below(glob.path, base, true);
    if (rest !== null) return segmentsReach(pattern, lastSegments(glob.path, rest.length), glob.recursive);
    return glob.recursive && below(base, glob.path, true) !== null;
  });
}

/** The wildcards of the path that was compiled last: one call holds the same path against many patterns. */
let compiled: { readonly path: string; readonly segments: readonly SegmentGlob[] } = { path: '/', segments: [] };

function lastSegments(path: string, count: number): readonly SegmentGlob[] {
  if (compiled.path !== path) compiled = { path, segments: split(path.slice(1)).map(compileShellSegment) };
  return compiled.segments.slice(compiled.segments.length - count);
}

/**
 * The folder, in lower case, that everything an absolute pattern covers lies in or is; null when it may lie anywhere. Two such
 * folders of which neither lies in the other have nothing in common.
 */
export function fixedFolder({ anchor, floating, segments }: PathPattern): string | null {
  if (anchor !== 'absolute' || floating) return null;
  let out = '';
  for (const segment of segments) {
    const name = segment?.folded ?? null;
    if (name === null || name === '..') break;
    out += `/${name}`;
  }
  return out === '' ? null : out;
}

/** A path with shell wildcards, or a folder that is taken with everything below it. */
export interface GlobPath {
  readonly path: string;
  readonly recursive: boolean;
}

function overBases(
  pattern: PathPattern,
  bases: PathBases,
  stance: PathStance,
  test: (base: string) => boolean,
): boolean {
  switch (pattern.anchor) {
    case 'absolute':
      return test('/');
    case 'home':
      return bases.home !== null ? test(bases.home) : stance === 'loose' && test('~');
    case 'root':
      return (bases.root !== null && test(bases.root)) || (stance === 'loose' && bases.loose.some(test));
    case 'relative':
      return (
        (bases.relative !== null && test(climb(pattern, bases.relative))) ||
        (stance === 'loose' && bases.loose.some(test))
      );
  }
}

/** `../x` patterns leave their base; their leading `..` segments are taken off the base instead. */
function climb(pattern: PathPattern, base: string): string {
  const ups = pattern.segments.filter((segment) => segment?.literal === '..').length;
  return ups === 0 ? base : normalise(`${base}${'/..'.repeat(ups)}`);
}

/** Segments of `path` below `base`; null when it is not below. Base `~` stands for anybody's home, used when home is unknown. */
function below(path: string, base: string, fold: boolean): string[] | null {
  if (base === '~') return belowAnyHome(path);
  if (base === '/') return split(path.slice(1));
  const head = path.slice(0, base.length);
  if (head !== base && !(fold && head.toLowerCase() === base.toLowerCase())) return null;
  if (path.length === base.length) return [];
  return path.charCodeAt(base.length) === 47 ? split(path.slice(base.length + 1)) : null;
}

function belowAnyHome(path: string): string[] | null {
  const segments = split(path.slice(1));
  const first = segments[0]?.toLowerCase();
  if (first === 'root') return segments.slice(1);
  if ((first === 'home' || first === 'users') && segments.length > 1) return segments.slice(2);
  return first === 'c' && segments[1]?.toLowerCase() === 'users' ? segments.slice(3) : null;
}

function split(rest: string): string[] {
  return rest === '' ? [] : rest.split('/');
}

function segmentsCover(pattern: PathPattern, path: readonly string[], stance: PathStance): boolean {
  const fold = stance === 'loose';
  const segments = pattern.segments.filter((segment) => segment?.literal !== '..');
  const floats = pattern.floating || (fold && isFolderPattern(pattern));
  const starts = floats ? path.length : 1;
  for (let start = 0; start < starts; start += 1) {
    if (coverFrom(segments, path, start, fold)) return true;
  }
  return segments.length === 0;
}

/** `dir/**` of a deny or ask means a folder of that name at any depth. */
function isFolderPattern(pattern: PathPattern): boolean {
  const { segments } = pattern;
  return pattern.anchor === 'relative' && segments.length === 2 && segments[1] === null && segments[0] !== null;
}

/** Glob over segments in which a match of a folder covers all below it: the pattern may end anywhere. Cost: pattern x path. */
function coverFrom(
  segments: readonly (SegmentGlob | null)[],
  path: readonly string[],
  start: number,
  fold: boolean,
): boolean {
  let at = start;
  let index = 0;
  let starIndex = -1;
  let starAt = 0;
  while (index < segments.length) {
    const segment = segments[index];
    const name = path[at];
    if (segment === null) {
      starIndex = index;
      starAt = at;
      index += 1;
    } else if (segment !== undefined && name !== undefined && matchesSegment(segment, name, fold)) {
      index += 1;
      at += 1;
    } else if (starIndex >= 0 && starAt < path.length) {
      starAt += 1;
      at = starAt;
      index = starIndex + 1;
    } else {
      return false;
    }
  }
  // INVARIANT: a trailing `**` needs something below the folder, as in gitignore; the folder itself is not covered.
  return segments[segments.length - 1] !== null || at < path.length || segments.length === 1;
}

/** Reachability of pattern positions against glob positions; `recursive` adds an endless tail to the glob. */
function segmentsReach(pattern: PathPattern, glob: readonly SegmentGlob[], recursive: boolean): boolean {
  const floats = pattern.floating || isFolderPattern(pattern);
  const segments: (SegmentGlob | null)[] = floats ? [null, ...pattern.segments] : [...pattern.segments];
  const width = glob.length + 1;
  const seen = new Set<number>();
  const stack = [0];
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    if (seen.has(state)) continue;
    seen.add(state);
    const i = Math.floor(state / width);
    const j = state % width;
    if (i >= segments.length || (j === glob.length && recursive)) return true;
    for (const [down, across] of moves(segments[i], glob[j])) stack.push((i + down) * width + j + across);
  }
  return false;
}

/** How far pattern and glob may move on: past a `**`, along it, or both by one segment that they share. */
function moves(
  segment: SegmentGlob | null | undefined,
  other: SegmentGlob | undefined,
): readonly (readonly [number, number])[] {
  if (segment === null) return other === undefined ? [[1, 0]] : [[1, 0], [0, 1]]; // prettier-ignore
  return segment !== undefined && other !== undefined && segmentsMeet(segment, other) ? [[1, 1]] : [];
}
