/** Answers failures of every kind, also those of Fastify itself, with the one error body. */
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { DoorError, errorBody, type ErrorCode } from '@countersign/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { toDoorError } from './error-mapping.js';
import { ClientLeft } from './read-bytes.js';

/** Says otherwise how a failure is told, for doors whose clients read another form; null: the one error body. */
export type RenderFailure = (error: DoorError, request: FastifyRequest) => { status: number; body: unknown } | null;

export interface ErrorFilterOptions {
  readonly logger: Logger;
  readonly knowsPath: (url: string) => boolean;
  readonly renderFailure?: RenderFailure;
  /** Hears of every failure that is told. */
  readonly onFailure?: (code: ErrorCode) => void;
}

@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly options: ErrorFilterOptions) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    if (error instanceof ClientLeft) return this.leave(error, request, reply);
    const mapped = toDoorError(error);
    const told = mapped.code === 'door.unknown' && this.options.knowsPath(request.url) ? methodError(request) : mapped;
    this.options.onFailure?.(told.code);
    const noted = logFailure(this.options.logger)(told, error, request.id);
    request.logFields = { ...request.logFields, ...noted };
    if (reply.sent) return;
    const rendered = this.options.renderFailure?.(told, request) ?? { status: told.status, body: errorBody(told) };
    if (rendered.status === 503) void reply.header('retry-after', '1');
    void reply.code(rendered.status).type('application/json; charset=utf-8').send(JSON.stringify(rendered.body));
  }

  /** Nothing is sent, and nothing of ours has failed. */
  private leave(
    { message: cause }: ClientLeft,
    { id, method, routeOptions }: FastifyRequest,
    reply: FastifyReply,
  ): void {
    void reply.hijack();
    this.options.logger.debug({ reqId: id, method, route: routeOptions.url, cause }, 'request');
  }
}

/** Writes what is to be written of a failure now, and gives what the request's own line is to say of it. */
export type LogFailure = (told: DoorError, error: unknown, reqId: string) => Record<string, string>;

/** A bug leaves its stack. Being full or waiting for a service is no bug: the request's own line says so, as a warning. */
export function logFailure(logger: Logger): LogFailure {
  return (told, error, reqId) => {
    if (isRefusal(told)) return { refused: told.code, ...causeOf(told, error) };
    if (told.status >= 500) logger.error({ err: error, code: told.code, reqId }, told.message);
    return {};
  };
}

/** Expected, and over as soon as there is room or the service is back. */
function isRefusal(told: DoorError): boolean {
  return told.status === 503;
}

/** What the log of a refusal says of its cause; the error table's own text says nothing new. */
function causeOf(told: DoorError, error: unknown): { cause?: string } {
  const message = error instanceof Error ? error.message : String(error);
  return message === told.message ? {} : { cause: message };
}

/** A controller's own `door.unknown` on a path of the table stays what it is. */
function methodError(request: FastifyRequest): DoorError {
  return request.is404 ? new DoorError('door.method') : new DoorError('door.unknown');
}
