/** Judges calls as if a grant had been made already. */
import type { Facts, Grant, Verdict } from '@countersign/contracts';
import { evidenceOf, type SampleCall } from '../analysis/scene.js';
import type { EngineCall } from '../engine/analysis.js';
import { evaluate } from '../engine/evaluate.js';
import { requiredPaths } from '../engine/required-paths.js';
import type { CompiledPolicy } from '../policy/compiled-policy.js';

/** The call that was asked about, and all that its verdict rested on. `lifts`: ids of what asked. */
export interface Trial {
  readonly call: EngineCall;
  readonly policy: CompiledPolicy;
  readonly facts: Facts;
  readonly lifts: readonly string[];
}

/** The verdict of the call itself under an "always" grant of that pattern. */
export function judgeGranted(trial: Trial, pattern: string): Verdict {
  return evaluate(trial.call, trial.policy, withGrant(trial, pattern));
}

/** The verdict of another call of the same session, with the grant or (pattern null) without it. Paths that nobody told of are taken to exist. */
export function judgeNearby(trial: Trial, sample: SampleCall, pattern: string | null): Verdict {
  const { tool, args } = sample;
  const call: EngineCall = { ...trial.call, tool, args, problem: null, argsHash: '' };
  const facts = pattern === null ? trial.facts : withGrant(trial, pattern);
  const paths = requiredPaths(call, trial.policy, facts.session);
  return evaluate(call, trial.policy, { ...facts, resolvedPaths: { ...evidenceOf(paths), ...facts.resolvedPaths } });
}

function withGrant(trial: Trial, pattern: string): Facts {
  const { facts } = trial;
  const grant: Grant = {
    id: 'suggested',
    kind: 'always',
    tool: trial.call.tool,
    argsHash: null,
    pattern,
    liftsRuleIds: [...trial.lifts],
    askId: 'suggested',
    personId: null,
    expiresAt: null,
  };
  return { ...facts, session: { ...facts.session, grants: [...facts.session.grants, grant] } };
}
