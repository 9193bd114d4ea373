/** What of a session's events its agent hears on the stream: what it was told anyway, and nothing of the log besides. */
import { outcomeOf } from '@countersign/approval';
import type { CallOutcome, SessionEvent, StoredEvent } from '@countersign/contracts';
import type { CancelNotice } from './notices.js';

/** One message of the stream. `id` is where to go on from: see `writePlaces`. */
export interface StreamMessage {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

type BodyOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['body'];

export interface TellDeps {
  /** The message's `id`. */
  readonly id: string;
  /** Allows are looked at once more before they are handed out. */
  readonly handOut: (outcome: CallOutcome, tool: string) => Promise<CallOutcome>;
  readonly noticeOf: (end: Omit<CancelNotice, 'calls'>) => Promise<CancelNotice>;
}

/** The message of an event; null: it is none of the agent's business. */
export async function streamMessage(
  stored: StoredEvent,
  { id, handOut, noticeOf }: TellDeps,
): Promise<StreamMessage | null> {
  const message = (event: string, data: unknown): StreamMessage => ({ id, event, data });
  switch (stored.type) {
    case 'AskOpened': {
      const { askId, request, verdict } = stored.body as BodyOf<'AskOpened'>;
      return message('pending', { id: request.callId, askId, ruleId: verdict.ruleId, reason: verdict.reason });
    }
    case 'ToolCallDecided': {
      const body = stored.body as BodyOf<'ToolCallDecided'>;
      return message('decision', await handOut(outcomeOf(body), body.request.tool));
    }
    case 'SessionCancelled':
    case 'SessionStopped': {
      const { reason } = stored.body as BodyOf<'SessionCancelled'>;
      const how = stored.type === 'SessionCancelled' ? 'cancelled' : 'stopped';
      return message('cancel', { ...(await noticeOf({ sessionId: stored.streamId, how })), reason });
    }
    case 'SessionModeChanged':
      return message('mode', { mode: (stored.body as BodyOf<'SessionModeChanged'>).mode });
    case 'BreakerOpened':
      return message('breaker', { open: true, reason: (stored.body as BodyOf<'BreakerOpened'>).reason });
    case 'BreakerReset':
      return message('breaker', { open: false });
    default:
      return null;
  }
}

/** The text of a message as server-sent events are written. JSON holds no line break, so one line of data is enough. */
export function writeMessage({ id, event, data }: StreamMessage): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
