/**
 * Holds a batch back while others are being judged. A worker has one append in flight and takes what came meanwhile together, so a job
 * that reaches it earlier is decided no earlier: sent one by one, calls would only cost a job each.
 */

export interface PaceOptions {
  /** Batches that may leave without an answer in between: one that is judged, one that waits at the worker. */
  readonly ahead: number;
  /** Longest wait after the last batch, for a worker that is slow, one of many, or gone. */
  readonly holdMs: number;
  /** Milliseconds that never run backwards. */
  readonly now: () => number;
}

export interface Pace {
  /** Resolves when the next batch may leave, and counts it. Nobody is waited for at an idle gateway. */
  turn(): Promise<void>;
  /** Answers came: whoever waits may go. */
  answered(): void;
  /** Ends a wait now, for a batch that is full. */
  hurry(): void;
}

export function createPace({ ahead, holdMs, now }: PaceOptions): Pace {
  let unanswered = 0;
  let lastLeft = Number.NEGATIVE_INFINITY;
  let wake = (): void => undefined;

  function held(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    turn: async () => {
      const left = lastLeft + holdMs - now();
      if (unanswered >= ahead && left > 0) await held(left);
      unanswered += 1;
      lastLeft = now();
    },
    answered: () => {
      unanswered = 0;
      wake();
    },
    hurry: () => wake(),
  };
}
