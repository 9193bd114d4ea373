/** Tells that the client went away before it got its answer. */
import type { ServerResponse } from 'node:http';

/** The part of an AbortSignal that waiting needs; an AbortSignal is one. */
export interface Gone {
  readonly aborted: boolean;
  /** When the request came, by `performance.now()`; absent: it has not waited yet. */
  readonly since?: number;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Fires when the connection closes before the answer was written. Every call makes one, and an AbortController with its signal costs
 * more than the rest of the waiting.
 */
export function goneWith(response: ServerResponse): Gone {
  const listeners = new Set<() => void>();
  let aborted = false;
  response.once('close', () => {
    if (response.writableFinished) return;
    aborted = true;
    for (const listener of [...listeners]) listener();
    listeners.clear();
  });
  return {
    since: performance.now(),
    get aborted() {
      return aborted;
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
  };
}
