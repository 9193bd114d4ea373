/** What the database's clock says by now, from when it was last read. */

export interface DatabaseClock {
  /** A time that the database has just told, ISO-8601 UTC. */
  told(time: string): void;
  /** The same form; never ahead of the database's clock. Null: it was not read for too long. */
  now(): string | null;
}

/** Clocks drift apart and are set: after this long the database is asked again. */
const FRESH_MS = 2_000;

/** `monotonic`: milliseconds that never run backwards. */
export function createDatabaseClock(monotonic: () => number): DatabaseClock {
  let toldMs = Number.NaN;
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    told: (time) => {
      toldMs = Date.parse(time);
      toldAt = monotonic();
    },
    now: () => {
      const age = monotonic() - toldAt;
      // What was told was true a moment before it was heard, so the sum runs behind by that moment.
      if (Number.isNaN(toldMs) || age > FRESH_MS) return null;
      return `${new Date(Math.floor(toldMs + age)).toISOString().slice(0, -1)}000Z`;
    },
  };
}
