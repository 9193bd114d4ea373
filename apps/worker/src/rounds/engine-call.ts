/** The part of a call that the engine judges. */
import type { CallArguments } from '@countersign/contracts';
import { engineCallOf, type EngineCall } from '@countersign/policy';
import type { RoundItem } from './round-item.js';

/** A call as the agent sent it, and as hooks made it; `final` null: they left it. */
export interface EngineCalls {
  readonly original: EngineCall;
  readonly final: EngineCall | null;
}

/** Grants are bound to what runs, so both forms carry the hash of the final arguments. */
export function engineCallsOf({ call, hooked }: RoundItem): EngineCalls {
  const finalArgs: CallArguments | null = hooked?.finalArgs ?? null;
  const original = engineCallOf(call, call.args);
  if (finalArgs === null) return { original, final: null };
  const final = engineCallOf(call, finalArgs);
  return { original: { ...original, argsHash: final.argsHash }, final };
}
