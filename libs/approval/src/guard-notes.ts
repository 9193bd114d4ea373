/** What guards tell the model beside the answer to a call, for agents whose loop reports no steps and asks for no directive. */
import type { SessionEvent } from '@countersign/contracts';
import { sessionEvent } from './events.js';
import type { SessionState } from './state.js';
import { nudgeOf, type LoopLimits } from './told.js';

export interface GuardNotes {
  readonly texts: readonly string[];
  /** What must be recorded with them. */
  readonly events: readonly SessionEvent[];
}

/** A nudge when tokens run low, and background results that nobody took along yet. Without limits there are no nudges. */
export function guardNotes(state: SessionState, callId: string, limits: LoopLimits | undefined): GuardNotes {
  const nudge = limits === undefined ? null : nudgeOf(state, limits);
  const waiting = state.run.step === 0 ? state.run.background : [];
  const callIds = waiting.map((result) => result.callId);
  return {
    texts: [...(nudge === null ? [] : [nudge.text]), ...waiting.map(({ tool, text }) => `${tool} ended: ${text}`)],
    events: callIds.length === 0 ? [] : [sessionEvent('ResultsHandedOver', { callIds, callId })],
  };
}
