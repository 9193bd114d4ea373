/** Work that is done again and again, never twice at once. */

export interface Interval {
  /** Resolves when the running work has ended; none follows. */
  stop(): Promise<void>;
}

/** Pauses `everyMs` after each run, with a tenth of jitter so that gateways do not march in step. Of failures in a row `onError` hears the first. */
export function startInterval(work: () => Promise<void>, everyMs: number, onError: (error: unknown) => void): Interval {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let failing = false;
  const once = async (): Promise<void> => {
    try {
      await work();
      failing = false;
    } catch (error) {
      if (!failing) onError(error);
      failing = true;
    }
  };
  const next = (): void => {
    if (stopped) return;
    timer = setTimeout(
      () => {
        running = once().then(next);
      },
      everyMs * (0.95 + Math.random() / 10),
    );
    timer.unref();
  };
  next();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
