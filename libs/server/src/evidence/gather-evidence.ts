/** Resolves the paths that calls need, in parallel and within bounds; what is over a bound stays without evidence. */
import type { ResolvedPaths } from '@countersign/contracts';
import { endsWithin } from '../ends-within.js';
import { resolvePath, type PathEvidence } from './resolve-path.js';

/** Most paths of one call that are resolved; a call that names more goes without evidence for the rest, which asks or denies. */
export const MAX_PATHS_PER_CALL = 200;
const PARALLEL = 16;
/** A file system that hangs must hold neither the agent nor the calls of others. */
const PATIENCE_MS = 2_000;

/** Evidence for the paths of one call, by path as given: the first 200 of them. */
export async function resolveEvidence(paths: Iterable<string>): Promise<ResolvedPaths> {
  return gatherEvidence([...new Set(paths)].slice(0, MAX_PATHS_PER_CALL));
}

/** Resolves every path once, those of many calls together. The answer holds only what was resolved in time. */
export async function gatherEvidence(paths: Iterable<string>): Promise<ResolvedPaths> {
  const queue = [...new Set(paths)];
  const found = new Map<string, PathEvidence>();
  if (queue.length === 0) return {};
  let next = 0;
  let late = false;
  const worker = async (): Promise<void> => {
    for (;;) {
      const candidate = queue[next];
      next += 1;
      if (candidate === undefined || late) return;
      found.set(candidate, await resolvePath(candidate));
    }
  };
  await endsWithin(PATIENCE_MS, Promise.all(Array.from({ length: Math.min(PARALLEL, queue.length) }, worker)));
  late = true;
  return Object.fromEntries(found);
}
