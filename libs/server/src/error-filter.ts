/** Answers failures of every kind, also those of Fastify itself, with the one error body. */
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { DoorError, errorBody } from '@countersign/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { toDoorError } from './error-mapping.js';

/** Says otherwise how a failure is told, for doors whose clients read another form; null: the one error body. */
export type RenderFailure = (error: DoorError, request: FastifyRequest) => { status: number; body: unknown } | null;

export interface ErrorFilterOptions {
  readonly logger: Logger;
  readonly knowsPath: (url: string) => boolean;
  readonly renderFailure?: RenderFailure;
}

@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly options: ErrorFilterOptions) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    const mapped = toDoorError(error);
    const told = mapped.code === 'door.unknown' && this.options.knowsPath(request.url) ? methodError(request) : mapped;
    if (told.status >= 500) this.options.logger.error({ err: error, code: told.code, reqId: request.id }, told.message);
    if (reply.sent) return;
    const rendered = this.options.renderFailure?.(told, request) ?? { status: told.status, body: errorBody(told) };
    if (rendered.status === 503) void reply.header('retry-after', '1');
    void reply.code(rendered.status).type('application/json; charset=utf-8').send(JSON.stringify(rendered.body));
  }
}

/** A controller's own `door.unknown` on a path of the table stays what it is. */
function methodError(request: FastifyRequest): DoorError {
  return request.is404 ? new DoorError('door.method') : new DoorError('door.unknown');
}
