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
  return new ResponseGone(response);
}

/**
 * A class on purpose: an object literal with an accessor gets a hidden class of its own, which lives long and holds the request and all
 * that belongs to it until the next full garbage collection.
 */
class ResponseGone implements Gone {
  readonly since = performance.now();
  aborted = false;
  private readonly listeners = new Set<() => void>();

  constructor(response: ServerResponse) {
    response.once('close', () => {
      if (!response.writableFinished) this.fire();
    });
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
  }

  private fire(): void {
    this.aborted = true;
    for (const listener of [...this.listeners]) listener();
    this.listeners.clear();
  }
}
