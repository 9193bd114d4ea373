/** Which streams only this worker writes, as far as it has seen: what it remembers of those it need not read again before it decides. */
import { BoundedMap } from './bounded-map.js';

/** Looks in a row that found a stream as it was left; fewer, and two workers that share a hot session would often guess wrong. */
const QUIET_LOOKS = 3;

export class QuietSessions {
  private readonly looks: BoundedMap<string, number>;

  /** Streams that are kept in mind. */
  constructor(limit: number) {
    this.looks = new BoundedMap(limit);
  }

  /** INVARIANT: being wrong costs a conflict, never a wrong decision: the append checks every number that was read. */
  isQuiet(stream: string): boolean {
    return (this.looks.get(stream) ?? 0) >= QUIET_LOOKS;
  }

  /** The database was asked, and the stream had not moved since this worker wrote or read it. */
  unmoved(stream: string): void {
    this.looks.set(stream, (this.looks.get(stream) ?? 0) + 1);
  }

  /** Somebody else wrote it. */
  moved(stream: string): void {
    this.looks.delete(stream);
  }
}
