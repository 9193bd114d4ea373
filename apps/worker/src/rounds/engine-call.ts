/** The part of a call that the engine judges. */
import type { ToolCall } from '@countersign/contracts';
import type { EngineCall } from '@countersign/policy';

export function engineCallOf({ tool, args, cwd, mode }: ToolCall): EngineCall {
  const base = { tool, argsHash: args.hash, cwd, reportedMode: mode };
  if (args.state === 'invalid') return { ...base, args: undefined, problem: args.problem };
  return { ...base, args: JSON.parse(args.json) as unknown, problem: null };
}
