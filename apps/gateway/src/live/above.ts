/** The ends of the sessions above a session, for a stream: each is told of once, wherever the client goes on. */
import type { SessionEvent, StoredEvent } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { CancelNotice } from './notices.js';
import type { StreamMessage } from './stream-events.js';
import { writePlaces, type StreamPlaces } from './stream-place.js';

export interface AboveDeps {
  readonly ledger: Pick<Ledger, 'events' | 'loadRound'>;
  readonly noticeOf: (end: { sessionId: string; how: CancelNotice['how'] }) => Promise<CancelNotice>;
}

export interface Above {
  /** The `id` of a message of the session's own, by its place there. */
  idAt(own: number): string;
  /** Ends that came since the last look. */
  read(own: number): AsyncGenerator<StreamMessage>;
}

interface Seat {
  readonly streamId: string;
  seq: number;
}

/**
 * `sessionIds`: those above, nearest first. A client that does not say where it stood hears of what holds the session now, and of what
 * comes.
 */
export async function watchAbove(
  tenantId: string,
  { sessionIds, places }: { sessionIds: readonly string[]; places: StreamPlaces },
  deps: AboveDeps,
): Promise<Above> {
  const known = places.above?.length === sessionIds.length ? places.above : null;
  const seats: Seat[] = sessionIds.map((streamId, at) => ({ streamId, seq: known?.[at] ?? 0 }));
  const held = known === null ? await holding(tenantId, seats, deps) : null;
  const idAt = (own: number): string =>
    writePlaces(
      own,
      seats.map(({ seq }) => seq),
    );
  let first = held;
  return {
    idAt,
    read: async function* (own) {
      const waiting = first ?? [];
      first = null;
      for (const event of waiting) yield messageOf(idAt(own), event, await noticeOf(event, deps));
      for (const { streamId, seq, events } of await deps.ledger.events.endsAfter(tenantId, seats)) {
        const seat = seats.find((one) => one.streamId === streamId);
        if (seat === undefined) continue;
        for (const event of events) {
          seat.seq = Number(event.seq);
          yield messageOf(idAt(own), event, await noticeOf(event, deps));
        }
        seat.seq = seq;
      }
    },
  };
}

/** Puts the seats at the newest places, and gives the last end of each session that is ended there. */
async function holding(tenantId: string, seats: readonly Seat[], { ledger }: AboveDeps): Promise<StoredEvent[]> {
  const streams = seats.map(({ streamId }) => ({ tenantId, streamId, knownSeq: null }));
  const { heads } = await ledger.loadRound({ tenants: [], streams, keys: [], hashJoins: [] });
  const ended = new Set<string>();
  for (const { streamId, seq, state } of heads) {
    const seat = seats.find((one) => one.streamId === streamId);
    if (seat === undefined) continue;
    seat.seq = seq;
    if (state?.cancelled === true || state?.stopped === true) ended.add(streamId);
  }
  if (ended.size === 0) return [];
  const all = await ledger.events.endsAfter(
    tenantId,
    [...ended].map((streamId) => ({ streamId, seq: 0 })),
  );
  return all.flatMap(({ streamId, events }) =>
    lastUpTo(events, seats.find((one) => one.streamId === streamId)?.seq ?? 0),
  );
}

/** What came later is told of when it is read. */
function lastUpTo(events: readonly StoredEvent[], seq: number): StoredEvent[] {
  const last = events.filter((event) => Number(event.seq) <= seq).at(-1);
  return last === undefined ? [] : [last];
}

function noticeOf({ streamId, type }: StoredEvent, deps: AboveDeps): Promise<CancelNotice> {
  return deps.noticeOf({ sessionId: streamId, how: type === 'SessionCancelled' ? 'cancelled' : 'stopped' });
}

function messageOf(id: string, { body }: StoredEvent, notice: CancelNotice): StreamMessage {
  const { reason } = body as Extract<SessionEvent, { type: 'SessionCancelled' }>['body'];
  return { id, event: 'cancel', data: { ...notice, reason } };
}
