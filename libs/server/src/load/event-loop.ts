/** How late this process is: the delay of a timer, and whether it lasts. */

export interface EventLoopWatch {
  /** Milliseconds by which the last look was late. */
  readonly lagMs: number;
  /** The least lag of the last three looks: a single long pause is no overload. */
  readonly sustainedMs: number;
  stop(): void;
}

const EVERY_MS = 250;
const LOOKS = 3;

/** Looks four times a second; costs one timer. */
export function watchEventLoop(): EventLoopWatch {
  const lags: number[] = [];
  let due = performance.now() + EVERY_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    lags.push(Math.max(0, now - due));
    if (lags.length > LOOKS) lags.shift();
    due = now + EVERY_MS;
  }, EVERY_MS).unref();
  return {
    get lagMs() {
      return lags.at(-1) ?? 0;
    },
    get sustainedMs() {
      // A loop that is stuck right now makes no looks: what is overdue counts as well.
      const overdue = Math.max(0, performance.now() - due);
      return lags.length < LOOKS ? 0 : Math.max(Math.min(...lags), Math.min(overdue, lags.at(-1) ?? 0));
    },
    stop: () => clearInterval(timer),
  };
}
