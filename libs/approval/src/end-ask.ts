/** How an ask ends: always `AskResolved` and the decisions of its calls, in one append. */
import type { Answerer, ApprovalStatus, SessionEvent } from '@countersign/contracts';
import { sessionEvent, type OpenedAsk, type OpenedAsks } from './events.js';
import type { SessionState } from './state.js';

/** Why and by whom an ask ended. Only `approved` lets the call run. */
export interface AskEnd {
  readonly status: Exclude<ApprovalStatus, 'not_required'>;
  readonly by: Answerer;
  readonly reason: string;
  readonly counted: boolean;
  readonly stop: boolean;
  /** ISO-8601 UTC in the database's clock, where the time of the end matters later. */
  readonly at?: string;
}

/** Nobody in particular: a timer, a cancel, a stop or the breaker. */
export const SYSTEM: Answerer = { channel: 'system', personId: null, personName: null };

/**
 * The events that end an ask: `AskResolved`, then one decision for each call that waits for it, those that joined first. The last
 * one is the call that asked: it alone counts as a denial. INVARIANT: every status but `approved` is a deny.
 */
export function endAsk(opened: OpenedAsk, end: AskEnd): SessionEvent[] {
  const { askId, request, joined = [] } = opened;
  return [
    sessionEvent('AskResolved', {
      askId,
      callId: request.callId,
      status: end.status,
      by: end.by,
      reason: end.reason,
      ...(end.at === undefined ? {} : { at: end.at }),
    }),
    ...joined.map((other) => endOfCall(opened, other, { ...end, counted: false })),
    endOfCall(opened, request, end),
  ];
}

function endOfCall(opened: OpenedAsk, request: OpenedAsk['request'], end: AskEnd): SessionEvent {
  const { askId, verdict, basis, finalArgs, additionalContext } = opened;
  const rewritten = end.status === 'approved' && finalArgs?.state === 'ok' ? finalArgs.json : null;
  return sessionEvent('ToolCallDecided', {
    request,
    verdict,
    basis,
    decision: {
      effect: end.status === 'approved' ? 'allow' : 'deny',
      approvalStatus: end.status,
      ruleId: verdict.ruleId,
      reason: end.reason,
      layer: verdict.layer,
      askId,
      answeredBy: end.by,
      // What was shown is what runs: the rewrite of the call that asked, for every call that waits for it.
      updatedInput: rewritten,
      stop: end.stop,
      counted: end.counted,
      ...(additionalContext === undefined ? {} : { additionalContext }),
    },
    ...(finalArgs === undefined ? {} : { finalArgs }),
  });
}

/** Ends every open ask of a session as cancelled. `unended`: asks whose stored bodies were not given. */
export function endOpenAsks(
  state: SessionState,
  asks: OpenedAsks,
  reason: string,
): { events: SessionEvent[]; unended: string[] } {
  const ids = state.openAsks.map((ask) => ask.askId);
  const end: AskEnd = { status: 'cancelled', by: SYSTEM, reason, counted: false, stop: true };
  return {
    events: ids.flatMap((id) => {
      const opened = asks[id];
      return opened === undefined ? [] : endAsk(opened, end);
    }),
    unended: ids.filter((id) => asks[id] === undefined),
  };
}
