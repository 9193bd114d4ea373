/** Runs one case through the engine. Looks at no disk: the case's own evidence is all there is. */
import type { Facts, ResolvedPaths, Verdict } from '@countersign/contracts';
import type { EngineCall } from '../engine/analysis.js';
import { evaluate } from '../engine/evaluate.js';
import { requiredPaths } from '../engine/required-paths.js';
import { compilePolicy } from '../policy/compile.js';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { parsePolicyDocument, type PolicyProblem } from '../policy/parse-document.js';
import { canonicalPath } from '../paths/normalise.js';
import { caseRowSchema, type CaseRow } from './case-row.js';

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
  const verdict = judgeCase(parsed.data, prepared as CompiledPolicy);
  const differences = differencesOf(parsed.data, verdict);
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

function judgeCase(row: CaseRow, policy: CompiledPolicy): Verdict {
  const call: EngineCall = {
    tool: row.tool,
    args: row.args,
    problem: null,
    argsHash: row.id,
    cwd: row.cwd,
    reportedMode: null,
  };
  const bare = factsOf(row, policy, {});
  const evidence: ResolvedPaths = {};
  for (const path of requiredPaths(call, policy, bare.session)) evidence[path] = resolveIn(row, path);
  return evaluate(call, policy, { ...bare, resolvedPaths: evidence });
}

function factsOf(row: CaseRow, policy: CompiledPolicy, resolvedPaths: ResolvedPaths): Facts {
  const surroundings = { ...DEFAULT_SURROUNDINGS, ...row.context };
  return {
    now: '2026-01-01T00:00:00.000Z',
    session: {
      sessionId: row.id,
      cancelled: surroundings.session.cancelled,
      stopped: false,
      breakerOpen: false,
      heldBy: null,
      mode: policy.document.mode,
      silent: surroundings.silent || !surroundings.interactive,
      subagent: surroundings.subagent,
      tools: surroundings.allowedTools,
      rules: [],
      grants: [],
      roots: row.roots ?? (row.cwd === null ? [] : [row.cwd]),
      cwd: row.cwd,
      home: row.home,
    },
    resolvedPaths,
    protectedPaths: [],
    platform: surroundings.platform,
  };
}

const DEFAULT_SURROUNDINGS = {
  silent: false,
  interactive: true,
  subagent: false,
  allowedTools: null,
  platform: 'linux',
  session: { cancelled: false },
};

/** A path that the case does not list exists and is its own real path; a missing one hangs below its nearest existing folder. */
function resolveIn(row: CaseRow, path: string): ResolvedPaths[string] {
  const resolved = row.context?.resolved ?? {};
  if (row.context?.resolveError !== undefined) return { real: null, exists: false, failed: true };
  const canonical = canonicalPath(path) ?? path;
  const listed = Object.hasOwn(resolved, path) ? resolved[path] : resolved[canonical];
  if (listed === undefined) return { real: canonical, exists: true };
  return listed === null ? { real: missingReal(resolved, canonical), exists: false } : { real: listed, exists: true };
}

function missingReal(resolved: Readonly<Record<string, string | null>>, path: string): string {
  let folder = path;
  let tail = '';
  while (folder !== '' && resolved[folder] === null) {
    const cut = folder.lastIndexOf('/');
    tail = folder.slice(cut) + tail;
    folder = folder.slice(0, cut);
  }
  return (resolved[folder] ?? folder) + tail;
}

/** Compares what the engine alone decides. */
function differencesOf(row: CaseRow, verdict: Verdict): string[] {
  const { expected, acceptable } = row;
  const out: string[] = [];
  if (expected.effect !== undefined && verdict.effect !== expected.effect && !acceptable.includes(verdict.effect)) {
    out.push(
      `effect is ${verdict.effect} (by ${verdict.ruleId}), expected ${[expected.effect, ...acceptable].join(' or ')}`,
    );
  }
  if (expected.ruleId !== undefined && verdict.ruleId !== expected.ruleId) {
    out.push(`ruleId is ${verdict.ruleId}, expected ${expected.ruleId}`);
  }
  return out;
}
