/** Whether a shell wildcard may expand to a folder, to something inside it, or to a folder above it. */
import { canonicalPath, normalise } from '../paths/normalise.js';
import { compileShellSegment, segmentsMeet } from '../rules/segment-glob.js';
import { escapeGlob, globStart, hasGlob } from '../shell/word-paths.js';

/** `folder` is canonical; `glob` is absolute, with wildcards, as the shell gets it. A folder above counts as well. */
export function globMayReach(glob: string, folder: string): boolean {
  const path = glob.startsWith('/') ? glob : canonicalPath(glob);
  const all = path === null ? null : throughParents(path);
  if (all === null) return true;
  return all.some(({ path, climbs }) => segmentsReach(normalise(path), folder, climbs ? 'inside' : 'both'));
}

/** The same wildcard, started from the real path of the folder that it lies in. */
export function fromRealFolder(glob: string, real: string): string {
  return `${escapeGlob(real)}/${glob.slice(globStart(glob))}`;
}

/** One reading of a wildcard. `climbs`: a segment is taken to be `..`. */
interface Reading {
  readonly path: string;
  readonly climbs: boolean;
}

const MAX_READINGS = 32;
const PARENT = compileShellSegment('..');

/** `.*` also means `..` to older shells. Null: there are too many ways to read it. */
function throughParents(glob: string): Reading[] | null {
  let out: Reading[] = [{ path: '', climbs: false }];
  for (const segment of glob.split('/').slice(1)) {
    const parent = segment.startsWith('.') && hasGlob(segment) && segmentsMeet(PARENT, compileShellSegment(segment));
    out = out.flatMap(({ path, climbs }) => {
      const plain = { path: `${path}/${segment}`, climbs };
      return parent ? [plain, { path: `${path}/..`, climbs: true }] : [plain];
    });
    if (out.length > MAX_READINGS) return null;
  }
  return out;
}

/** `inside`: only what is in the folder counts, since every wildcard of that kind leads above something. */
function segmentsReach(glob: string, folder: string, what: 'inside' | 'both'): boolean {
  const names = folder.split('/').slice(1);
  const segments = glob.split('/').slice(1);
  if (folder === '/') return true;
  return reachFrom({ names, segments, what, failed: new Set() }, 0, 0);
}

interface Reach {
  readonly names: readonly string[];
  readonly segments: readonly string[];
  readonly what: 'inside' | 'both';
  /** Pairs of positions already tried, so that the cost is names x segments. */
  readonly failed: Set<number>;
}

/** `**` stands for any number of folders, as it does where a shell is told so. */
function reachFrom(reach: Reach, name: number, at: number): boolean {
  const { names, segments, what, failed } = reach;
  const expected = names[name];
  if (expected === undefined) return true;
  const segment = segments[at];
  if (segment === undefined) return what === 'both';
  const state = name * (segments.length + 1) + at;
  if (failed.has(state)) return false;
  failed.add(state);
  const meets = segmentsMeet(compileShellSegment(escapeGlob(expected)), compileShellSegment(segment));
  if (meets && reachFrom(reach, name + 1, at + 1)) return true;
  if (segment !== '**') return false;
  return reachFrom(reach, name, at + 1) || (meets && reachFrom(reach, name + 1, at));
}
