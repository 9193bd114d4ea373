/** Refuses early what a server has no room for: requests in flight, bytes of bodies, an event loop that falls behind. */
import { DoorError, NO_METER, type Meter } from '@countersign/contracts';

export interface LoadLimits {
  /** Requests that are answered at once. */
  readonly maxInFlight: number;
  /** Bytes of request bodies that are held at once. */
  readonly maxBodyBytes: number;
  /** Lag of the event loop, in milliseconds, that lasts. */
  readonly maxLagMs: number;
}

/** Room for 20,000 held hooks and their pollers; for two of the largest bodies at once; for a pause, not for a jam. */
export const LOAD_LIMITS: LoadLimits = { maxInFlight: 25_000, maxBodyBytes: 64 * 1024 * 1024, maxLagMs: 2_000 };

/** A body's share of the budget. */
export interface BodyShare {
  /** Takes `bytes` more; throws `overloaded` when there is no room, and gives back all it had. */
  take(bytes: number): void;
  /** Gives all back; may be called more than once. */
  release(): void;
}

export interface LoadGuard {
  readonly inFlight: number;
  readonly bodyBytes: number;
  /** A request begins: throws `overloaded`, else gives what ends it. */
  enter(): () => void;
  body(): BodyShare;
}

export interface LoadGuardDeps {
  readonly limits: LoadLimits;
  /** Sustained lag of the event loop in milliseconds. */
  readonly lagMs: () => number;
  readonly meter?: Meter;
}

/** One for each server. */
export function createLoadGuard({ limits, lagMs, meter = NO_METER }: LoadGuardDeps): LoadGuard {
  let inFlight = 0;
  let bodyBytes = 0;
  const refuse = (limit: string): never => {
    meter.count('countersign_refused_total', { limit });
    throw new DoorError('overloaded');
  };
  return {
    get inFlight() {
      return inFlight;
    },
    get bodyBytes() {
      return bodyBytes;
    },
    enter: () => {
      if (inFlight >= limits.maxInFlight) refuse('in_flight');
      if (lagMs() > limits.maxLagMs) refuse('event_loop');
      inFlight += 1;
      let left = false;
      return () => {
        if (!left) inFlight -= 1;
        left = true;
      };
    },
    body: () => {
      let held = 0;
      const release = (): void => {
        bodyBytes -= held;
        held = 0;
      };
      const take = (bytes: number): void => {
        if (bodyBytes + bytes > limits.maxBodyBytes) {
          release();
          refuse('body_bytes');
        }
        bodyBytes += bytes;
        held += bytes;
      };
      return { take, release };
    },
  };
}
