/** From stored events to the moments that hooks observe, and what they are told of each. */
import type { SessionEvent, StoredEvent } from '@countersign/contracts';
import type { HookNote, ObservedMoment } from '@countersign/hooks';

/** Types of the events that some moment comes from. */
export const NOTED_TYPES = [
  'SessionStarted',
  'SessionReopened',
  'StepReported',
  'SessionStopped',
  'CompactionReported',
  'PromptSubmitted',
  'ToolCallDecided',
] as const satisfies readonly SessionEvent['type'][];

/** What hooks call this event; null: nothing. */
export function momentOf(event: StoredEvent, parentId: string | null = null): ObservedMoment | null {
  const child = parentId !== null;
  switch (event.type) {
    case 'SessionStarted':
    case 'SessionReopened':
      return child ? 'SubagentStart' : 'SessionStart';
    case 'SessionStopped':
      return child ? 'SubagentStop' : 'SessionStop';
    case 'StepReported':
      return (event.body as { completed: boolean }).completed ? 'StepComplete' : null;
    case 'CompactionReported':
      return (event.body as { phase: string }).phase === 'pre' ? 'PreCompact' : 'PostCompact';
    case 'PromptSubmitted':
      return 'UserPromptSubmit';
    case 'ToolCallDecided':
      return 'PermissionDecision';
    default:
      return null;
  }
}

export function noteOf(event: StoredEvent, parentId: string | null): HookNote {
  const { tenantId, streamId: sessionId, callId, time } = event;
  return { tenantId, sessionId, parentId, callId, time, detail: detailOf(event) };
}

/** Of a decision what C's hooks are given of it, not the whole judgement. */
function detailOf({ type, body }: StoredEvent): HookNote['detail'] {
  if (type !== 'ToolCallDecided') return body as HookNote['detail'];
  const { request, decision } = body as Extract<SessionEvent, { type: 'ToolCallDecided' }>['body'];
  const { effect, approvalStatus, ruleId, reason } = decision;
  return { tool: request.tool, effect, approvalStatus, ruleId, reason };
}
