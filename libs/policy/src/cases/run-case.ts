/** Runs one case through the engine. Looks at no disk: the case's own evidence is all there is. */
import type { Verdict } from '@countersign/contracts';
import type { EngineCall } from '../engine/analysis.js';
import { requiredPaths } from '../engine/required-paths.js';
import { evaluateRewritten, rewrittenArgs } from '../engine/rewrites.js';
import { compilePolicy } from '../policy/compile.js';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { parsePolicyDocument, type PolicyProblem } from '../policy/parse-document.js';
import { caseRowSchema, type CaseRow } from './case-row.js';
import { caseFacts, resolveIn } from './case-facts.js';
import { differencesOf } from './differences.js';

/** What came out. `invalid`: the row or its policy cannot be read. `differences` are plain sentences, one a field. */
export type CaseResult =
  | { readonly status: 'passed'; readonly id: string; readonly verdict: Verdict }
  | {
      readonly status: 'failed';
      readonly id: string;
      readonly verdict: Verdict;
      readonly differences: readonly string[];
    }
  | { readonly status: 'invalid'; readonly id: string; readonly problems: readonly PolicyProblem[] };

/** Runs a row of a case file (an already decoded JSON value). */
export function runCase(row: unknown): CaseResult {
  const parsed = caseRowSchema.safeParse(row);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => ({
      path: issue.path.map(String).join('.'),
      message: issue.message,
    }));
    return { status: 'invalid', id: idOf(row), problems };
  }
  const prepared = policyOf(parsed.data);
  if (Array.isArray(prepared)) return { status: 'invalid', id: parsed.data.id, problems: prepared };
  const judged = judgeCase(parsed.data, prepared as CompiledPolicy);
  const differences = differencesOf(parsed.data, judged);
  const { verdict } = judged;
  const { id } = parsed.data;
  return differences.length === 0 ? { status: 'passed', id, verdict } : { status: 'failed', id, verdict, differences };
}

function idOf(row: unknown): string {
  const id = typeof row === 'object' && row !== null && 'id' in row ? row.id : null;
  return typeof id === 'string' ? id : '?';
}

function policyOf(row: CaseRow): CompiledPolicy | PolicyProblem[] {
  const { deny, ask, allow, options } = row.policy;
  const mode = row.mode === 'none' ? 'default' : row.mode;
  const document = parsePolicyDocument({ preset: row.preset, mode, deny, ask, allow, options });
  if (!document.ok) return document.problems;
  const compiled = compilePolicy(document.document);
  return compiled.ok ? compiled.policy : compiled.problems;
}

/** A judged case: the arguments that the tool would get stand beside the verdict. */
export interface JudgedCase {
  readonly policy: CompiledPolicy;
  readonly verdict: Verdict;
  readonly finalArgs: unknown;
}

function judgeCase(row: CaseRow, policy: CompiledPolicy): JudgedCase {
  const facts = caseFacts(row, policy);
  const { args } = rewrittenArgs(row.args, facts.hooks ?? []);
  const original = callOf(row, row.args);
  const final = callOf(row, args);
  for (const call of [original, final]) {
    for (const path of requiredPaths(call, policy, facts.session)) facts.resolvedPaths[path] = resolveIn(row, path);
  }
  return { policy, verdict: evaluateRewritten({ original, final }, policy, facts), finalArgs: args };
}

function callOf(row: CaseRow, args: unknown): EngineCall {
  return { tool: row.tool, args, problem: null, argsHash: row.id, cwd: row.cwd, reportedMode: null };
}
