/** Makes a Nest module into a server: the doors' guard, strict bodies, one error form, health, log and an orderly end. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DoorError, NO_METER, NO_TRACING, type Door, type ErrorCode, type Tracing } from '@countersign/contracts';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Authenticator } from './auth.js';
import { answerClientErrors } from './client-errors.js';
import { installBodyReader } from './body-reader.js';
import type { CookieSessions } from './cookie-sessions.js';
import { createDoorGuard, type DoorGuard } from './door-guard.js';
import { ErrorFilter, logFailure, type RenderFailure } from './error-filter.js';
import { answerFrameworkErrors } from './framework-errors.js';
import { HEALTH_ROUTES, type HealthDeps } from './health/health.js';
import { installHealth } from './health/install-health.js';
import type { Probe } from './health/probes.js';
import { createHostCheck } from './host-check.js';
import { installIdempotency, type IdempotencyStore } from './idempotency.js';
import { installLoadGuard, type InstalledLoad } from './load/install-load-guard.js';
import type { LoadLimits } from './load/load-guard.js';
import { createRequestLog, installRequestLog, nestLogger, type LogRequest } from './logging.js';
import { listenOrExplain } from './listen.js';
import { installMetrics, statusClass, type MetricsDoor } from './metrics/install-metrics.js';
import { QueryGuard } from './query-guard.js';
import { answerUpgrades } from './plain-upgrades.js';
import { installQuickDoor, type QuickDoor } from './quick-door.js';
import { BODY_LIMIT } from './read-bytes.js';
import { SchemaPipe } from './schema-pipe.js';
import { isSocketUrl } from './socket-adapter.js';
import { installTracing } from './tracing/install-tracing.js';

export interface ServerAppOptions {
  /** Which rows of the door table this server serves. */
  readonly app: Door['app'];
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Host names, besides loopback and `host`, that people reach us by. */
  readonly allowedHosts?: readonly string[];
  readonly logger: Logger;
  readonly authenticator: Authenticator;
  readonly cookies?: CookieSessions;
  readonly idempotency?: IdempotencyStore;
  /** What `/readyz` asks, by name. */
  readonly probes?: Readonly<Record<string, Probe>>;
  /** `GET` routes that need no key and stand in no table: static files. */
  readonly openRoutes?: readonly string[];
  /** Routes whose controllers read the body's stream themselves. */
  readonly rawRoutes?: readonly string[];
  /** Routes whose controllers judge flaws of the JSON themselves, by `request.inspected`. */
  readonly lenientRoutes?: readonly string[];
  /** POST routes where `Idempotency-Key` means nothing. */
  readonly selfKeyedRoutes?: readonly string[];
  /** A route of this server that is answered before the framework, unless requests are traced. */
  readonly quickDoor?: QuickDoor;
  readonly renderFailure?: RenderFailure;
  readonly bodyLimit?: number;
  /** What is refused as `overloaded`; sensible limits unless given. */
  readonly limits?: Partial<LoadLimits>;
  /** Absent: nothing is measured and `/metrics` is no door. */
  readonly metrics?: MetricsDoor;
  readonly tracing?: Tracing;
  /** How long `/readyz` is red before connections are refused, so that load balancers turn away first; 0 by default. */
  readonly leaveMs?: number;
  /** Runs once nothing new is accepted: what waits within this app is to end, so that its requests can. */
  readonly onLeave?: () => Promise<void>;
  /** Last touches before the server listens, such as a socket adapter. */
  readonly configure?: (app: NestFastifyApplication) => void | Promise<void>;
}

export interface ServerApp {
  /** Base URL with the real port. */
  readonly url: string;
  readonly app: NestFastifyApplication;
  /** Readiness turns red, running requests end, connections close; cut after 10 s. */
  close(): Promise<void>;
}

const CLOSE_LIMIT_MS = 10_000;
/** Routes of whoever watches us: answered under any load, under any name. */
const WATCHED_ROUTES: readonly string[] = [...HEALTH_ROUTES, '/metrics'];

/** Starts the server. Throws CannotListen in one line, or an Error that names routes outside of the door table. */
export async function createServerApp(module: Type | object, options: ServerAppOptions): Promise<ServerApp> {
  const onFailure = (code: ErrorCode): void =>
    options.metrics?.metrics.meter.count('countersign_errors_total', { app: options.app, code });
  const adapter = makeAdapter(options, onFailure);
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  const state = { closing: false };
  const doors = installDoors(fastify, options, state);
  const { guard, load } = doors;
  const app = await NestFactory.create<NestFastifyApplication>(module as Type, adapter, {
    bodyParser: false,
    logger: nestLogger(options.logger),
    abortOnError: false,
  });
  const { logger, renderFailure } = options;
  app.useGlobalGuards(new QueryGuard());
  app.useGlobalPipes(new SchemaPipe());
  app.useGlobalFilters(
    new ErrorFilter({
      logger,
      knowsPath: guard.knowsPath,
      onFailure,
      ...(renderFailure ? { renderFailure } : {}),
    }),
  );
  await options.configure?.(app);
  try {
    await app.init();
    guard.checkRoutes();
    answerUpgrades(app.getHttpServer() as Server, isSocketUrl);
    if (options.quickDoor) openQuickDoor(app, options.quickDoor, { ...doors, options, state, onFailure });
    await listenOrExplain(app, options);
  } catch (error) {
    load.stop();
    await app.close();
    throw error;
  }
  const close = async (): Promise<void> => {
    await closeApp(app, state, options);
    load.stop();
  };
  return { url: urlOf(app, options.host), app, close };
}

