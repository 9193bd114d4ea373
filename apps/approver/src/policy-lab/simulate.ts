/** Judges calls under a policy without deciding anything: nothing is stored, and no agent is told. */
import { createHash } from 'node:crypto';
import {
  argumentsAt,
  inspectJson,
  modeSchema,
  resolvedPathsSchema,
  type Facts,
  type ResolvedPaths,
  type Verdict,
} from '@countersign/contracts';
import {
  evaluate,
  explain,
  requiredPaths,
  type CompiledPolicy,
  type EngineCall,
  type Explanation,
} from '@countersign/policy';
import { z } from 'zod';

const path = z.string().min(1).max(4_096);

/** A call to try. Paths without evidence are taken to exist and to be no links. */
export const trialCallSchema = z.object({
  tool: z.string().min(1).max(256),
  args: z.unknown(),
  cwd: path.optional(),
  roots: z.array(path).max(64).optional(),
  home: path.optional(),
  mode: modeSchema.optional(),
  silent: z.boolean().default(false),
  resolvedPaths: resolvedPathsSchema.default({}),
});
export type TrialCall = z.infer<typeof trialCallSchema>;

export interface TrialView {
  readonly verdict: Verdict;
  readonly explanation: Explanation;
}

/** `now`: ISO-8601 UTC. */
export function tryCall(policy: CompiledPolicy, trial: TrialCall, now: string): TrialView {
  const call = callOf(trial);
  const facts = factsOf(policy, trial, now);
  const resolvedPaths: ResolvedPaths = {};
  for (const name of requiredPaths(call, policy, facts.session)) {
    resolvedPaths[name] = trial.resolvedPaths[name] ?? { real: name, exists: true };
  }
  const verdict = evaluate(call, policy, { ...facts, resolvedPaths });
  return { verdict, explanation: explain(verdict) };
}

function callOf({ tool, args, cwd }: TrialCall): EngineCall {
  const base = { tool, cwd: cwd ?? null, reportedMode: null };
  const inspected = inspectJson(JSON.stringify(args ?? null));
  if (!inspected.ok) return { ...base, args: undefined, argsHash: '', problem: 'not_an_object' };
  const received = argumentsAt(inspected, [], (text) => createHash('sha256').update(text).digest('hex'));
  return received.state === 'ok'
    ? { ...base, args: inspected.value, argsHash: received.hash, problem: null }
    : { ...base, args: undefined, argsHash: received.hash, problem: received.problem };
}

function factsOf(policy: CompiledPolicy, trial: TrialCall, now: string): Facts {
  const { mode = policy.document.mode, silent } = trial;
  const cwd = trial.cwd ?? null;
  const calm = { cancelled: false, stopped: false, breakerOpen: false, heldBy: null, subagent: false };
  const free = { tools: null, rules: [], grants: [] };
  const roots = trial.roots ?? (cwd === null ? [] : [cwd]);
  return {
    now,
    session: { sessionId: 'trial', ...calm, ...free, mode, silent, roots, cwd, home: trial.home ?? null },
    resolvedPaths: {},
    protectedPaths: [],
    platform: 'linux',
  };
}
