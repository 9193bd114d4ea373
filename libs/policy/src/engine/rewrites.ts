/** Judges calls whose arguments a hook rewrote. */
import type { Effect, Facts, HookResult, Verdict } from '@countersign/contracts';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import type { EngineCall } from './analysis.js';
import { evaluate } from './evaluate.js';

/** The arguments that the tool would get: those of the last rewrite before the first block. `rewritten` false: as they came. */
export function rewrittenArgs(
  args: unknown,
  hooks: readonly HookResult[],
): { readonly rewritten: boolean; readonly args: unknown } {
  let out = { rewritten: false, args };
  for (const hook of hooks) {
    if (hook.on !== 'PreToolUse') continue;
    if (hook.action === 'block' || hook.action === 'deny') break;
    if (hook.action === 'mutate') out = { rewritten: true, args: hook.updatedArgs };
  }
  return out;
}

const STRICTNESS: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * The verdict of a call that hooks made into `final`; facts hold the evidence for both. Where the preset judges both, the
 * stricter verdict counts, the final call's among equals.
 */
export function evaluateRewritten(
  calls: { readonly original: EngineCall; readonly final: EngineCall },
  policy: CompiledPolicy,
  facts: Facts,
): Verdict {
  const after = evaluate(calls.final, policy, facts);
  if (policy.preset.judgesRewrites === 'final') return after;
  const before = evaluate(calls.original, policy, facts);
  return STRICTNESS[before.effect] > STRICTNESS[after.effect] ? before : after;
}
