/** Finds out what one absolute path really is on this machine, links followed. */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
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
  if (absolute.includes('\0') || !isAbsolute(absolute)) return UNRESOLVABLE;
  const tail: string[] = [];
  // Not normalised: the system follows a link before it takes the `..` behind it.
  let current = absolute;
  for (let step = 0; step < MAX_MISSING_PARTS; step += 1) {
    const real = await realOf(current);
    if (real.state === 'failed') return UNRESOLVABLE;
    if (real.state === 'found') return { real: join(real.path, ...tail), exists: tail.length === 0 };
    const parent = dirname(current);
    if (parent === current) return UNRESOLVABLE;
    tail.unshift(basename(current));
    current = parent;
  }
  return UNRESOLVABLE;
}

type Real = { state: 'found'; path: string } | { state: 'missing' } | { state: 'failed' };

async function realOf(candidate: string): Promise<Real> {
  try {
    return { state: 'found', path: await realpath(candidate) };
  } catch (error) {
    return { state: isMissing(error) && (await hasNoEntry(candidate)) ? 'missing' : 'failed' };
  }
}

/** INVARIANT: a link without a target is never "missing": writing through it would make the target. */
async function hasNoEntry(candidate: string): Promise<boolean> {
  return lstat(candidate).then(() => false, isMissing);
}

function isMissing(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
