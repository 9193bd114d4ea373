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
}

/** Looks the use up. The real path of a wildcard is that of its folder. */
export function judgePath(use: PathUse, facts: Facts): JudgedPath {
  const lexical = use.key === null ? null : canonicalPath(use.key);
  if (use.key === null || lexical === null) return { use, lexical: null, real: null, state: 'unknowable' };
  const evidence = lookUp(facts.resolvedPaths, use.key, lexical);
  if (evidence === undefined) return { use, lexical, real: null, state: 'missing' };
  const real = evidence.failed === true || evidence.real === null ? null : canonicalPath(evidence.real);
  if (real === null || hasShortName(evidence.real ?? '')) return { use, lexical, real, state: 'failed' };
  return { use, lexical, real, state: 'known' };
}

function lookUp(paths: ResolvedPaths, key: string, lexical: string): ResolvedPaths[string] | undefined {
  if (Object.hasOwn(paths, key)) return paths[key];
  return Object.hasOwn(paths, lexical) ? paths[lexical] : undefined;
}

/** Real paths of the roots as well as the roots as written. */
export function rootsWithReal(roots: readonly string[], facts: Facts): string[] {
  const out: string[] = [];
  for (const root of roots) {
    const lexical = canonicalPath(root);
    if (lexical === null) continue;
    out.push(lexical);
    const evidence = lookUp(facts.resolvedPaths, root, lexical);
    const real = evidence === undefined || evidence.failed === true ? null : canonicalPath(evidence.real ?? '');
    if (real !== null && real !== lexical) out.push(real);
  }
  return out;
}
