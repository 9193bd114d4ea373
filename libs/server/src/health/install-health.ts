/** The health routes of a server with doors. */
import type { FastifyInstance } from 'fastify';
import { createHealth, type HealthDeps } from './health.js';

export function installHealth(fastify: FastifyInstance, deps: HealthDeps): void {
  const health = createHealth(deps);
  fastify.get('/healthz', async (_request, reply) => {
    const { status, body } = health.alive();
    void reply.code(status).header('cache-control', 'no-store');
    return body;
  });
  fastify.get('/readyz', async (_request, reply) => {
    const { status, body } = await health.ready();
    void reply.code(status).header('cache-control', 'no-store');
    return body;
  });
}
