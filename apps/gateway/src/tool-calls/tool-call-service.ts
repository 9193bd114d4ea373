/** The life of one call at the agents' door: send and wait, look again, report its result. */
import { DoorError, type CallOutcome, type InspectedJson, type ResultBody } from '@countersign/contracts';
import type { CallView, Ledger } from '@countersign/ledger';
import type { Principal } from '@countersign/server';
import { resultCallOf } from '../results/result-call.js';
import type { CallDesk } from '../calls/call-desk.js';
import type { HandOut } from '../permits/hand-out.js';
import { readKeptOutput, type KeptOutputDeps, type OutputPage } from '../results/kept-output.js';
import type { ResultCall, Results } from '../results/results.js';
import type { SessionDesk } from '../sessions/session-desk.js';
import type { FindSessionPolicy } from '../sessions/session-policies.js';
import { buildOwnCall, DEFAULT_WAIT, refuseForeign, waitForPeople, type CallMaking } from './own-call.js';
import { readCall } from './read-call.js';
import type { Gone } from '../waiting/gone.js';

export interface ToolCallDeps extends CallMaking {
  readonly desk: CallDesk;
  readonly sessions: SessionDesk;
  readonly handOut: HandOut;
  readonly calls: Pick<Ledger['calls'], 'byId'>;
  readonly results: Results;
  readonly policies: FindSessionPolicy;
  readonly kept: KeptOutputDeps;
}

export interface ReportedResultView {
  readonly id: string;
  readonly status: ResultBody['status'];
  /** The output as the model may see it: redacted, and no longer than the tool's limit. */
  readonly output?: string;
  /** The same of the error's text. */
  readonly error?: string;
  /** What the model is told of a call that was stopped. */
  readonly message?: string;
  /** Code points of the whole output. */
  readonly outputChars: number;
  /** True: the whole is kept, to be read on at `GET /v1/tool-calls/:id/output`. */
  readonly shortened: boolean;
  /** Our ids of the calls beside this one that are to be stopped because it failed. */
  readonly siblingAbort: readonly string[];
}

/** How long to wait for people, in seconds, and whether an allow is to come with a permit. */
export interface LookWish {
  readonly wait: number;
  readonly permit: boolean;
  readonly gone: Gone;
}

export class ToolCallService {
  constructor(private readonly deps: ToolCallDeps) {}

  async decide(inspected: InspectedJson, principal: Principal, gone: Gone): Promise<CallOutcome> {
    const { body, args } = readCall(inspected);
    const call = await buildOwnCall({ ...body, args }, principal, this.deps);
    const ticket = await this.deps.desk.submit(call, gone);
    if (ticket === null) throw new DoorError('unavailable', 'the client did not wait for the answer');
    const outcome = refuseForeign(await waitForPeople(ticket, body.wait ?? DEFAULT_WAIT));
    return this.deps.handOut(outcome, call, body.permit ?? false);
  }

  /** The call as it stands; while it is pending waits for people, at most `wait` seconds. */
  async look(id: string, principal: Principal, wish: LookWish): Promise<CallOutcome> {
    const row = await this.require(id, principal);
    return this.deps.handOut(await this.outcomeOf(row, wish), { ...row.key, tool: row.tool }, wish.permit);
  }

  private async outcomeOf(row: CallView, { wait, gone }: LookWish): Promise<CallOutcome> {
    if (row.status === 'decided' || wait === 0) return row.outcome;
    const { key, tool, callHash } = row;
    const ticket = this.deps.desk.join({ id: row.callId, key, tool, callHash }, row.outcome, gone);
    return waitForPeople(ticket, wait);
  }

  async report(id: string, principal: Principal, body: ResultBody): Promise<ReportedResultView> {
    const row = await this.require(id, principal);
    const { status, output = null, elapsedMs = null, error = null, background = false } = body;
    const call = resultCallOf(row, await this.deps.sessions.find(row.key));
    const done = await this.deps.results.record(call, { status, output, error, elapsedMs, background });
    if (!done.recorded.ok) throw new DoorError(done.recorded.code, done.recorded.message);
    return {
      id: call.callId,
      status,
      siblingAbort: done.recorded.siblings,
      ...(done.output === null ? {} : { output: done.output }),
      ...(done.error === null ? {} : { error: done.error }),
      ...(status === 'cancelled' ? { message: await this.cancelledText(call) } : {}),
      outputChars: done.outputChars,
      shortened: done.shortened,
    };
  }

  private async cancelledText({ tenantId, policy }: ResultCall): Promise<string> {
    const { compiled } = await this.deps.policies(tenantId, policy);
    return compiled.preset.notices.cancelled;
  }

  /** A page of an output that was too long for the model. */
  async output(id: string, principal: Principal, page: { offset: number; limit: number }): Promise<OutputPage> {
    const { key, callId } = await this.require(id, principal);
    return readKeptOutput({ tenantId: key.tenantId, callId }, page, this.deps.kept);
  }

  /** Throws unless the call is the tenant's and its session the key's own. */
  private async require(id: string, principal: Principal): Promise<CallView> {
    const row = await this.deps.calls.byId(principal.tenantId, id);
    if (row === null) throw new DoorError('call.unknown');
    await this.deps.sessions.require(row.key, principal);
    return row;
  }
}
