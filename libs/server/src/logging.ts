/** Log lines as JSON, without secrets and without what agents send. */
import type { LoggerService } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { destination, pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

const SECRET = [
  'authorization',
  'cookie',
  '["set-cookie"]',
  'args',
  'command',
  'tool_input',
  'input',
  'updatedInput',
  'secret',
  'password',
  'calls',
];
/** The field by itself and up to three levels down. */
const PATHS = SECRET.flatMap((field) =>
  ['', '*', '*.*', '*.*.*'].map((prefix) =>
    field.startsWith('[') || prefix === '' ? prefix + field : `${prefix}.${field}`,
  ),
);

export interface LoggerOptions {
  /** Name of the app in every line. */
  readonly name: string;
  readonly level: string;
  /** Standard output unless given. */
  readonly stream?: DestinationStream;
}

/** A pino logger; `silent` writes nothing. */
export function createLogger({ name, level, stream }: LoggerOptions): Logger {
  const options = { name, level, redact: { paths: PATHS, censor: '[redacted]' }, base: { name } };
  return pino(options, stream ?? destination({ fd: 1, sync: false }));
}

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

/** One line per finished request: the route, never the query or the body; good ones only when debugging. */
export function installRequestLog(fastify: FastifyInstance, logger: Logger): void {
  fastify.addHook('onResponse', async (request, reply) => {
    const level = levelOf(request, reply);
    if (!logger.isLevelEnabled(level)) return;
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
      },
      'request',
    );
  });
}
