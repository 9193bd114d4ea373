/** Knows whether handlers of a consumer are running. */
import type { Processor } from 'bullmq';

export interface Busy {
  /** Runs the handler, counted. */
  readonly run: Processor;
  /** Resolves as soon as no handler runs. */
  idle(): Promise<void>;
}

export function createBusy(handler: Processor): Busy {
  let running = 0;
  const wake: (() => void)[] = [];
  return {
    // BullMQ hands a signal only to functions that name three parameters.
    run: async (job, token, signal) => {
      running += 1;
      try {
        return await handler(job, token, signal);
      } finally {
        running -= 1;
        if (running === 0) wake.splice(0).forEach((resolve) => resolve());
      }
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => wake.push(resolve))),
  };
}
