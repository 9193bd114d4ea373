/** Makes facts of what a case says of its surroundings. */
import type { Facts, HookResult, ResolvedPaths, SessionFacts } from '@countersign/contracts';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { canonicalPath } from '../paths/normalise.js';
import type { CaseRow } from './case-row.js';

type Surroundings = NonNullable<CaseRow['context']>;

const DEFAULT_SURROUNDINGS: Surroundings = {
  resolved: {},
  platform: 'linux',
  silent: false,
  subagent: false,
  interactive: true,
  allowedTools: null,
  session: {
    cancelled: false,
    repeat: 0,
    step: 0,
    tokens: 0,
    diminishingReturns: false,
    consecutiveDenials: 0,
    totalDenials: 0,
  },
};

/** The facts of a case, without evidence about paths. */
export function caseFacts(row: CaseRow, policy: CompiledPolicy): Facts {
  const surroundings: Surroundings = { ...DEFAULT_SURROUNDINGS, ...row.context };
  const { hooks, toolLevel, sandboxed, requiresUserInteraction, classifier, platform } = surroundings;
  return {
    now: '2026-01-01T00:00:00.000Z',
    session: sessionOf(row, policy, surroundings),
    resolvedPaths: {},
    protectedPaths: [],
    platform,
    hooks: hooks?.map(hookResult),
    toolChecks: toolLevel?.map(({ effect, reason, kind }) => ({ effect, reason, kind })),
    sandboxed,
    requiresUserInteraction,
    classifier,
  };
}

function sessionOf(row: CaseRow, policy: CompiledPolicy, surroundings: Surroundings): SessionFacts {
  const { session, silent, interactive, subagent, allowedTools } = surroundings;
  const { step, repeat, tokens, diminishingReturns, consecutiveDenials, totalDenials } = session;
  const { breaker, mode } = policy.document;
  return {
    sessionId: row.id,
    cancelled: session.cancelled,
    stopped: false,
    breakerOpen: consecutiveDenials >= breaker.inARow || totalDenials >= breaker.total,
    heldBy: null,
    mode,
    silent: silent || !interactive,
    subagent,
    tools: allowedTools,
    rules: [],
    grants: [],
    roots: row.roots ?? (row.cwd === null ? [] : [row.cwd]),
    cwd: row.cwd,
    home: row.home,
    progress: { step, repeat, tokens, diminishingReturns },
  };
}

function hookResult(hook: NonNullable<Surroundings['hooks']>[number]): HookResult {
  const { on, permission } = hook;
  const wanted = permission === undefined ? null : `a hook asks for the permission \`${permission}\``;
  const reason = hook.reason ?? wanted;
  const action = hook.action === 'permission_required' ? 'require_permission' : hook.action;
  return { on, action, reason, updatedArgs: hook.updated_args };
}

/** A path that the case does not list exists and is its own real path; a missing one hangs below its nearest existing folder. */
export function resolveIn(row: CaseRow, path: string): ResolvedPaths[string] {
  const resolved = row.context?.resolved ?? {};
  if (row.context?.resolveError !== undefined) return { real: null, exists: false, failed: true };
  const canonical = canonicalPath(path) ?? path;
  const listed = Object.hasOwn(resolved, path) ? resolved[path] : resolved[canonical];
  if (listed === undefined) return { real: canonical, exists: true };
  if (listed !== null) return { real: listed, exists: true };
  return { real: missingReal(byCanonicalPath(resolved), canonical), exists: false };
}

function byCanonicalPath(resolved: Readonly<Record<string, string | null>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(resolved).map(([path, real]) => [canonicalPath(path) ?? path, real]));
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
