/** Analysis of policies: findings with witnesses, comparison of two policies, and the trace of a verdict. */
export { analysePolicy, analyseWithin, type BoundedAnalysis } from './analyse-policy.js';
export { policyWarnings, type PolicyWarning } from './policy-warnings.js';
export { detectShadowedRules, type ShadowedRule } from './shadowed-rules.js';
export { FINDING_KINDS, type Finding, type FindingKind, type Witness } from './finding.js';
export {
  REGULAR_EXPRESSIONS,
  diffPolicies,
  type ChangedCall,
  type DiffResult,
  type PolicyDiff,
  type Said,
} from './diff-policies.js';
export { renderTrace, traceOf, type Standing, type Statement, type Trace, type TraceStep } from './trace.js';
export type { PolicyContext, SampleCall } from './scene.js';
