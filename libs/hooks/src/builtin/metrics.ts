/** The built-in hook `metrics`: a line for every third step of a session and one for its end, with what the ledger counts of it. */
import type { HookPlugin } from '../plugin.js';

/** What is known of a session: its tool calls by their end, and how long tools ran, in milliseconds, as far as it was reported. */
export interface SessionMetrics {
  readonly calls: number;
  readonly allowed: number;
  readonly denied: number;
  readonly results: number;
  readonly errors: number;
  readonly toolMs: number;
}

export interface MetricsSource {
  readonly log: (line: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Counts from the ledger: the same in every process, and after every restart. */
  readonly snapshot: (tenantId: string, sessionId: string) => Promise<SessionMetrics>;
}

const STEPS_A_LINE = 3;

export function metricsHook(name: string, { log, snapshot }: MetricsSource): HookPlugin {
  return {
    name,
    onStepComplete: async ({ tenantId, sessionId, detail }) => {
      const step = Number(detail['step']);
      if (step % STEPS_A_LINE === 0)
        log('session goes on', { sessionId, step, ...(await snapshot(tenantId, sessionId)) });
    },
    onSessionStop: async ({ tenantId, sessionId, detail }) => {
      log('session ended', { sessionId, reason: detail['reason'], ...(await snapshot(tenantId, sessionId)) });
    },
  };
}
