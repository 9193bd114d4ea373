/** `GET /metrics` of a server, and what every server measures by itself: the time and the failures of its doors. */
import { DoorError, type Door } from '@countersign/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from '../auth.js';
import { metricsAccess } from './metrics-access.js';
import type { Metrics } from './metrics.js';

export interface MetricsDoor {
  readonly metrics: Metrics;
  /** Null: none is set. */
  readonly token: string | null;
}

export interface InstallMetrics extends MetricsDoor {
  readonly app: Door['app'];
  readonly authenticator: Authenticator;
}

const READERS: readonly string[] = ['auditor', 'admin'];
const NO_DOOR = 'other';

/** Must run before the first route: the routes that follow are the values of the label `door`. */
export function installMetrics(fastify: FastifyInstance, options: InstallMetrics): void {
  const { metrics, app } = options;
  const { meter } = metrics;
  fastify.addHook('onRoute', (route) => metrics.allow('countersign_door_seconds', 'door', [route.url]));
  fastify.addHook('onResponse', async (request, reply) => {
    const door = request.is404 ? NO_DOOR : (request.routeOptions.url ?? NO_DOOR);
    const status = statusClass(reply.statusCode);
    meter.observe('countersign_door_seconds', reply.elapsedTime / 1_000, { app, door, status });
  });
  fastify.get('/metrics', async (request, reply) => {
    await requireReader(request, options);
    const { contentType, body } = await metrics.text();
    void reply.header('content-type', contentType).header('cache-control', 'no-store');
    return reply.send(body);
  });
}

/** What the label `status` says: `2xx` to `5xx`. */
export function statusClass(status: number): string {
  return `${Math.floor(status / 100)}xx`;
}

async function requireReader(request: FastifyRequest, { token, authenticator }: InstallMetrics): Promise<void> {
  const { remoteAddress } = request.socket;
  if (metricsAccess({ remoteAddress, headers: request.headers }, token) !== 'closed') return;
  const principal = await authenticator.byHeader(request.headers.authorization);
  if (!READERS.includes(principal.role)) throw new DoorError('auth.wrong_role');
}
