/** `/healthz`: the process answers. `/readyz`: what it needs answers too, and it is not about to leave. */
import type { FastifyInstance } from 'fastify';
import { endsWithin } from './ends-within.js';

/** Resolves when the service answers; anything else counts as not ready. */
export type Probe = () => Promise<unknown>;

export const HEALTH_ROUTES = ['/healthz', '/readyz'] as const;
const PROBE_LIMIT_MS = 1_000;

/** Installs both; `isClosing` turns readiness red before connections are refused. */
export function installHealth(
  fastify: FastifyInstance,
  probes: Readonly<Record<string, Probe>>,
  isClosing: () => boolean,
): void {
  fastify.get('/healthz', async () => ({ status: 'ok' }));
  fastify.get('/readyz', async (_request, reply) => {
    const names = Object.keys(probes);
    const answers = await Promise.all(Object.values(probes).map((probe) => answersInTime(probe)));
    const needs = Object.fromEntries(names.map((name, i) => [name, answers[i] ? 'ok' : 'no answer']));
    const ready = !isClosing() && answers.every(Boolean);
    void reply.code(ready ? 200 : 503);
    return { status: isClosing() ? 'closing' : ready ? 'ready' : 'not ready', needs };
  });
}

/** A probe that throws at once has failed like one that rejects. */
function answersInTime(probe: Probe): Promise<boolean> {
  return endsWithin(PROBE_LIMIT_MS, (async () => probe())());
}
