/** `Idempotency-Key` on POST doors: the same sender's same request gets the first answer again. */
import { createHash } from 'node:crypto';
import { DoorError } from '@countersign/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** One request as its sender repeats it. `scope` is the person or key; `requestHash` covers method, path and body. */
export interface IdempotentRequest {
  readonly tenantId: string;
  readonly scope: string;
  readonly key: string;
  readonly requestHash: string;
}

/** Where first answers are kept. */
export interface IdempotencyStore {
  begin(
    request: IdempotentRequest,
  ): Promise<
    | { kind: 'first' }
    | { kind: 'repeated'; status: number; response: string }
    | { kind: 'running' }
    | { kind: 'reused' }
  >;
  finish(request: IdempotentRequest, answer: { status: number; response: string }): Promise<void>;
  forget(request: IdempotentRequest): Promise<void>;
}

export interface IdempotencyOptions {
  readonly store: IdempotencyStore;
  readonly logger: Logger;
  /** Routes that recognise repetitions by a key of their own; the header means nothing there. */
  readonly exceptRoutes: readonly string[];
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Installs the two hooks. The second one must see the answer after everything else, so install it last. */
export function installIdempotency(fastify: FastifyInstance, options: IdempotencyOptions): void {
  const first = new WeakMap<FastifyRequest, IdempotentRequest>();
  fastify.addHook('preHandler', async (request, reply) => {
    const repeatable = identify(request, options.exceptRoutes);
    if (!repeatable) return undefined;
    const remembered = await options.store.begin(repeatable);
    switch (remembered.kind) {
      case 'first':
        first.set(request, repeatable);
        return undefined;
      case 'repeated':
        return replay(reply, remembered);
      case 'running':
        throw new DoorError('idempotency.running');
      case 'reused':
        throw new DoorError('idempotency.reused');
    }
  });
  fastify.addHook('onSend', async (request, reply, payload) => {
    const repeatable = first.get(request);
    if (!repeatable) return payload;
    first.delete(request);
    try {
      await keep(options.store, repeatable, { status: reply.statusCode, response: payload });
    } catch (error) {
      // What was asked for is done; only its repetition will not be recognised.
      options.logger.error({ err: error, reqId: request.id }, 'an idempotent answer could not be kept');
    }
    return payload;
  });
}

function identify(request: FastifyRequest, exceptRoutes: readonly string[]): IdempotentRequest | null {
  const key = request.headers['idempotency-key'];
  const { principal } = request;
  if (request.method !== 'POST' || key === undefined || !principal) return null;
  if (exceptRoutes.some((route) => route === request.routeOptions.url)) return null;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new DoorError('request.invalid', 'the Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
  const { tenantId, personId, keyId } = principal;
  return { tenantId, scope: personId ?? keyId, key, requestHash: hashOf(request) };
}

function hashOf(request: FastifyRequest): string {
  const text = JSON.stringify([request.method, request.url, request.inspected?.text ?? '']);
  return createHash('sha256').update(text).digest('hex');
}

function replay(reply: FastifyReply, { status, response }: { status: number; response: string }): FastifyReply {
  return reply
    .code(status)
    .header('idempotency-replayed', 'true')
    .type('application/json; charset=utf-8')
    .send(response);
}

/** A failure of ours is forgotten: repeating the request may mend it. */
async function keep(
  store: IdempotencyStore,
  request: IdempotentRequest,
  { status, response }: { status: number; response: unknown },
): Promise<void> {
  if (status >= 500 || typeof response !== 'string') await store.forget(request);
  else await store.finish(request, { status, response });
}
