/** Answers what is no HTTP request, or none that can be taken, in the one error form, and lets go of its connection. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { DoorError, errorBody, type ErrorCode } from '@countersign/contracts';
import type { Logger } from 'pino';

export interface ClientErrorDeps {
  readonly logger: Logger;
  /** Hears of every failure that is told. */
  readonly onFailure: (code: ErrorCode) => void;
}

/** What Node knows of a connection: the answer that is being made on it, and the request that arrives or arrived last. */
type Answering = Socket & {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: { readonly complete: boolean } | null } | null;
};

/** For Node's `clientError`: the parser gave up, or the request took too long to arrive. Nothing that was sent is repeated or logged. */
export function answerClientErrors({ logger, onFailure }: ClientErrorDeps) {
  // Of what comes behind a broken request every piece is an error again.
  const refused = new WeakSet<Socket>();
  return (error: Error & { readonly code?: string }, socket: Answering): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed || refused.has(socket)) return;
    refused.add(socket);
    const told = doorErrorOf(error.code);
    onFailure(told.code);
    logger.debug({ code: told.code, cause: error.code }, 'a request that cannot be read');
    if (socket.parser?.incoming?.complete === false) refuse(socket, told);
    else afterAnswers(socket, () => refuse(socket, told));
  };
}

/** Requests that came whole before the broken one get their own answers first: the refusal would be read as theirs. */
function afterAnswers(socket: Answering, then: () => void): void {
  const answer = socket._httpMessage;
  if (answer === undefined || answer === null) then();
  else answer.once('close', () => setImmediate(afterAnswers, socket, then));
}

/** An answer that has begun cannot be taken back: another one behind it would be read as a part of it. */
function refuse(socket: Answering, told: DoorError): void {
  if (socket.writable && socket._httpMessage?.headersSent !== true) socket.write(answerText(told));
  socket.destroy();
}

function doorErrorOf(code: string | undefined): DoorError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new DoorError('request.headers_too_large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new DoorError('request.timeout');
    default:
      return new DoorError(
        'request.malformed',
        'this is no HTTP/1.1 request, or its length is not what its headers say',
      );
  }
}

/** A whole answer, after which the connection ends. */
export function answerText(told: DoorError): string {
  const body = JSON.stringify(errorBody(told));
  const head = [
    `HTTP/1.1 ${told.status} ${STATUS_CODES[told.status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
