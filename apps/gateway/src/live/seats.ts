/** How many connections each key holds and all hold together, counted when one is let in and not when it is there. */

/** Gives the seat back; again is no harm. */
export type LeaveSeat = () => void;

/** `own`: of this key; `all`: of all keys together. */
export type NoSeat = 'own' | 'all';

export interface SeatLimits {
  readonly own: number;
  readonly all: number;
}

export class Seats {
  private readonly ofKey = new Map<string, number>();
  private taken = 0;

  /** INVARIANT: looks and takes without a pause in between, so that many at once get no more than one after the other. */
  take(keyId: string, limits: SeatLimits): LeaveSeat | NoSeat {
    const own = this.ofKey.get(keyId) ?? 0;
    if (own >= limits.own) return 'own';
    if (this.taken >= limits.all) return 'all';
    this.ofKey.set(keyId, own + 1);
    this.taken += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.leave(keyId);
    };
  }

  private leave(keyId: string): void {
    this.taken -= 1;
    const own = (this.ofKey.get(keyId) ?? 1) - 1;
    if (own === 0) this.ofKey.delete(keyId);
    else this.ofKey.set(keyId, own);
  }
}
