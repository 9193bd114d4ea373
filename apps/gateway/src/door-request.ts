/** What the doors read of an HTTP exchange. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyShare } from '@countersign/server';

/** The part of a request that controllers read themselves. */
export interface RawRequest {
  readonly raw: IncomingMessage;
  /** Its share of the budget for bodies. */
  readonly bodyShare: BodyShare | null;
}

/** The part of a reply that controllers watch. */
export interface RawReply {
  readonly raw: ServerResponse;
}
