/** Policy documents: reading, writing, environment, merging. */
export {
  formatPolicyProblem,
  policyFormatOf,
  readPolicyText,
  type PolicyFormat,
  type PolicyTextProblem,
  type PolicyTextResult,
} from './read-policy-text.js';
export { placeProblems, type PolicyText } from './place-problems.js';
export { writePolicyText } from './write-policy-text.js';
export {
  ENVIRONMENT_VARIABLES,
  policyFromEnvironment,
  type EnvironmentProblem,
  type EnvironmentResult,
} from './environment.js';
export { withEnvironment, type WithEnvironment } from './with-environment.js';
export { mergePolicies, type PolicyFragment, type PolicyLayer } from './merge-policies.js';
export { nearest } from './suggest.js';