function makeAdapter(options: ServerAppOptions, onFailure: (code: ErrorCode) => void): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: options.bodyLimit ?? BODY_LIMIT,
    // A whole request, headers and body, has this long to arrive.
    requestTimeout: 120_000,
    // Longer than the usual 60 s of load balancers, so that they, not we, end idle connections.
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    // While closing, requests that still arrive are answered: to some agents a bare 503 means "go ahead".
    return503OnClosing: false,
    // A doubled slash, as a base URL with a final slash makes it, is the same door.
    routerOptions: { maxParamLength: 1_024, ignoreDuplicateSlashes: true },
    // Node would refuse a missing Host with an empty answer; the host check does it in our form.
    http: { requireHostHeader: false },
    clientErrorHandler: answerClientErrors({ logger: options.logger, onFailure }),
    frameworkErrors: answerFrameworkErrors(options.renderFailure),
  });
}

/** What stands before every door. */
interface Doors {
  readonly guard: DoorGuard;
  readonly load: InstalledLoad;
  readonly isOurs: ReturnType<typeof createHostCheck>;
  readonly log: LogRequest;
}

/** Everything that must stand before the first route. The order of the hooks is the order of the checks. */
function installDoors(fastify: FastifyInstance, options: ServerAppOptions, state: { closing: boolean }): Doors {
  fastify.decorateRequest('principal', null);
  fastify.decorateRequest('inspected', null);
  fastify.decorateRequest('logFields');
  const { bodyLimit = BODY_LIMIT, rawRoutes = [], lenientRoutes = [], openRoutes = [] } = options;
  const guard = createDoorGuard(fastify, { ...options, openRoutes: [...openRoutes, ...HEALTH_ROUTES] });
  const isOurs = createHostCheck(options);
  const load = installChecks(fastify, options, { guard, isOurs });
  fastify.addHook('onSend', async (_request, reply) => {
    if (state.closing) void reply.header('connection', 'close');
  });
  installBodyReader(fastify, { bodyLimit, rawRoutes, lenientRoutes });
  const log = createRequestLog(options.logger, options.metrics?.metrics.meter);
  installRequestLog(fastify, log);
  installWatching(fastify, options, { isClosing: () => state.closing, lagMs: load.lagMs });
  if (options.idempotency) {
    const { idempotency: store, logger, selfKeyedRoutes: exceptRoutes = [] } = options;
    installIdempotency(fastify, { store, logger, exceptRoutes });
  }
  return { guard, load, isOurs, log };
}

/** Of every request, before its body is read: room, Host and Origin, key and role. */
function installChecks(
  fastify: FastifyInstance,
  options: ServerAppOptions,
  { guard, isOurs }: Pick<Doors, 'guard' | 'isOurs'>,
): InstalledLoad {
  const { app, limits, metrics, tracing = NO_TRACING } = options;
  fastify.addHook('onRequest', async (request) => {
    request.logFields = {};
  });
  installTracing(fastify, tracing, WATCHED_ROUTES);
  const load = installLoadGuard(fastify, { app, limits, meter: metrics?.metrics.meter, exempt: WATCHED_ROUTES });
  fastify.addHook('onRequest', async (request) => {
    const watched = WATCHED_ROUTES.some((route) => route === request.routeOptions.url);
    if (!watched && !isOurs(request.headers)) throw new DoorError('auth.host');
    await guard.admit(request);
  });
  return load;
}

/** What tells others how it goes: metrics, health. */
function installWatching(
  fastify: FastifyInstance,
  { app, metrics, authenticator, probes = {} }: ServerAppOptions,
  state: Omit<HealthDeps, 'probes'>,
): void {
  if (metrics) installMetrics(fastify, { ...metrics, app, authenticator });
  installHealth(fastify, { ...state, probes });
}

interface QuickDoorParts extends Doors {
  readonly options: ServerAppOptions;
  readonly state: { readonly closing: boolean };
  readonly onFailure: (code: ErrorCode) => void;
}

/** A trace is made by the framework's hooks, so with tracing on the door is one like all others. */
function openQuickDoor(app: NestFastifyApplication, door: QuickDoor, parts: QuickDoorParts): void {
  const { options, state, load, log, ...checks } = parts;
  if (options.tracing?.on === true) return;
  const { meter = NO_METER } = options.metrics?.metrics ?? {};
  installQuickDoor(app.getHttpServer(), door, {
    ...checks,
    log,
    load: load.guard,
    bodyLimit: options.bodyLimit ?? BODY_LIMIT,
    logFailure: logFailure(options.logger),
    isClosing: () => state.closing,
    onAnswered: (seconds, status) =>
      meter.observe('countersign_door_seconds', seconds, {
        app: options.app,
        door: door.path,
        status: statusClass(status),
      }),
  });
}

function urlOf(app: NestFastifyApplication, host: string): string {
  const { port } = app.getHttpServer().address() as AddressInfo;
  const name = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Red first, so that balancers turn away; then nothing new comes in, what runs ends, and what does not is cut. */
async function closeApp(
  app: NestFastifyApplication,
  state: { closing: boolean },
  { logger, leaveMs = 0, onLeave = async () => undefined }: ServerAppOptions,
): Promise<void> {
  if (state.closing) return;
  state.closing = true;
  logger.info('leaving: not ready any more');
  if (leaveMs > 0) await new Promise((resolve) => setTimeout(resolve, leaveMs));
  const server = app.getHttpServer();
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_LIMIT_MS);
  try {
    const closed = app.close();
    logger.info('leaving: takes no new connections');
    await Promise.all([closed, onLeave()]);
    logger.info('leaving: every request has ended');
  } finally {
    clearTimeout(cut);
  }
}
