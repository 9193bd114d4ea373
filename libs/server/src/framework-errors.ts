/** What Fastify refuses before any route or hook is reached, told in the one error form. */
import { DoorError, errorBody } from '@countersign/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RenderFailure } from './error-filter.js';
import { toDoorError } from './error-mapping.js';

/** For Fastify's `frameworkErrors`: urls that cannot be decoded, and ids longer than any of ours. */
export function answerFrameworkErrors(renderFailure: RenderFailure | undefined) {
  return (error: { readonly code: string }, request: FastifyRequest, reply: FastifyReply): void => {
    const told = doorErrorOf(error);
    const rendered = renderFailure?.(told, request) ?? { status: told.status, body: errorBody(told) };
    void reply.code(rendered.status).type('application/json; charset=utf-8').send(JSON.stringify(rendered.body));
  };
}

function doorErrorOf(error: { readonly code: string }): DoorError {
  switch (error.code) {
    case 'FST_ERR_BAD_URL':
      return new DoorError('request.malformed', 'the url cannot be decoded');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new DoorError('door.unknown', 'the url holds an id that is longer than any of ours');
    default:
      return toDoorError(error);
  }
}
