/** Every failure becomes one row of the error table and one form of body. */
import { HttpException } from '@nestjs/common';
import { createRedactor } from '@countersign/redaction';
import { DoorError, ERRORS, type ErrorCode } from '@countersign/contracts';
import { ClientLeft } from './read-bytes.js';

/** Codes of Node, of Postgres and of its driver that mean: the service is not there, or too busy to answer; try again. */
const AWAY =
  /^(ECONN\w+|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|57P0\d|57014|53\d{3}|08\w{3}|40001|40P01|55P03)$/;
const AWAY_MESSAGE =
  /^(timeout exceeded when trying to connect|connection terminated|client has encountered a connection)/i;
/** HTTP statuses that Fastify and Nest make themselves. */
const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'request.malformed',
  404: 'door.unknown',
  405: 'door.method',
  413: 'request.too_large',
  414: 'request.malformed',
  415: 'request.malformed',
  503: 'overloaded',
};

/**
 * The DoorError that tells a caller of any failure; `internal.error` for what nobody expected. INVARIANT: what was sent may stand in
 * it, but no secret of it: answers end in logs of clients and in transcripts of agents.
 */
export function toDoorError(error: unknown): DoorError {
  if (error instanceof DoorError) return withoutSecrets(error);
  if (error instanceof ClientLeft) return new DoorError('request.malformed');
  const { code, message } = describe(error);
  // Errors of the queue carry a code of the table.
  if (code !== null && Object.hasOwn(ERRORS, code)) return new DoorError(code as ErrorCode);
  if ((code !== null && AWAY.test(code)) || AWAY_MESSAGE.test(message)) return new DoorError('unavailable');
  return new DoorError(BY_STATUS[statusOf(error)] ?? 'internal.error');
}

/** The same error where it holds no secret. */
function withoutSecrets(error: DoorError): DoorError {
  const { code, details } = error;
  if (details === undefined && error.message === ERRORS[code].message) return error;
  const redactor = createRedactor(() => '0000');
  const message = redactor.text(error.message);
  const shown = details === undefined ? undefined : (redactor.json(details) as Record<string, unknown>);
  return redactor.found().length === 0 ? error : new DoorError(code, message, shown);
}

/** Told by shape, not by class: drivers and other realms have errors of their own. */
function describe(error: unknown): { code: string | null; message: string } {
  return { code: textField(error, 'code'), message: textField(error, 'message') ?? '' };
}

function textField(error: unknown, name: string): string | null {
  const value = field(error, name);
  return typeof value === 'string' ? value : null;
}

function field(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  return Number(field(error, 'statusCode') ?? 500);
}
