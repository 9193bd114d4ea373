/** Names for the session events and the one place that makes them. */
import type { SessionEvent } from '@countersign/contracts';

export type SessionEventType = SessionEvent['type'];
/** The body of one kind of session event. */
export type BodyOf<T extends SessionEventType> = Extract<SessionEvent, { type: T }>['body'];

/** Makes a session event of the current version. */
export function sessionEvent<T extends SessionEventType>(type: T, body: BodyOf<T>): SessionEvent {
  return { type, version: 1, body } as unknown as SessionEvent;
}

/** `AskOpened` as it was stored, with the calls that joined the ask later. */
export type OpenedAsk = BodyOf<'AskOpened'> & { readonly joined?: readonly BodyOf<'AskJoined'>['request'][] };
/** Ask id -> what was stored when it was opened. */
export type OpenedAsks = Readonly<Record<string, OpenedAsk>>;
