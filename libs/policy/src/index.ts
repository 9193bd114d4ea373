/** The policy engine: pure judgement of tool calls. */
export { parsePolicyDocument, type ParseResult, type PolicyProblem } from './policy/parse-document.js';
export { compilePolicy, type CompileResult } from './policy/compile.js';
export { loopLimitsOf, toolKind, type CompiledPolicy, type LoopLimits } from './policy/compiled-policy.js';
export { STANDARD_NOTICES, type RunNotices } from './policy/notices.js';
export type { EngineCall } from './engine/analysis.js';
export { requiredPaths } from './engine/required-paths.js';
export { trustedEvidence } from './paths/trusted-evidence.js';
export { evaluate } from './engine/evaluate.js';
export { evaluateRewritten, rewrittenArgs } from './engine/rewrites.js';
export { legalModes } from './policy/presets/index.js';
export { explain, type Explanation } from './engine/explain.js';
export { runCase, type CaseResult } from './cases/run-case.js';
export { caseRowSchema, type CaseRow } from './cases/case-row.js';
export * from './tools/index.js';
export * from './documents/index.js';
export * from './imports/index.js';
export * from './analysis/index.js';
export * from './suggestions/index.js';
