/** A small server for a process without doors: `/healthz`, `/readyz` and `/metrics`, nothing else. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cannotListen } from '../listen.js';
import { watchEventLoop } from '../load/event-loop.js';
import { metricsAccess } from '../metrics/metrics-access.js';
import type { MetricsDoor } from '../metrics/install-metrics.js';
import { createHealth, type Health } from './health.js';
import type { Probe } from './probes.js';

export interface SideServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly probes: Readonly<Record<string, Probe>>;
  /** Null: no metrics. */
  readonly metrics: MetricsDoor | null;
}

export interface SideServer {
  /** Base URL with the real port. */
  readonly url: string;
  /** From now on `/readyz` is red. */
  leave(): void;
  close(): Promise<void>;
}

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** Throws CannotListen in one line. */
export async function startSideServer(options: SideServerOptions): Promise<SideServer> {
  const loop = watchEventLoop();
  let leaving = false;
  const lagMs = (): number => loop.sustainedMs;
  const health = createHealth({ probes: options.probes, isClosing: () => leaving, lagMs });
  const server = createServer((request, response) => {
    answer(request, response, { health, metrics: options.metrics }).catch(() => response.destroy());
  });
  // Probes come one at a time; whoever opens more has lost its way.
  Object.assign(server, { maxConnections: 100, requestTimeout: 10_000 });
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  const name = ['0.0.0.0', '::'].includes(options.host) ? '127.0.0.1' : options.host;
  return {
    url: `http://${name.includes(':') ? `[${name}]` : name}:${port}`,
    leave: () => {
      leaving = true;
    },
    close: async () => {
      loop.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server, { host, port }: SideServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(cannotListen({ host, port }, error) ?? error);
    });
    server.listen({ host, port }, resolve);
  });
}

interface Answers {
  readonly health: Health;
  readonly metrics: MetricsDoor | null;
}

async function answer(request: IncomingMessage, response: ServerResponse, answers: Answers): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0];
  if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405, {});
  switch (path) {
    case '/healthz': {
      const { status, body } = answers.health.alive();
      return end(response, status, body);
    }
    case '/readyz': {
      const { status, body } = await answers.health.ready();
      return end(response, status, body);
    }
    case '/metrics':
      return answerMetrics(request, response, answers.metrics);
    default:
      return end(response, 404, {});
  }
}

async function answerMetrics(
  { socket, headers }: IncomingMessage,
  response: ServerResponse,
  door: MetricsDoor | null,
): Promise<void> {
  if (door === null) return end(response, 404, {});
  const access = metricsAccess({ remoteAddress: socket.remoteAddress, headers }, door.token);
  if (access === 'closed') return end(response, 401, {});
  const { contentType, body } = await door.metrics.text();
  response.writeHead(200, { ...HEADERS, 'content-type': contentType }).end(body);
}

function end(response: ServerResponse, status: number, body: Readonly<Record<string, unknown>>): void {
  response.writeHead(status, HEADERS).end(JSON.stringify(body));
}
