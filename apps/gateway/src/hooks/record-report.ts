/** Records hooks that gate nothing: results, the begin and end of sessions, notes. */
import type { Ledger } from '@countersign/ledger';
import type { HookedResult, HookedSession, HookInput } from '@countersign/agents';
import type { SessionCommand } from '@countersign/approval';
import { inheritedOpening } from '@countersign/approval';
import type { Principal } from '@countersign/server';
import { resultCallOf } from '../results/result-call.js';
import type { Results } from '../results/results.js';
import type { FindPolicyModes } from '../sessions/policy-modes.js';
import type { SessionDesk, SessionTarget } from '../sessions/session-desk.js';
import { DEFAULT_POLICY_NAME } from '../sessions/opening.js';
import { hookOpening } from './hook-call.js';

export type Report = Exclude<HookInput, { kind: 'gate' | 'unreadable' }>;

export interface ReportDeps {
  readonly sessions: SessionDesk;
  readonly calls: Pick<Ledger['calls'], 'byKeys'>;
  readonly policyModes: FindPolicyModes;
  readonly results: Results;
}

/** Records the report in its session, which is opened when unknown. A session of another key is left alone. */
export async function recordReport(report: Report, principal: Principal, deps: ReportDeps): Promise<void> {
  const { session } = report;
  if (session === null) return;
  const target = { tenantId: principal.tenantId, sessionId: session.sessionId };
  if (!(await ensureSession(session, principal, deps))) return;
  const context = { target, principal, deps };
  for (const command of commandsOf(report, principal.keyId)) await deps.sessions.execute(target, command, 'agent');
  await recordResults(session, resultsOf(report), context);
}

/** Opens the parents' session first; false when one of them is another key's. */
async function ensureSession(session: HookedSession, principal: Principal, deps: ReportDeps): Promise<boolean> {
  const { parentSessionId, sessionId } = session;
  if (parentSessionId !== null) {
    const parent = { ...session, sessionId: parentSessionId, parentSessionId: null };
    if (!(await ensureSession(parent, principal, deps))) return false;
  }
  const target = { tenantId: principal.tenantId, sessionId };
  const state = await deps.sessions.find(target);
  if (state !== null) return state.keyId === principal.keyId;
  const modes = await deps.policyModes(principal.tenantId, principal.policy ?? DEFAULT_POLICY_NAME);
  const parent = parentSessionId === null ? null : await deps.sessions.find({ ...target, sessionId: parentSessionId });
  const opening = inheritedOpening(hookOpening(session, principal, modes), parent, modes);
  const rootId = parentSessionId ?? sessionId;
  const open: SessionCommand = { type: 'OpenSession', sessionId, opening, keyId: principal.keyId, rootId };
  return (await deps.sessions.execute(target, open, 'agent')).ok;
}

interface Context {
  readonly target: SessionTarget;
  readonly principal: Principal;
  readonly deps: ReportDeps;
}

function commandsOf(report: Report, by: string): SessionCommand[] {
  switch (report.kind) {
    case 'result':
      return [];
    case 'session-start':
    case 'subagent-start':
    case 'note':
      return [{ type: 'ReportEvent', kind: report.event, detail: report.detail }];
    case 'session-end':
    case 'subagent-stop':
      return [{ type: 'StopSession', reason: report.reason, by }];
    default: {
      const never: never = report;
      throw new Error(`unknown report ${JSON.stringify(never)}`);
    }
  }
}

/** A call that the agent refused by itself is over; an ask that its own prompt put is closed by that. */
function resultsOf(report: Report): readonly HookedResult[] {
  if (report.kind === 'result') return report.results;
  if (report.kind !== 'note' || report.denied === null) return [];
  const { toolUseId, tool, reason } = report.denied;
  return [{ toolUseId, tool, status: 'cancelled', output: null, error: reason, elapsedMs: null }];
}

async function recordResults(
  session: HookedSession,
  results: readonly HookedResult[],
  { target, deps }: Context,
): Promise<void> {
  if (results.length === 0) return;
  const keys = results.map(({ toolUseId }) => ({ ...target, agent: session.agent, toolUseId, attempt: 1 }));
  const rows = await deps.calls.byKeys(keys);
  const byUse = new Map(rows.map((row) => [row.key.toolUseId, row]));
  const state = await deps.sessions.find(target);
  for (const { toolUseId, ...result } of results) {
    const row = byUse.get(toolUseId);
    if (row === undefined) await deps.sessions.execute(target, unknownCall(toolUseId, result), 'agent');
    else
      await deps.results.record(resultCallOf({ key: row.key, ...row.prior }, state), { ...result, background: false });
  }
}

/** A result of a call that nobody asked about: auditors see it. */
function unknownCall(toolUseId: string, { tool, status }: Pick<HookedResult, 'tool' | 'status'>): SessionCommand {
  return { type: 'ReportEvent', kind: 'result_of_unknown_call', detail: JSON.stringify({ tool, toolUseId, status }) };
}
