/** The life of one call at the agents' door: send and wait, look again, report its result. */
import { DoorError, ERRORS, type CallOutcome, type InspectedJson, type ResultBody } from '@countersign/contracts';
import type { CallView, Ledger } from '@countersign/ledger';
import type { Principal } from '@countersign/server';
import { buildCall } from '../calls/build-call.js';
import type { CallDesk, DeskTicket } from '../calls/call-desk.js';
import { reportResult } from '../calls/report-result.js';
import { DEFAULT_POLICY_NAME, openingFor } from '../sessions/opening.js';
import type { FindPolicyModes } from '../sessions/policy-modes.js';
import type { SessionDesk } from '../sessions/session-desk.js';
import { readCall } from './read-call.js';

/** Seconds that an agent waits for people unless it says otherwise. */
const DEFAULT_WAIT = 25;
/** The agent's name where a call does not say it. */
const UNNAMED_AGENT = 'agent';

export interface ToolCallDeps {
  readonly desk: CallDesk;
  readonly sessions: SessionDesk;
  readonly calls: Pick<Ledger['calls'], 'byId'>;
  readonly policyModes: FindPolicyModes;
}

export interface ReportedResultView {
  readonly id: string;
  readonly status: ResultBody['status'];
  /** The output as the model may see it. */
  readonly output?: string;
}

export class ToolCallService {
  constructor(private readonly deps: ToolCallDeps) {}

  async decide(inspected: InspectedJson, principal: Principal, gone: AbortSignal): Promise<CallOutcome> {
    const { body, args } = readCall(inspected);
    const { tenantId, keyId, sameHost } = principal;
    const modes = await this.deps.policyModes(tenantId, principal.policy ?? DEFAULT_POLICY_NAME);
    const opened = openingFor(principal, { agent: body.agent ?? UNNAMED_AGENT, cwd: body.cwd }, modes);
    if (!opened.ok) throw new DoorError('auth.loosens', opened.message);
    const { sessionId, toolUseId, attempt = 1, tool, cwd = null, resolvedPaths = {}, description = null } = body;
    const caller = { tenantId, keyId, sameHost, opening: opened.opening, ancestors: [] };
    const said = { sessionId, toolUseId, attempt, tool, args, cwd, resolvedPaths, description };
    const call = buildCall({ ...caller, ...said, mode: null, joinsByHash: false });
    const ticket = await this.deps.desk.submit(call, gone);
    if (ticket === null) throw new DoorError('unavailable', 'the client did not wait for the answer');
    return refuseForeign(await waitForPeople(ticket, body.wait ?? DEFAULT_WAIT));
  }

  /** The call as it stands; while it is pending waits for people, at most `wait` seconds. */
  async look(id: string, principal: Principal, patience: { wait: number; gone: AbortSignal }): Promise<CallOutcome> {
    const row = await this.require(id, principal);
    if (row.status === 'decided' || patience.wait === 0) return row.outcome;
    const { key, tool, argsHash } = row;
    const ticket = this.deps.desk.join({ id: row.callId, key, tool, argsHash }, row.outcome, patience.gone);
    return waitForPeople(ticket, patience.wait);
  }

  async report(id: string, principal: Principal, body: ResultBody): Promise<ReportedResultView> {
    const { key, tool, callId } = await this.require(id, principal);
    const { status, output, elapsedMs = null, error = null } = body;
    const command = reportResult({ callId, tool, status, output: output ?? null, error, elapsedMs });
    const result = await this.deps.sessions.execute(key, command, 'agent');
    if (!result.ok) throw new DoorError(result.code, result.message);
    return { id: callId, status, ...(output === undefined ? {} : { output }) };
  }

  /** Throws unless the call is the tenant's and its session the key's own. */
  private async require(id: string, principal: Principal): Promise<CallView> {
    const row = await this.deps.calls.byId(principal.tenantId, id);
    if (row === null) throw new DoorError('call.unknown');
    await this.deps.sessions.require(row.key, principal);
    return row;
  }
}

async function waitForPeople(ticket: DeskTicket, seconds: number): Promise<CallOutcome> {
  try {
    if (ticket.outcome.decision !== 'pending') return ticket.outcome;
    return (await ticket.end(seconds * 1_000)) ?? ticket.outcome;
  } finally {
    ticket.release();
  }
}

/** The deny is recorded; at the door it is the same 403 as for everything else that is not the key's own. */
function refuseForeign(outcome: CallOutcome): CallOutcome {
  if (outcome.ruleId !== 'auth.not_own_session') return outcome;
  throw new DoorError('auth.not_own_session', ERRORS['auth.not_own_session'].message, { ...outcome });
}
