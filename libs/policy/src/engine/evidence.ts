/** Joins the files of a call with what the agent's machine says of them. */
import type { Facts, ResolvedPaths } from '@countersign/contracts';
import { canonicalPath, hasShortName } from '../paths/normalise.js';
import type { PathUse } from './uses.js';

/** A use with its lexical and its real path, both canonical. `state` says how far the real path is known. */
export interface JudgedPath {
  readonly use: PathUse;
  readonly lexical: string | null;
  readonly real: string | null;
  readonly state: 'known' | 'missing' | 'failed' | 'unknowable';
  /** Known not to exist. */
  readonly absent: boolean;
}

/** Looks the use up. The real path of a wildcard is that of its folder. */
export function judgePath(use: PathUse, facts: Facts): JudgedPath {
  const lexical = use.key === null ? null : canonicalPath(use.key);
  if (use.key === null || lexical === null)
    return { use, lexical: null, real: null, state: 'unknowable', absent: false };
  const evidence = lookUp(facts.resolvedPaths, use.key, lexical);
  if (evidence === undefined) return { use, lexical, real: null, state: 'missing', absent: false };
  const real = evidence.failed === true ? null : realPath(evidence.real, use.key, lexical);
  if (real === null || hasShortName(evidence.real ?? '')) return { use, lexical, real, state: 'failed', absent: false };
  return { use, lexical, real, state: 'known', absent: !evidence.exists };
}

/** A path that is no link has been brought into its canonical form already. */
function realPath(real: string | null, key: string, lexical: string): string | null {
  if (real === null) return null;
  return real === key || real === lexical ? lexical : canonicalPath(real);
}

/** Does the folder that the file would lie in exist? False when nobody said so. */
export function hasParent(path: JudgedPath, facts: Facts): boolean {
  const parent = path.use.key === null ? null : parentOf(path.use.key);
  const lexical = parent === null ? null : canonicalPath(parent);
  if (parent === null || lexical === null) return false;
  const evidence = lookUp(facts.resolvedPaths, parent, lexical);
  return evidence !== undefined && evidence.exists && evidence.failed !== true && evidence.real !== null;
}

/** The folder of a path as given, by its text alone; null for one without a folder. */
export function parentOf(path: string): string | null {
  const bare = path.replace(/(?<=[^\\/])[\\/]+$/, '');
  const cut = Math.max(bare.lastIndexOf('/'), bare.lastIndexOf('\\'));
  if (cut < 0) return null;
  return cut === 0 ? '/' : bare.slice(0, cut);
}

function lookUp(paths: ResolvedPaths, key: string, lexical: string): ResolvedPaths[string] | undefined {
  // INVARIANT: keys are absolute, so none is the name of something that every object inherits.
  return paths[key] ?? paths[lexical];
}

/** Real paths of the roots as well as the roots as written. */
export function rootsWithReal(roots: readonly string[], facts: Facts): string[] {
  const out: string[] = [];
  for (const root of roots) {
    const lexical = canonicalPath(root);
    if (lexical === null) continue;
    out.push(lexical);
    const evidence = lookUp(facts.resolvedPaths, root, lexical);
    const real = evidence === undefined || evidence.failed === true ? null : realPath(evidence.real, root, lexical);
    if (real !== null && real !== lexical) out.push(real);
  }
  return out;
}
