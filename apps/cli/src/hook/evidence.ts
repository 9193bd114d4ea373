/** What this machine's file system says about paths: the part of a verdict that only the agent's own host can know. */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { ResolvedPaths } from '@countersign/contracts';

const MAX_PATHS = 200;
/** A file system that hangs must not hold the agent: what is not resolved in time has no evidence, and so asks. */
const PATIENCE_MS = 2_000;

type Evidence = ResolvedPaths[string];
const UNRESOLVABLE: Evidence = { real: null, exists: false, failed: true };

/** Evidence by path as given, for the first 200 absolute paths; the rest has none. */
export async function resolveEvidence(paths: readonly string[]): Promise<ResolvedPaths> {
  const found: ResolvedPaths = {};
  const wanted = [...new Set(paths)].slice(0, MAX_PATHS);
  const all = Promise.all(wanted.map(async (path) => void (found[path] = await resolveOne(path))));
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)));
  await Promise.race([all, patience]);
  clearTimeout(timer);
  return { ...found };
}

/** For a path that does not exist: the real nearest existing ancestor joined with the missing rest. */
async function resolveOne(path: string): Promise<Evidence> {
  if (!isAbsolute(path) || path.includes('\0')) return UNRESOLVABLE;
  let missing = '';
  // Not normalised: the system follows a link before it takes the `..` behind it.
  for (let candidate = path; ; candidate = dirname(candidate)) {
    const real = await realOf(candidate);
    if (real === 'failed') return UNRESOLVABLE;
    if (real !== 'missing') return { real: join(real.path, missing), exists: missing === '' };
    missing = join(basename(candidate), missing);
  }
}

async function realOf(path: string): Promise<{ path: string } | 'missing' | 'failed'> {
  try {
    return { path: await realpath(path) };
  } catch (error) {
    if (!isMissing(error)) return 'failed';
  }
  // INVARIANT: a link without a target is never "missing": writing through it would make the target.
  const entry = await lstat(path).catch((error: unknown) => (isMissing(error) ? null : 'failed'));
  return entry === null ? 'missing' : 'failed';
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
