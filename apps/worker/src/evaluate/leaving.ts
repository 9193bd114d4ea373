/** Tells the jobs in hand that their worker is about to go. */
import { ChurnMap } from '@countersign/server';

export interface Leaving {
  /** Fires when the worker is told to go. */
  readonly signal: AbortSignal;
  /** Calls `listener` then; gives what takes the listener back. */
  onLeave(listener: () => void): () => void;
}

/** One listener at the signal for all jobs: those of an AbortSignal stay chained to each other after they were taken away. */
export function createLeaving(signal: AbortSignal): Leaving {
  const listeners = new ChurnMap<() => void, () => void>();
  signal.addEventListener('abort', () => {
    for (const listener of listeners.values()) listener();
  });
  return {
    signal,
    onLeave: (listener) => {
      listeners.set(listener, listener);
      return () => void listeners.delete(listener);
    },
  };
}
