/** Log lines as JSON. Fields pass by a list of what may be written; nothing of what agents send is on it. */
import type { LoggerService } from '@nestjs/common';
import { NO_METER, type Meter } from '@countersign/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { destination, pino, type DestinationStream, type Logger, type LoggerOptions as LoggerSettings } from 'pino';
import { createLineLimit, type LineLimit } from './line-limit.js';
import { withoutSecrets, writableFields } from './log-fields.js';

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

/** A refusal stays a warning where its answer has another status, as hooks get it. */
function levelOf(request: FastifyRequest, { statusCode }: FastifyReply): 'error' | 'warn' | 'info' | 'debug' {
  if (statusCode === 503 || request.logFields?.refused !== undefined) return 'warn';
  if (statusCode >= 500) return 'error';
  return statusCode >= 400 ? 'info' : 'debug';
}

/** Lines of one kind that are written in ten seconds: an outage or a flood refuses thousands of requests in that time. */
const LINES = { lines: 20, spanMs: 10_000 };

/** One line per finished request: the route, never the query or the body; good ones only when debugging. */
export function installRequestLog(fastify: FastifyInstance, logger: Logger, meter: Meter = NO_METER): void {
  const limit = createLineLimit({ ...LINES, onLeftOut: () => meter.count('countersign_log_lines_left_out_total') });
  fastify.addHook('onResponse', async (request, reply) => {
    const level = levelOf(request, reply);
    if (!logger.isLevelEnabled(level)) return;
    const room = level === 'debug' ? { leftOut: 0 } : roomFor(limit, request, reply);
    if (room === null) return;
    logger[level](
      {
        reqId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        keyId: request.principal?.keyId,
        tenantId: request.principal?.tenantId,
        ...request.logFields,
        ...(room.leftOut > 0 ? { leftOut: room.leftOut } : {}),
      },
      'request',
    );
  });
}

function roomFor(limit: LineLimit, request: FastifyRequest, { statusCode }: FastifyReply) {
  const { logFields, routeOptions } = request;
  return limit.take(`${statusCode} ${logFields?.refused ?? routeOptions.url ?? ''}`, performance.now());
}
