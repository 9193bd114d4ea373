/** What the root of a session is told of its questions, so that its caps and its memory hold for all sessions below it. */
import type { SessionEvent } from '@countersign/contracts';
import { askedSubjects } from './call-limits.js';
import { sessionEvent, type BodyOf } from './events.js';

/** Questions that these events of a session below the root put. */
export function childAskEvents(sessionId: string, events: readonly SessionEvent[]): SessionEvent[] {
  return events.flatMap((event) => {
    if (event.type !== 'AskOpened') return [];
    const { request, basis } = event.body;
    return [sessionEvent('ChildAsked', { sessionId, callId: request.callId, at: basis.facts.now })];
  });
}

/** Denials by people among these events of a session below the root; `openedOf`: the stored bodies of its asks. */
export function childRefusalEvents(
  sessionId: string,
  events: readonly SessionEvent[],
  openedOf: (askId: string) => BodyOf<'AskOpened'> | undefined,
): SessionEvent[] {
  return events.flatMap((event) => {
    if (event.type !== 'AskResolved' || event.body.status !== 'rejected' || event.body.at === undefined) return [];
    const { askId, callId, at, reason } = event.body;
    const opened = openedOf(askId);
    if (opened === undefined) return [];
    const { tool, args } = opened.request;
    const subjects = askedSubjects(opened.verdict);
    return [sessionEvent('ChildRefused', { sessionId, callId, tool, argsHash: args.hash, subjects, at, reason })];
  });
}
