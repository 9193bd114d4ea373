/**
 * The one door that nearly all requests come to, answered on Node's own server: the same checks in the same order as at every door,
 * without the framework around them, which costs more than they do.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { DoorError, errorBody, type ErrorCode, type InspectedJson } from '@countersign/contracts';
import { readJsonBody } from './body-reader.js';
import type { DoorGuard } from './door-guard.js';
import { toDoorError } from './error-mapping.js';
import type { LogFailure } from './error-filter.js';
import type { createHostCheck } from './host-check.js';
import type { LoadGuard } from './load/load-guard.js';
import type { LogRequest } from './logging.js';
import type { Principal } from './principal.js';
import { ClientLeft } from './read-bytes.js';

/** A `POST` door whose body is JSON with flaws that the door judges by itself. Needs a row in the door table and a route, as every door. */
export interface QuickDoor {
  readonly path: string;
  /** The answer's body. `note` adds ids to the request's log line. Whatever is thrown is told as at every door. */
  answer(asked: QuickRequest): Promise<unknown>;
}

export interface QuickRequest {
  readonly body: InspectedJson;
  readonly principal: Principal;
  readonly response: ServerResponse;
  readonly note: (fields: Record<string, string>) => void;
}

export interface QuickDoorDeps {
  readonly load: LoadGuard;
  readonly isOurs: ReturnType<typeof createHostCheck>;
  readonly guard: Pick<DoorGuard, 'admitKey'>;
  readonly bodyLimit: number;
  readonly log: LogRequest;
  readonly logFailure: LogFailure;
  readonly onFailure: (code: ErrorCode) => void;
  /** Seconds and status of an answered request. */
  readonly onAnswered: (seconds: number, status: number) => void;
  readonly isClosing: () => boolean;
}

/** Takes the door's requests from the framework. While the server closes, and for every other spelling of the path, it answers. */
export function installQuickDoor(server: Server, door: QuickDoor, deps: QuickDoorDeps): void {
  const others = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const serve = serving(door, deps);
  server.on('request', (request, response) => {
    if (request.url === door.path && request.method === 'POST' && !deps.isClosing()) void serve(request, response);
    else for (const other of others) other.call(server, request, response);
  });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly began: number;
  readonly id: string;
  principal: Principal | null;
  fields: Record<string, string>;
  /** While a body is being read, a failure leaves the connection in the middle of it. */
  reading: boolean;
}

function serving(door: QuickDoor, deps: QuickDoorDeps) {
  let last = 0;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = `quick-${(last += 1)}`;
    const exchange: Exchange = {
      request,
      response,
      began: performance.now(),
      id,
      principal: null,
      fields: {},
      reading: false,
    };
    try {
      const body = await admit(exchange, door, deps);
      send(exchange, 200, JSON.stringify(body));
    } catch (error) {
      sendFailure(exchange, error, deps);
    }
    finish(exchange, door, deps);
  };
}

async function admit(exchange: Exchange, door: QuickDoor, deps: QuickDoorDeps): Promise<unknown> {
  const { request, response } = exchange;
  const share = enter(response, deps);
  if (!deps.isOurs(request.headers)) throw new DoorError('auth.host');
  const principal = await deps.guard.admitKey('POST', door.path, request.headers.authorization);
  exchange.principal = principal;
  exchange.reading = true;
  const body = await readJsonBody(request, share, deps.bodyLimit);
  exchange.reading = false;
  if (body === null) throw new DoorError('request.malformed');
  const note = (fields: Record<string, string>): void => void Object.assign(exchange.fields, fields);
  return door.answer({ body, principal, response, note });
}

/** Counts the request among those in flight until its connection or its answer has ended. */
function enter(response: ServerResponse, { load }: QuickDoorDeps) {
  const leave = load.enter();
  const share = load.body();
  response.once('close', () => {
    leave();
    share.release();
  });
  return share;
}

function send({ response }: Exchange, status: number, text: string, more: Record<string, string> = {}): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...more,
  });
  response.end(text);
}

function sendFailure(exchange: Exchange, error: unknown, { onFailure, logFailure }: QuickDoorDeps): void {
  if (error instanceof ClientLeft) return void Object.assign(exchange.fields, { cause: error.message });
  const told = toDoorError(error);
  onFailure(told.code);
  Object.assign(exchange.fields, logFailure(told, error, exchange.id));
  const more = {
    ...(told.status === 503 ? { 'retry-after': '1' } : {}),
    ...(exchange.reading ? { connection: 'close' } : {}),
  };
  send(exchange, told.status, JSON.stringify(errorBody(told)), more);
}

function finish({ response, began, id, principal, fields }: Exchange, door: QuickDoor, deps: QuickDoorDeps): void {
  const ms = performance.now() - began;
  // Nothing is sent to a client that has left.
  const status = response.headersSent ? response.statusCode : null;
  if (status !== null) deps.onAnswered(ms / 1_000, status);
  deps.log({ id, method: 'POST', route: door.path, status, ms, principal, fields });
}
