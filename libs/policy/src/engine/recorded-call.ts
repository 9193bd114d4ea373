/** A call as it is sent and recorded, for the engine. */
import type { CallArguments, Facts, RequestRecord, Verdict } from '@countersign/contracts';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import type { EngineCall } from './analysis.js';
import { evaluate } from './evaluate.js';
import { evaluateRewritten } from './rewrites.js';

/** INVARIANT: the mode stands in the facts, where parents and people bound it; what the agent's hook reported is not looked at again. */
export function engineCallOf(
  { tool, cwd, placeHash }: Pick<RequestRecord, 'tool' | 'cwd' | 'placeHash'>,
  args: CallArguments,
): EngineCall {
  const read =
    args.state === 'invalid'
      ? { args: undefined, problem: args.problem }
      : { args: JSON.parse(args.json) as unknown, problem: null };
  return { tool, argsHash: args.hash, placeHash, cwd, reportedMode: null, ...read };
}

/** Judges a call that is on record, with what hooks made of its arguments where they rewrote them. */
export function evaluateRecorded(
  { request, finalArgs }: { readonly request: RequestRecord; readonly finalArgs?: CallArguments | undefined },
  policy: CompiledPolicy,
  facts: Facts,
): Verdict {
  const original = engineCallOf(request, request.args);
  if (finalArgs === undefined) return evaluate(original, policy, facts);
  return evaluateRewritten({ original, final: engineCallOf(request, finalArgs) }, policy, facts);
}
