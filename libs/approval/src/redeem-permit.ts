/** An executor takes up an allowed call: once, and only while nothing holds its session. */
import { refused, accepted, type CommandContext, type CommandResult, type RedeemPermit } from './command.js';
import { sessionEvent } from './events.js';
import { runBarredBy } from './held.js';
import type { SessionState } from './state.js';
import { killHolding } from './tenant-state.js';

/**
 * Needs `context.call` (what is stored of the call) and `context.tenant`. INVARIANT: redeeming and cancelling are appends on
 * the same stream, so of the two the first one wins and the other is decided on what it left.
 */
export function redeemPermit(state: SessionState, command: RedeemPermit, context: CommandContext): CommandResult {
  const { call, ancestors = [], now } = context;
  if (call === undefined || call.callId !== command.callId) return refused('call.unknown');
  if (call.redeemed) return refused('permit.redeemed');
  if (call.effect !== 'allow') return kept(command, { reason: 'not_allowed', message: 'the call was not allowed' });
  if (call.reported) {
    return kept(command, { reason: 'reported', message: 'the result of the call was reported already' });
  }
  const { sessionSeconds, endsWhenAllowed } = command;
  const barred = runBarredBy(state, ancestors, { sessionSeconds, endsWhenAllowed, now });
  if (barred !== null) return kept(command, barred);
  if (context.tenant === undefined) return refused('internal.error', 'the tenant was not loaded');
  const line = [...ancestors, state];
  const kill = killHolding(context.tenant, {
    sessionIds: line.map((one) => one.sessionId),
    agents: [call.agent, ...line.flatMap((one) => one.opening?.agent ?? [])],
    tool: call.tool,
  });
  if (kill !== null) return kept(command, { reason: 'killed', message: `a kill switch is engaged: ${kill.reason}` });
  const { callId, permitId, keyId } = command;
  return accepted([sessionEvent('PermitRedeemed', { callId, permitId, keyId, tool: call.tool })]);
}

/** A refusal that auditors see: somebody was about to run what may not run. */
function kept(command: RedeemPermit, { reason, message }: { reason: string; message: string }): CommandResult {
  const { callId, permitId } = command;
  const detail = JSON.stringify({ callId, permitId, message });
  const code = reason === 'killed' ? 'session.frozen' : 'permit.refused';
  const record = [sessionEvent('AgentReported', { kind: 'permit_refused', detail })];
  return { ok: false, code, message, reason, record };
}
