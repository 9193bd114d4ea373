/** An executor takes up an allowed call: once, and only while nothing holds its session. */
import { accepted, refused, type CommandContext, type CommandResult, type RedeemPermit } from './command.js';
import { sessionEvent } from './events.js';
import { holderAbove } from './held.js';
import type { SessionState } from './state.js';
import { killHolding } from './tenant-state.js';

/**
 * Needs `context.call` (what is stored of the call) and `context.tenant`. INVARIANT: redeeming and cancelling are appends on
 * the same stream, so of the two the first one wins and the other is decided on what it left.
 */
export function redeemPermit(state: SessionState, command: RedeemPermit, context: CommandContext): CommandResult {
  const { call, ancestors = [] } = context;
  if (call === undefined || call.callId !== command.callId) return refused('call.unknown');
  if (call.redeemed) return refused('permit.redeemed');
  if (call.effect !== 'allow') return kept(command, 'permit.refused', 'the call was not allowed');
  if (call.reported) return kept(command, 'permit.refused', 'the result of the call was reported already');
  const held = holderAbove(state, ancestors);
  if (held !== null) return kept(command, 'permit.refused', held);
  if (context.tenant === undefined) return refused('internal.error', 'the tenant was not loaded');
  const line = [...ancestors, state];
  const kill = killHolding(context.tenant, {
    sessionIds: line.map((one) => one.sessionId),
    agents: [call.agent, ...line.flatMap((one) => one.opening?.agent ?? [])],
    tool: call.tool,
  });
  if (kill !== null) return kept(command, 'session.frozen', `a kill switch is engaged: ${kill.reason}`);
  const { callId, permitId, keyId } = command;
  return accepted([sessionEvent('PermitRedeemed', { callId, permitId, keyId, tool: call.tool })]);
}

/** A refusal that auditors see: somebody was about to run what may not run. */
function kept(command: RedeemPermit, code: 'permit.refused' | 'session.frozen', message: string): CommandResult {
  const { callId, permitId } = command;
  const detail = JSON.stringify({ callId, permitId, message });
  return { ok: false, code, message, record: [sessionEvent('AgentReported', { kind: 'permit_refused', detail })] };
}
