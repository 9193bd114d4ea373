/** Puts the load guard before the doors of a server. */
import type { Door } from '@countersign/contracts';
import type { FastifyInstance } from 'fastify';
import { NO_METER, type Meter } from '@countersign/contracts';
import { watchEventLoop } from './event-loop.js';
import { createLoadGuard, LOAD_LIMITS, type BodyShare, type LoadGuard, type LoadLimits } from './load-guard.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The share of the body budget that this request holds; given back when it was answered. */
    bodyShare: BodyShare | null;
  }
}

export interface InstallLoadGuard {
  readonly app: Door['app'];
  readonly limits?: Partial<LoadLimits> | undefined;
  readonly meter?: Meter | undefined;
  /** Routes that answer whatever the load: health and metrics. */
  readonly exempt: readonly string[];
}

export interface InstalledLoad {
  readonly guard: LoadGuard;
  /** Lag of the event loop that lasts, in milliseconds. */
  readonly lagMs: () => number;
  stop(): void;
}

/** Must be the first hook of requests: what is refused costs nothing else. */
export function installLoadGuard(fastify: FastifyInstance, options: InstallLoadGuard): InstalledLoad {
  const { app, meter = NO_METER, exempt } = options;
  const loop = watchEventLoop();
  const lagMs = (): number => loop.sustainedMs;
  const guard = createLoadGuard({ limits: { ...LOAD_LIMITS, ...options.limits }, lagMs, meter });
  fastify.decorateRequest('bodyShare', null);
  fastify.addHook('onRequest', async (request, reply) => {
    if (exempt.includes(request.routeOptions.url ?? '')) return;
    const leave = guard.enter();
    const share = guard.body();
    request.bodyShare = share;
    // The answer may never be sent: a connection that closes ends the request, too.
    reply.raw.once('close', () => {
      leave();
      share.release();
    });
  });
  const ends = [
    meter.read('countersign_requests_in_flight', () => guard.inFlight, { app }),
    meter.read('countersign_body_bytes', () => guard.bodyBytes, { app }),
    meter.read('countersign_event_loop_lag_seconds', () => loop.lagMs / 1_000, { app }),
  ];
  return {
    guard,
    lagMs,
    stop: () => {
      loop.stop();
      ends.forEach((end) => end());
    },
  };
}
