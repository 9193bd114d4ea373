/** Finds out what one absolute path really is on this machine, links followed. */
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { ResolvedPaths } from '@countersign/contracts';

export type PathEvidence = ResolvedPaths[string];

const UNRESOLVABLE: PathEvidence = { real: null, exists: false, failed: true };
/** Most missing parts that are walked up before a path counts as unresolvable. */
const MAX_MISSING_PARTS = 64;

/**
 * A path that exists gives its real path; one that does not gives the real path of its nearest existing ancestor joined
 * with the missing tail. A dangling link, a loop or a folder that may not be entered is unresolvable.
 */
export async function resolvePath(absolute: string): Promise<PathEvidence> {
  if (absolute.includes('\0') || !path.isAbsolute(absolute)) return UNRESOLVABLE;
  const tail: string[] = [];
  // Not normalised: the system follows a link before it takes the `..` behind it.
  let current = absolute;
  for (let step = 0; step < MAX_MISSING_PARTS; step += 1) {
    const real = await realOf(current);
    if (real.state === 'failed') return UNRESOLVABLE;
    if (real.state === 'found') return { real: path.join(real.path, ...tail), exists: tail.length === 0 };
    const parent = path.dirname(current);
    if (parent === current) return UNRESOLVABLE;
    tail.unshift(path.basename(current));
    current = parent;
  }
  return UNRESOLVABLE;
}

type Real = { state: 'found'; path: string } | { state: 'missing' } | { state: 'failed' };

async function realOf(candidate: string): Promise<Real> {
  try {
    return { state: 'found', path: await realpath(candidate) };
  } catch (error) {
    if (!isMissing(error)) return { state: 'failed' };
    return (await isLink(candidate)) ? { state: 'failed' } : { state: 'missing' };
  }
}

/** INVARIANT: a link whose target is missing is never "missing": writing through it would create the target. */
async function isLink(candidate: string): Promise<boolean> {
  try {
    return (await lstat(candidate)).isSymbolicLink();
  } catch (error) {
    return !isMissing(error);
  }
}

function isMissing(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
