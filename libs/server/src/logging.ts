/** Log lines as JSON. Fields pass by a list of what may be written; nothing of what agents send is on it. */
import type { LoggerService } from '@nestjs/common';
import { NO_METER, type Meter } from '@countersign/contracts';
import type { FastifyInstance } from 'fastify';
import { destination, pino, type DestinationStream, type Logger, type LoggerOptions as LoggerSettings } from 'pino';
import { createLineLimit, type LineLimit } from './line-limit.js';
import { withoutSecrets, writableFields } from './log-fields.js';
import type { Principal } from './principal.js';

export type { Logger } from 'pino';

export interface LoggerOptions {
  /** Name of the app in every line. */
  readonly name: string;
  readonly level: string;
  /** Standard output unless given. */
  readonly stream?: DestinationStream;
}

/** A pino logger; `silent` writes nothing. */
export function createLogger({ name, level, stream }: LoggerOptions): Logger {
  // pino's own serializer of `err` would write everything that hangs on an error.
  const serializers = { err: (error: unknown) => error };
  const options = {
    name,
    level,
    base: { name },
    formatters: { log: writableFields },
    serializers,
    hooks: { logMethod },
  };
  return pino(options, stream ?? destination({ fd: 1, sync: false }));
}

type LogMethod = NonNullable<NonNullable<LoggerSettings['hooks']>['logMethod']>;

/** The messages themselves are ours, but what they quote may not be. */
const logMethod: LogMethod = function cleanMessage(parts, method) {
  const clean = parts.map((part: unknown) => (typeof part === 'string' ? withoutSecrets(part) : part));
  method.apply(this, clean as typeof parts);
};

/** Nest's own messages in the same log; its chatter at start-up is for debugging. */
export function nestLogger(logger: Logger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error' | 'trace' | 'fatal') =>
    (message: unknown, ...rest: unknown[]) => {
      const context = rest.at(-1);
      const fields = typeof context === 'string' ? { context } : {};
      if (message instanceof Error) logger[level]({ ...fields, err: message });
      else logger[level](fields, typeof message === 'string' ? message : JSON.stringify(message));
    };
  return {
    log: write('debug'),
    error: write('error'),
    warn: write('warn'),
    debug: write('debug'),
    verbose: write('trace'),
    fatal: write('fatal'),
  };
}

/** A refusal stays a warning where its answer has another status, as hooks get it, or nobody was left to take it. */
function levelOf({ status, fields }: AnsweredRequest): 'error' | 'warn' | 'info' | 'debug' {
  if (status === 503 || fields['refused'] !== undefined) return 'warn';
  if (status === null) return 'debug';
  if (status >= 500) return 'error';
  return status >= 400 ? 'info' : 'debug';
}

/** Lines of one kind that are written in ten seconds: an outage or a flood refuses thousands of requests in that time. */
const LINES = { lines: 20, spanMs: 10_000 };

/**
 * A request that has ended. `route` as registered; `status` null: its client left, and nothing was sent; `ms` from its head to its
 * answer; `fields`: ids that belong into its line.
 */
export interface AnsweredRequest {
  readonly id: string;
  readonly method: string;
  readonly route: string | null;
  readonly status: number | null;
  readonly ms: number;
  readonly principal: Principal | null;
  readonly fields: Readonly<Record<string, string>>;
}

export type LogRequest = (request: AnsweredRequest) => void;

/** One line per finished request: the route, never the query or the body; good ones only when debugging. */
export function createRequestLog(logger: Logger, meter: Meter = NO_METER): LogRequest {
  const limit = createLineLimit({ ...LINES, onLeftOut: () => meter.count('countersign_log_lines_left_out_total') });
  return (request) => {
    const level = levelOf(request);
    if (!logger.isLevelEnabled(level)) return;
    const room = level === 'debug' ? { leftOut: 0 } : roomFor(limit, request);
    if (room === null) return;
    const { id, method, route, status, ms, principal, fields } = request;
    logger[level](
      {
        reqId: id,
        method,
        route,
        status: status ?? undefined,
        ms: Math.round(ms),
        keyId: principal?.keyId,
        tenantId: principal?.tenantId,
        ...fields,
        ...(room.leftOut > 0 ? { leftOut: room.leftOut } : {}),
      },
      'request',
    );
  };
}

/** Logs every request that the framework answered. */
export function installRequestLog(fastify: FastifyInstance, log: LogRequest): void {
  fastify.addHook('onResponse', async (request, reply) => {
    const { id, method, routeOptions, principal, logFields: fields = {} } = request;
    const { statusCode: status, elapsedTime: ms } = reply;
    log({ id, method, route: routeOptions.url ?? null, status, ms, principal, fields });
  });
}

function roomFor(limit: LineLimit, { status, fields, route }: AnsweredRequest) {
  return limit.take(`${status} ${fields['refused'] ?? route ?? ''}`, performance.now());
}
