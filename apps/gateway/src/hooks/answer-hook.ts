/** One hook from its body to the agent's own reply. Whatever goes wrong, an event that gates a tool is refused with a reason. */
import { inspectJson, type InspectedJson } from '@countersign/contracts';
import {
  readHook,
  renderReply,
  type AgentName,
  type HookInput,
  type HookReply,
  type RenderedReply,
} from '@countersign/agents';
import { toDoorError, type Principal } from '@countersign/server';
import type { CallDesk } from '../calls/call-desk.js';
import type { HandOut } from '../permits/hand-out.js';
import { DEFAULT_POLICY_NAME } from '../sessions/opening.js';
import type { SessionTarget } from '../sessions/session-desk.js';
import type { HookBody } from './hook-body.js';
import { hookCall } from './hook-call.js';
import { holdHook } from './hold-hook.js';
import { recordReport, type ReportDeps } from './record-report.js';
import type { Ledger } from '@countersign/ledger';
import type { Gone } from '../waiting/gone.js';

export interface HookRequest {
  readonly agent: AgentName;
  readonly body: HookBody;
  readonly authorization: string | undefined;
  /** Fires when the agent gave up. */
  readonly gone: Gone;
  /** Ids for the request's line in the log. */
  readonly note?: (fields: Record<string, string>) => void;
}

export interface HookDeps extends ReportDeps {
  readonly desk: CallDesk;
  readonly handOut: HandOut;
  readonly calls: Pick<Ledger['calls'], 'byKeys' | 'byId'>;
  /** Throws a DoorError for a key that may not use hooks. */
  readonly authenticate: (authorization: string | undefined) => Promise<Principal>;
  readonly onError: (error: unknown) => void;
}

/** Never throws. */
export async function answerHook(request: HookRequest, deps: HookDeps): Promise<RenderedReply> {
  const { agent, body } = request;
  if (body.state !== 'read') return renderReply(agent, null, refusal(UNREAD[body.state]));
  const inspected = inspectJson(body.text);
  if (!inspected.ok) return renderReply(agent, null, refusal('the hook body is not valid JSON'));
  const input = readHook(agent, inspected.value);
  try {
    return renderReply(agent, input.event, await answer(input, inspected, request, deps));
  } catch (error) {
    const told = toDoorError(error);
    if (told.code === 'internal.error') deps.onError(error);
    return renderReply(agent, input.event, failureReply(input, `Countersign: ${told.message}`));
  }
}

const UNREAD = {
  too_large: 'the hook body is larger than 32 MB',
  overloaded: 'the service is overloaded; try again shortly',
  broken: 'the hook body could not be read',
} as const;

function refusal(reason: string): HookReply {
  return { kind: 'refusal', reason };
}

function failureReply(input: HookInput, reason: string): HookReply {
  return input.kind === 'gate' || input.kind === 'unreadable' ? refusal(reason) : { kind: 'nothing' };
}

async function answer(
  input: HookInput,
  inspected: InspectedJson,
  request: HookRequest,
  deps: HookDeps,
): Promise<HookReply> {
  if (input.kind === 'unreadable') return refusal(input.reason);
  const principal = await deps.authenticate(request.authorization);
  if (input.kind === 'gate') return answerGate(input, inspected, { principal, request, deps });
  await recordReport(input, principal, deps);
  return { kind: 'nothing' };
}

interface GateContext {
  readonly principal: Principal;
  readonly request: HookRequest;
  readonly deps: HookDeps;
}

async function answerGate(
  input: Extract<HookInput, { kind: 'gate' }>,
  inspected: InspectedJson,
  { principal, request: { gone, note }, deps }: GateContext,
): Promise<HookReply> {
  const twice = inspected.problems.find((flaw) => flaw.problem === 'duplicate_key' && flaw.path[0] !== 'tool_input');
  if (twice !== undefined) return refusal(`the hook body names \`${twice.path.join('.')}\` twice`);
  const { tenantId, policy } = principal;
  const modes = await deps.policyModes(tenantId, policy ?? DEFAULT_POLICY_NAME);
  const call = hookCall(input.toolCall, inspected, { principal, modes });
  note?.({ callId: call.id, sessionId: call.sessionId });
  const ticket = await deps.desk.submit(call, gone);
  if (ticket === null) return refusal('the agent did not wait for the answer');
  const target: SessionTarget = { tenantId, sessionId: call.sessionId };
  try {
    const reply = await holdHook(ticket, call.tool, {
      park: async (askId, callId) =>
        (await deps.sessions.execute(target, { type: 'ParkAsk', askId, callId }, 'agent')).ok,
      stored: async (callId) => (await deps.calls.byId(tenantId, callId))?.outcome ?? null,
    });
    if (reply.kind !== 'decision') return reply;
    const { parentId } = call.opening;
    const place = { ...call, parentIds: parentId === null ? [] : [parentId] };
    return { ...reply, outcome: await deps.handOut(reply.outcome, place, false) };
  } finally {
    ticket.release();
  }
}
