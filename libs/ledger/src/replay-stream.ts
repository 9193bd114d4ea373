/** The state of a session computed anew from its stored events; stops at the first one that this release may not interpret. */
import { evolve, initialState, type SessionState } from '@countersign/approval';
import { readSessionEvent, type ReadProblem } from '@countersign/contracts';
import type { Events } from './events.js';
import type { StreamKey } from './types.js';

/** `seq`: of the last event that was taken in, or of the one that could not be. */
export type ReplayedStream =
  | { readonly ok: true; readonly state: SessionState; readonly seq: number }
  | {
      readonly ok: false;
      readonly problem: ReadProblem;
      readonly type: string;
      readonly version: number;
      readonly seq: number;
    };

const PAGE = 1_000;

/** INVARIANT: no event is skipped. A state that leaves one out could allow what that event forbids. */
export async function replayStream(events: Pick<Events, 'ofStream'>, stream: StreamKey): Promise<ReplayedStream> {
  let state = initialState();
  let seq = 0;
  for (;;) {
    const page = await events.ofStream(stream, seq, PAGE);
    for (const stored of page) {
      const read = readSessionEvent(stored);
      seq = Number(stored.seq);
      if (!read.ok) return { ...read, seq };
      state = evolve(state, read.event);
    }
    if (page.length < PAGE) return { ok: true, state, seq };
  }
}
