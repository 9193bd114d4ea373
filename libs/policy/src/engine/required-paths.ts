/** Says which paths the agent's machine must resolve before a call can be judged. */
import type { SessionFacts } from '@countersign/contracts';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { isAbsolute } from '../paths/normalise.js';
import { isHarmlessDevice } from '../paths/sensitive.js';
import { analyseAhead, type EngineCall } from './analysis.js';
import { parentOf } from './evidence.js';
import { rootsOf } from './judgement.js';

/**
 * Absolute paths, as given and joined to the working folder, nothing resolved; the roots come along when any path does,
 * since a root may be a link itself. Empty when the verdict needs no evidence.
 */
export function requiredPaths(call: EngineCall, policy: CompiledPolicy, session: SessionFacts): string[] {
  const out = new Set<string>();
  for (const use of analyseAhead(call, policy, session).uses) {
    const guessed = use.origin === 'guess' && use.call >= 0;
    if (use.key !== null && !guessed && !isHarmlessDevice(use.key)) out.add(use.key);
  }
  if (out.size === 0) return [];
  if (policy.preset.paths.missingTarget === 'parent') addParents(out);
  for (const root of rootsOf(policy, session)) if (isAbsolute(root)) out.add(root);
  return [...out];
}

function addParents(paths: Set<string>): void {
  for (const path of [...paths]) paths.add(parentOf(path) ?? path);
}
