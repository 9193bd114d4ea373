/** One span for each request at a door; what runs for the request finds it as its parent. */
import type { Tracing } from '@countersign/contracts';
import type { FastifyInstance } from 'fastify';

/** Installs nothing when nothing is traced. Health and metrics, in `exempt`, are no part of any trace. */
export function installTracing(fastify: FastifyInstance, tracing: Tracing, exempt: readonly string[]): void {
  if (!tracing.on) return;
  fastify.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown door';
    if (exempt.includes(route)) return done();
    const given = request.headers['traceparent'];
    const span = tracing.start(`${request.method} ${route}`, {
      kind: 'server',
      parent: typeof given === 'string' ? given : null,
      attributes: { 'http.request.method': request.method, 'http.route': route },
    });
    reply.raw.once('close', () => {
      const status = reply.statusCode;
      const sent = reply.raw.headersSent ? { 'http.response.status_code': status } : {};
      span.note({ ...request.logFields, ...sent });
      span.end(status >= 500 || !reply.raw.writableFinished);
    });
    tracing.run(span, done);
  });
}
