/** Holds a gating hook until its call is decided, and lets it go with "pending" when people take longer than it may wait. */
import type { CallOutcome } from '@countersign/contracts';
import type { HookReply } from '@countersign/agents';
import type { DeskTicket } from '../calls/call-desk.js';

/** Only for outcomes without a time of their own; below Claude Code's own time-out of 600 s. */
const DEFAULT_HOLD_SECONDS = 540;

export interface HoldDeps {
  /** Records that nobody is held for the ask any more; false when the ask has ended already. */
  readonly park: (askId: string, callId: string) => Promise<boolean>;
  /** The call's outcome as it is stored. */
  readonly stored: (callId: string) => Promise<CallOutcome | null>;
}

/** INVARIANT: the answer is the decision, the agent's own prompt, or a refusal; never an allow without a decision. */
export async function holdHook(ticket: DeskTicket, tool: string, deps: HoldDeps): Promise<HookReply> {
  const { outcome } = ticket;
  if (outcome.decision !== 'pending' || outcome.passAsk === true) return { kind: 'decision', outcome, tool };
  const ended = await ticket.end((outcome.holdSeconds ?? DEFAULT_HOLD_SECONDS) * 1_000);
  if (ended !== null) return { kind: 'decision', outcome: ended, tool };
  const { askId } = outcome;
  if (askId === undefined) return { kind: 'refusal', reason: 'the call waits for an answer that nobody can give' };
  if (await deps.park(askId, outcome.id)) return { kind: 'pending-released', askId, reason: outcome.reason };
  // The ask ended at the very moment.
  const stored = await deps.stored(outcome.id);
  if (stored !== null && stored.decision !== 'pending') return { kind: 'decision', outcome: stored, tool };
  return { kind: 'pending-released', askId, reason: outcome.reason };
}
