/** The calls of one step: decided together, with the plan by which those that may run are to be run. */
import { DoorError, type CallOutcome, type ErrorCode, type InspectedJson, type ToolCall } from '@countersign/contracts';
import { partitionBatch, traitsOf } from '@countersign/policy';
import type { Principal } from '@countersign/server';
import type { CallDesk } from '../calls/call-desk.js';
import type { HandOut } from '../permits/hand-out.js';
import type { SessionDesk } from '../sessions/session-desk.js';
import type { FindSessionPolicy, SessionPolicy } from '../sessions/session-policies.js';
import { buildOwnCall, DEFAULT_WAIT, refuseForeign, waitForPeople, type CallMaking } from './own-call.js';
import { readBatch } from './read-batch.js';
import type { Gone } from '../waiting/gone.js';

/** Calls that run together (`parallel`), or one that runs alone; our ids, in order. */
export interface PlannedCalls {
  readonly parallel: boolean;
  readonly calls: readonly string[];
}

export interface BatchView {
  /** One outcome a call, in the order of the request. */
  readonly calls: readonly (StepOutcome & { readonly toolUseId: string })[];
  /** Only calls that are allowed by now and whose permit was not refused stand in it. */
  readonly plan: readonly PlannedCalls[];
}

/** `permitRefused`: in the place of the permit that was asked for, why there is none; the call is not to run. */
export type StepOutcome = CallOutcome & { readonly permitRefused?: PermitRefused };

export interface PermitRefused {
  readonly code: ErrorCode;
  readonly message: string;
  /** As in `details.reason` of the single door's 409. */
  readonly reason: string;
}

export interface BatchDeps extends CallMaking {
  readonly desk: CallDesk;
  readonly sessions: SessionDesk;
  readonly handOut: HandOut;
  readonly policies: FindSessionPolicy;
}

/** A call with what is known of it when the plan is made. */
interface DecidedCall {
  readonly id: string;
  readonly tool: string;
  readonly args: unknown;
}

export class BatchService {
  constructor(private readonly deps: BatchDeps) {}

  async decide(inspected: InspectedJson, principal: Principal, gone: Gone): Promise<BatchView> {
    const { body, args } = readBatch(inspected);
    const { sessionId, cwd, agent, wait = DEFAULT_WAIT } = body;
    const ofStep = { sessionId, cwd, agent };
    const calls: ToolCall[] = [];
    for (const [place, one] of body.calls.entries()) {
      const read = args[place];
      if (read === undefined) throw new Error('a call of the step was not read');
      calls.push(await buildOwnCall({ ...ofStep, ...one, args: read }, principal, this.deps));
    }
    const tickets = await this.deps.desk.submitAll(calls, gone);
    if (tickets === null) throw new DoorError('unavailable', 'the client did not wait for the answers');
    const decided = (await Promise.all(tickets.map((ticket) => waitForPeople(ticket, wait)))).map(refuseForeign);
    const outcomes = await Promise.all(
      calls.map((call, place) => this.handOut(outcomeAt(decided, place), call, body.permit ?? false)),
    );
    const plan = await this.plan(sessionId, principal, { calls, outcomes });
    return {
      calls: outcomes.map((outcome, place) => ({ ...outcome, toolUseId: calls[place]?.toolUseId ?? '' })),
      plan,
    };
  }

  /** A permit that is refused is this call's matter: the others keep their answers. */
  private async handOut(outcome: CallOutcome, call: ToolCall, permit: boolean): Promise<StepOutcome> {
    try {
      return await this.deps.handOut(outcome, call, permit);
    } catch (error) {
      if (!permit || !(error instanceof DoorError) || error.code !== 'permit.refused') throw error;
      const { code, message, details } = error;
      const permitRefused = { code, message, reason: String(details?.['reason'] ?? '') };
      return { ...(await this.deps.handOut(outcome, call, false)), permitRefused };
    }
  }

  /** Plans the calls that may run, by the manifest of the session's policy, and records the plan. */
  private async plan(
    sessionId: string,
    principal: Principal,
    { calls, outcomes }: { calls: readonly ToolCall[]; outcomes: readonly StepOutcome[] },
  ): Promise<PlannedCalls[]> {
    const allowed = calls.flatMap((call, place) => allowedCall(call, outcomes[place]));
    if (allowed.length === 0) return [];
    const target = { tenantId: principal.tenantId, sessionId };
    const state = await this.deps.sessions.require(target, principal);
    const policy = await this.deps.policies(principal.tenantId, state.opening?.policy ?? '');
    const { tools } = policy.compiled.preset;
    const batches = partitionBatch(allowed, tools).map(({ parallel, calls: together }) => ({
      parallel,
      calls: together.map(({ id }) => id),
      abortOn: together.filter((call) => stopsSiblings(call, policy)).map(({ id }) => id),
    }));
    await this.deps.sessions.execute(target, { type: 'PlanBatch', batches, by: principal.keyId }, 'agent');
    return batches.map(({ parallel, calls: ids }) => ({ parallel, calls: ids }));
  }
}

/** One outcome a call: the desk gave as many. */
function outcomeAt(outcomes: readonly CallOutcome[], place: number): CallOutcome {
  const outcome = outcomes[place];
  if (outcome === undefined) throw new Error('a call of the batch has no outcome');
  return outcome;
}

function allowedCall({ tool, args }: ToolCall, outcome: StepOutcome | undefined): DecidedCall[] {
  if (outcome?.decision !== 'allow' || outcome.permitRefused !== undefined || args.state !== 'ok') return [];
  return [{ id: outcome.id, tool, args: outcome.updatedInput ?? (JSON.parse(args.json) as unknown) }];
}

function stopsSiblings({ tool, args }: DecidedCall, { compiled }: SessionPolicy): boolean {
  return traitsOf(tool, args, compiled.preset.tools).causesSiblingAbort;
}
