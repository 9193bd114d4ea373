/** What the doors read of an HTTP exchange. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The part of a request that controllers read themselves. */
export interface RawRequest {
  readonly raw: IncomingMessage;
}

/** The part of a reply that controllers watch. */
export interface RawReply {
  readonly raw: ServerResponse;
}

/** Fires when the client closes the connection before it got its answer. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
