/** Resolves the paths that a round's calls need, in parallel and within bounds; what is over a bound stays without evidence. */
import type { ResolvedPaths } from '@countersign/contracts';
import { resolvePath, type PathEvidence } from './resolve-path.js';

/** Most paths of one call that are resolved; a call that names more goes without evidence for the rest, which asks or denies. */
export const MAX_PATHS_PER_CALL = 200;
const PARALLEL = 16;
/** A file system that hangs must not hold the round. */
const PATIENCE_MS = 2_000;

/** Resolves every path once. The answer holds only what was resolved in time. */
export async function gatherEvidence(paths: Iterable<string>): Promise<ResolvedPaths> {
  const queue = [...new Set(paths)];
  const found = new Map<string, PathEvidence>();
  if (queue.length === 0) return {};
  let next = 0;
  const worker = async (): Promise<void> => {
    for (;;) {
      const candidate = queue[next];
      next += 1;
      if (candidate === undefined) return;
      found.set(candidate, await resolvePath(candidate));
    }
  };
  await withinPatience(Promise.all(Array.from({ length: Math.min(PARALLEL, queue.length) }, worker)));
  return Object.fromEntries(found);
}

async function withinPatience(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
