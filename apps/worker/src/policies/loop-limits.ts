/** The limits that a policy sets on a session's run; a policy that cannot be used sets none, since it denies everything. */
import type { LoopLimits } from '@countersign/approval';
import { loopLimitsOf, STANDARD_NOTICES } from '@countersign/policy';
import type { RoundPolicy } from './policy-cache.js';

const NO_LIMITS: LoopLimits = {
  maxSteps: null,
  softTokens: null,
  maxTokens: null,
  stepsWithoutNews: null,
  compactionFailures: null,
  notices: STANDARD_NOTICES,
};

export function limitsOf(policy: RoundPolicy): LoopLimits {
  return policy.state === 'usable' ? loopLimitsOf(policy.compiled) : NO_LIMITS;
}
