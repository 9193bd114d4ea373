/** The part of a call that the engine judges. */
import type { CallArguments, ToolCall } from '@countersign/contracts';
import type { EngineCall } from '@countersign/policy';
import type { RoundItem } from './round-item.js';

/** A call as the agent sent it, and as hooks made it; `final` null: they left it. */
export interface EngineCalls {
  readonly original: EngineCall;
  readonly final: EngineCall | null;
}

/** Grants are bound to what runs, so both forms carry the hash of the final arguments. */
export function engineCallsOf({ call, hooked }: RoundItem): EngineCalls {
  const finalArgs: CallArguments | null = hooked?.finalArgs ?? null;
  const original = engineCallOf(call);
  if (finalArgs === null) return { original, final: null };
  const final = engineCallOf({ ...call, args: finalArgs });
  return { original: { ...original, argsHash: final.argsHash }, final };
}

/** INVARIANT: the mode stands in the facts, where parents and people bound it; what the agent's hook reported is not looked at again. */
export function engineCallOf({ tool, args, placeHash, cwd }: ToolCall): EngineCall {
  const base = { tool, argsHash: args.hash, placeHash, cwd, reportedMode: null };
  if (args.state === 'invalid') return { ...base, args: undefined, problem: args.problem };
  return { ...base, args: JSON.parse(args.json) as unknown, problem: null };
}
