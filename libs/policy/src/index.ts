/** The policy engine: pure judgement of tool calls. */
export { parsePolicyDocument, type ParseResult, type PolicyProblem } from './policy/parse-document.js';
export { compilePolicy, type CompileResult } from './policy/compile.js';
export { toolKind, type CompiledPolicy } from './policy/compiled-policy.js';
export type { EngineCall } from './engine/analysis.js';
export { requiredPaths } from './engine/required-paths.js';
export { evaluate } from './engine/evaluate.js';
export { explain, type Explanation } from './engine/explain.js';
export { runCase, type CaseResult } from './cases/run-case.js';
export { caseRowSchema, type CaseRow } from './cases/case-row.js';
