/** What may happen to a session besides its tool calls: each command becomes events or a refusal. */
import type { SessionEvent } from '@countersign/contracts';
import { answerAsk, expireAsk } from './answer-ask.js';
import { accepted, refused, type CommandContext, type CommandResult, type SessionCommand } from './command.js';
import { endOpenAsks } from './end-ask.js';
import { sessionEvent } from './events.js';
import { narrowSession, nextMode, planBatch, setMode } from './change-limits.js';
import { openSession } from './open-session.js';
import { redeemPermit } from './redeem-permit.js';
import { reportProgress } from './report-progress.js';
import { reportResult } from './report-result.js';
import { changeRules } from './session-rules.js';
import type { SessionState } from './state.js';
import { boundedText } from './text.js';
import { unreachable } from './unreachable.js';

type CommandOf<T extends SessionCommand['type']> = Extract<SessionCommand, { type: T }>;

/** Decides one command. Total: every expected refusal is a value with its error code; nothing throws. */
export function decideCommand(
  state: SessionState | null,
  command: SessionCommand,
  context: CommandContext,
): CommandResult {
  if (command.type === 'OpenSession') return openSession(state, command, context);
  if (state === null || state.opening === null) return refused('session.unknown');
  switch (command.type) {
    case 'AnswerAsk':
      return answerAsk(state, command, context);
    case 'ExpireAsk':
      return expireAsk(state, command.askId, context);
    case 'ParkAsk':
      return parkAsk(state, command);
    case 'EndAsks':
      return endAsks(state, command, context);
    case 'ReportResult':
      return reportResult(state, command, context);
    case 'RedeemPermit':
      return redeemPermit(state, command, context);
    case 'CancelSession':
    case 'StopSession':
      return endSession(state, command, context);
    case 'ReportStep':
    case 'ReportUsage':
    case 'ReportPrompt':
    case 'ReportCompaction':
      return reportProgress(state, command, context);
    default:
      return changeSession(state, command);
  }
}

type Change = CommandOf<
  | 'SetMode'
  | 'NextMode'
  | 'NarrowSession'
  | 'PlanBatch'
  | 'ChangeRules'
  | 'RevokeGrant'
  | 'ResetBreaker'
  | 'ReportEvent'
>;

function changeSession(state: SessionState, command: Change): CommandResult {
  switch (command.type) {
    case 'SetMode':
      return setMode(state, command);
    case 'NextMode':
      return nextMode(state, command);
    case 'NarrowSession':
      return narrowSession(state, command);
    case 'PlanBatch':
      return planBatch(command);
    case 'ChangeRules':
      return changeRules(state, command);
    case 'RevokeGrant': {
      const { grantId, by } = command;
      const known = state.grants.some((grant) => grant.id === grantId);
      return known ? accepted([sessionEvent('GrantRevoked', { grantId, by })]) : refused('grant.unknown');
    }
    case 'ResetBreaker': {
      const fresh = !state.breakerOpen && state.denialsInRow === 0 && state.denialsTotal === 0;
      return accepted(fresh ? [] : [sessionEvent('BreakerReset', { by: command.by })]);
    }
    case 'ReportEvent': {
      const kind = boundedText(command.kind, 100);
      return accepted([sessionEvent('AgentReported', { kind, detail: boundedText(command.detail, 4_000) })]);
    }
    default:
      return unreachable(command, refused('request.invalid'));
  }
}

function parkAsk(state: SessionState, { askId, callId }: CommandOf<'ParkAsk'>): CommandResult {
  const ask = state.openAsks.find((one) => one.askId === askId);
  if (ask === undefined) return refused('ask.already_resolved');
  const letGo = ask.waiting.filter((id) => callId === undefined || id === callId);
  return accepted(letGo.map((id) => sessionEvent('AskParked', { askId, callId: id })));
}

function endAsks(state: SessionState, command: CommandOf<'EndAsks'>, context: CommandContext): CommandResult {
  const { askIds, reason } = command;
  const openAsks = state.openAsks.filter((ask) => askIds === undefined || askIds.includes(ask.askId));
  return endedWith([], { ...state, openAsks }, context, reason);
}

function endSession(
  state: SessionState,
  command: CommandOf<'CancelSession' | 'StopSession'>,
  context: CommandContext,
): CommandResult {
  const body = { reason: boundedText(command.reason, 2_000), by: command.by };
  if (command.type === 'CancelSession') {
    const events = state.cancelled ? [] : [sessionEvent('SessionCancelled', body)];
    return endedWith(events, state, context, `the session was cancelled: ${body.reason}`);
  }
  // A stop takes a cancel away, also one that came after the stop before.
  const events = state.stopped && !state.cancelled ? [] : [sessionEvent('SessionStopped', body)];
  return endedWith(events, state, context, `the session ended: ${body.reason}`);
}

function endedWith(
  events: SessionEvent[],
  state: SessionState,
  context: CommandContext,
  reason: string,
): CommandResult {
  const ended = endOpenAsks(state, context.asks, reason);
  if (ended.unended.length > 0) return refused('internal.error', `asks were not loaded: ${ended.unended.join(', ')}`);
  const running = state.running.map((call) => call.callId);
  return { ...accepted([...events, ...ended.events]), ...(running.length > 0 ? { running } : {}) };
}
