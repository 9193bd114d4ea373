/** One stream while a round decides on it: what is stored, and what the round adds. */
import type { SessionEvent } from '@countersign/contracts';
import { evolve, initialState, type SessionState } from '@countersign/approval';

/** A head as it is stored; `state` null: the stream does not exist yet. */
export interface StoredHead {
  readonly tenantId: string;
  readonly streamId: string;
  readonly seq: number;
  readonly parentId: string | null;
  readonly state: SessionState | null;
}

export class StreamDraft {
  state: SessionState | null;
  readonly events: SessionEvent[] = [];

  constructor(readonly head: StoredHead) {
    this.state = head.state;
  }

  /** The sequence number that the next event is decided on. */
  get seq(): number {
    return this.head.seq + this.events.length;
  }

  get parentId(): string | null {
    return this.state?.parentId ?? this.head.parentId;
  }

  add(events: readonly SessionEvent[]): void {
    this.state = events.reduce(evolve, this.state ?? initialState());
    this.events.push(...events);
  }
}
