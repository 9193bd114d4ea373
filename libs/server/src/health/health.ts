/** `/healthz`: the process answers and is not stuck. `/readyz`: what it needs answers too, and it is not about to leave. */
import { areMet, createProbeSet, type Needs, type Probe } from './probes.js';

export const HEALTH_ROUTES = ['/healthz', '/readyz'] as const;
/** An event loop that is late by this much for longer is stuck: a restart is the only help. */
const STUCK_MS = 10_000;

export interface HealthDeps {
  readonly probes: Readonly<Record<string, Probe>>;
  /** Turns readiness red before connections are refused. */
  readonly isClosing: () => boolean;
  /** Lag of the event loop that lasts, in milliseconds. */
  readonly lagMs: () => number;
}

export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Health {
  alive(): HealthAnswer;
  ready(): Promise<HealthAnswer>;
}

export function createHealth({ probes, isClosing, lagMs }: HealthDeps): Health {
  const set = createProbeSet(probes);
  return {
    alive: () => {
      const lag = Math.round(lagMs());
      const body = { status: lag > STUCK_MS ? 'stuck' : 'ok', lagMs: lag, upSeconds: Math.floor(process.uptime()) };
      return { status: lag > STUCK_MS ? 503 : 200, body };
    },
    ready: async () => {
      // Who leaves says so at once, whatever its needs.
      if (isClosing()) return readiness('closing', {});
      const needs = await set.ask();
      return readiness(isClosing() ? 'closing' : areMet(needs) ? 'ready' : 'not ready', needs);
    },
  };
}

function readiness(status: 'ready' | 'not ready' | 'closing', needs: Needs): HealthAnswer {
  return { status: status === 'ready' ? 200 : 503, body: { status, needs } };
}
