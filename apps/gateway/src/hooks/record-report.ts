/** Records hooks that gate nothing: results, the begin and end of sessions, notes. */
import type { Ledger } from '@countersign/ledger';
import type { HookedResult, HookedSession, HookInput } from '@countersign/agents';
import type { SessionCommand } from '@countersign/approval';
import type { Principal } from '@countersign/server';
import { reportResult } from '../calls/report-result.js';
import type { FindPolicyModes } from '../sessions/policy-modes.js';
import type { SessionDesk, SessionTarget } from '../sessions/session-desk.js';
import { DEFAULT_POLICY_NAME } from '../sessions/opening.js';
import { hookOpening } from './hook-call.js';

export type Report = Exclude<HookInput, { kind: 'gate' | 'unreadable' }>;

export interface ReportDeps {
  readonly sessions: SessionDesk;
  readonly calls: Pick<Ledger['calls'], 'byKeys'>;
  readonly policyModes: FindPolicyModes;
}

/** Records the report in its session, which is opened when unknown. A session of another key is left alone. */
export async function recordReport(report: Report, principal: Principal, deps: ReportDeps): Promise<void> {
  const { session } = report;
  if (session === null) return;
  const target = { tenantId: principal.tenantId, sessionId: session.sessionId };
  if (!(await ensureSession(session, principal, deps))) return;
  for (const command of await commandsOf(report, { target, principal, deps })) {
    await deps.sessions.execute(target, command, 'agent');
  }
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
  const opening = hookOpening(session, principal, modes);
  const rootId = parentSessionId ?? sessionId;
  const open: SessionCommand = { type: 'OpenSession', sessionId, opening, keyId: principal.keyId, rootId };
  return (await deps.sessions.execute(target, open, 'agent')).ok;
}

interface Context {
  readonly target: SessionTarget;
  readonly principal: Principal;
  readonly deps: ReportDeps;
}

async function commandsOf(report: Report, context: Context): Promise<SessionCommand[]> {
  const by = context.principal.keyId;
  switch (report.kind) {
    case 'result':
      return resultCommands(report.session, report.results, context);
    case 'session-start':
    case 'subagent-start':
      return [{ type: 'ReportEvent', kind: report.event, detail: report.detail }];
    case 'session-end':
    case 'subagent-stop':
      return [{ type: 'StopSession', reason: report.reason, by }];
    case 'note':
      return noteCommands(report, context);
    default: {
      const never: never = report;
      throw new Error(`unknown report ${JSON.stringify(never)}`);
    }
  }
}

/** A call that the agent refused by itself is over; an ask that its own prompt put is closed by that. */
async function noteCommands(note: Extract<Report, { kind: 'note' }>, context: Context): Promise<SessionCommand[]> {
  const noted: SessionCommand = { type: 'ReportEvent', kind: note.event, detail: note.detail };
  if (note.denied === null || note.session === null) return [noted];
  const { toolUseId, tool, reason } = note.denied;
  const refused = { toolUseId, tool, status: 'cancelled', output: null, error: reason, elapsedMs: null } as const;
  return [noted, ...(await resultCommands(note.session, [refused], context))];
}

async function resultCommands(
  session: HookedSession,
  results: readonly HookedResult[],
  { target, deps }: Context,
): Promise<SessionCommand[]> {
  const keys = results.map(({ toolUseId }) => ({ ...target, agent: session.agent, toolUseId, attempt: 1 }));
  const rows = await deps.calls.byKeys(keys);
  const callIds = new Map(rows.map(({ key, prior }) => [key.toolUseId, prior.callId]));
  return results.map((result) => resultCommand(result, callIds.get(result.toolUseId)));
}

function resultCommand(result: HookedResult, callId: string | undefined): SessionCommand {
  const { tool, toolUseId, status, output, error, elapsedMs } = result;
  if (callId === undefined) {
    return { type: 'ReportEvent', kind: 'result_of_unknown_call', detail: JSON.stringify({ tool, toolUseId, status }) };
  }
  return reportResult({ callId, tool, status, output, error, elapsedMs });
}
