/** What the agent reports of a call that it ran. */
import type { SessionEvent } from '@countersign/contracts';
import { siblingsOf } from './change-limits.js';
import { accepted, refused, type CommandContext, type CommandResult, type ReportResult } from './command.js';
import { endAsk, type AskEnd } from './end-ask.js';
import { sessionEvent, type BodyOf } from './events.js';
import { resultFingerprint } from './evolve.js';
import { waitingAsk, type OpenAsk, type SessionState } from './state.js';
import { boundedText } from './text.js';

/**
 * A first report closes the call; the same one again is no event, and has the same answer. A different one is refused and recorded.
 * A report for an ask that the agent's own prompt put is that prompt's answer; a call given up withdraws its ask.
 */
export function reportResult(state: SessionState, command: ReportResult, context: CommandContext): CommandResult {
  const body = resultBody(command);
  const earlier = state.reports.find((report) => report.callId === command.callId);
  if (earlier !== undefined) {
    if (earlier.fingerprint === resultFingerprint(body)) return stopping(accepted([]), earlier.siblings);
    return { ok: false, code: 'call.result_differs', record: [differingReport(command)] };
  }
  const closing = sessionEvent('ToolResultReported', body);
  const ask = waitingAsk(state, command.callId);
  if (ask === undefined) {
    const calls = command.status === 'failed' ? siblingsOf(state, command.callId) : [];
    return stopping(accepted([...ranDenied(command), closing, ...siblingsStopped(command.callId, calls)]), calls);
  }
  if (command.status === 'cancelled') return withdraw(ask, command, closing, context);
  // While a kill switch holds the ask, the agent's own prompt approves nothing either.
  if (!ask.passAsk || context.frozen?.includes(ask.askId) === true) return accepted([unapproved(command), closing]);
  return endedByAgent(ask, closing, context, { status: 'approved', reason: "approved in the agent's own prompt" });
}

/** The agent gave its call up, as it may; the ask stays open for other calls that wait for it. */
function withdraw(ask: OpenAsk, command: ReportResult, closing: SessionEvent, context: CommandContext): CommandResult {
  const { askId, waiting } = ask;
  if (waiting.some((callId) => callId !== command.callId)) {
    const letGo = waiting.filter((callId) => callId === command.callId);
    return accepted([...letGo.map((callId) => sessionEvent('AskParked', { askId, callId })), closing]);
  }
  return endedByAgent(ask, closing, context, { status: 'cancelled', reason: 'the agent gave the call up' });
}

/** A failure that stops the calls beside it. */
function siblingsStopped(callId: string, calls: string[]): SessionEvent[] {
  return calls.length === 0 ? [] : [sessionEvent('SiblingsStopped', { callId, calls })];
}

/** Whoever reports again is told again which calls are to be stopped: the first answer may have been lost. */
function stopping(result: CommandResult, siblings: readonly string[] = []): CommandResult {
  return result.ok && siblings.length > 0 ? { ...result, siblings } : result;
}

function endedByAgent(
  ask: OpenAsk,
  closing: SessionEvent,
  context: CommandContext,
  end: Pick<AskEnd, 'status' | 'reason'>,
): CommandResult {
  const opened = context.asks[ask.askId];
  if (opened === undefined) return refused('internal.error', `ask \`${ask.askId}\` was not loaded`);
  const by = { channel: 'agent', personId: null, personName: null } as const;
  return accepted([...endAsk(opened, { ...end, by, counted: false, stop: false }), closing]);
}

/** The record of a report that differs from the first one; it changes nothing. */
function differingReport(command: ReportResult) {
  const detail = JSON.stringify({ callId: command.callId, status: command.status, outputHash: command.outputHash });
  return sessionEvent('AgentReported', { kind: 'result_differs', detail });
}

/** The agent ran a call that nobody had approved yet. It stays open; the record says what happened. */
function unapproved(command: ReportResult) {
  const detail = JSON.stringify({ callId: command.callId, status: command.status });
  return sessionEvent('AgentReported', { kind: 'ran_without_approval', detail });
}

/** The agent ran a call that was denied. The record says so. */
function ranDenied(command: ReportResult): SessionEvent[] {
  if (command.denied !== true || command.status === 'cancelled') return [];
  const detail = JSON.stringify({ callId: command.callId, status: command.status });
  return [sessionEvent('AgentReported', { kind: 'ran_although_denied', detail })];
}

function resultOutcome({ denied, status }: ReportResult): 'BLOCKED' | 'SUCCEEDED' | 'FAILED' {
  if (denied === true) return 'BLOCKED';
  return status === 'succeeded' ? 'SUCCEEDED' : 'FAILED';
}

function resultBody(command: ReportResult): BodyOf<'ToolResultReported'> {
  return {
    callId: command.callId,
    tool: command.tool,
    status: command.status,
    elapsedMs: command.elapsedMs,
    preview: boundedText(command.preview, 2_000),
    outputHash: command.outputHash,
    error: command.error === null ? null : boundedText(command.error, 2_000),
    outcome: resultOutcome(command),
    ...(command.outputChars === undefined ? {} : { outputChars: command.outputChars }),
    ...(command.kept === true ? { kept: true } : {}),
    ...(command.redacted === undefined || command.redacted.length === 0 ? {} : { redacted: [...command.redacted] }),
    ...(command.background === true ? { background: true } : {}),
    ...(command.reportHash === undefined ? {} : { reportHash: command.reportHash }),
  };
}
