/** `POST /channels/webhook/answers`: an answer that comes later, signed as Standard Webhooks sign, taken once per `webhook-id`. */
import { createHash } from 'node:crypto';
import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { DoorError, type AskView } from '@countersign/contracts';
import { readBytes, type BodyShare } from '@countersign/server';
import type { FastifyReply } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { WEBHOOK_DESK } from '../../tokens.js';
import { answerOverChannel, type ChannelAnswerDeps } from '../channel-answers.js';
import { endText } from '../dispatch/end-text.js';
import type { WebhookSettings } from '../settings.js';
import { answererOf } from './webhook-answerer.js';
import { bodyOf, readCall } from './webhook-answer.js';
import { webhookCard } from './webhook-body.js';
import { isSigned, type SignedHeaders } from './webhook-signature.js';

/** What the door needs: who may call, and how their answers are taken. */
export interface WebhookDesk extends ChannelAnswerDeps {
  readonly webhooks: readonly WebhookSettings[];
}

const BODY_LIMIT = 1024 * 1024;
const ID = /^[\x21-\x7e]{1,255}$/;

interface RawRequest {
  readonly raw: IncomingMessage;
  readonly bodyShare: BodyShare | null;
}

/** The ask as it stands after the answer. */
interface WebhookAnswered {
  readonly askId: string;
  readonly status: AskView['status'];
  readonly by: string | null;
  readonly via: string | null;
  readonly at: string | null;
  readonly text: string;
}

@Controller('channels/webhook')
export class WebhookController {
  constructor(@Inject(WEBHOOK_DESK) private readonly desk: WebhookDesk) {}

  @Post('answers')
  @HttpCode(200)
  async take(@Req() { raw, bodyShare }: RawRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const body = await readBytes(raw, { limit: BODY_LIMIT, drainLimit: 2, share: bodyShare });
    const headers = signedBy(raw);
    const webhook = headers && this.desk.webhooks.find(({ secrets }) => isSigned(secrets, headers, body));
    // No hint which part was wrong: the secret, the time, the id or the body.
    if (!headers || !webhook)
      throw new DoorError('auth.missing', 'the request carries no valid signature of this moment');
    return this.once(webhook, { id: headers['webhook-id'], body }, reply);
  }

  /** The same message again is told the same, whatever happened since: refusals too, except failures of ours. */
  private async once(
    webhook: WebhookSettings,
    { id, body }: { readonly id: string; readonly body: Buffer },
    reply: FastifyReply,
  ): Promise<object> {
    const { idempotency } = this.desk.ledger;
    const { tenantId, name } = webhook;
    const requestHash = createHash('sha256').update(body).digest('hex');
    const request = { tenantId, scope: `webhook:${name}`, key: id, requestHash };
    const known = await idempotency.begin(request);
    if (known.kind === 'running') throw new DoorError('idempotency.running');
    if (known.kind === 'reused')
      throw new DoorError('idempotency.reused', 'this webhook-id was used for another message');
    if (known.kind === 'repeated') {
      void reply.code(known.status).header('idempotency-replayed', 'true');
      return JSON.parse(known.response) as object;
    }
    const told = await this.answerOrRefuse(webhook, body).catch(async (error: unknown) => {
      await idempotency.forget(request);
      throw error;
    });
    await idempotency.finish(request, { status: told.status, response: JSON.stringify(told.answer) });
    void reply.code(told.status);
    return told.answer;
  }

  private async answerOrRefuse(webhook: WebhookSettings, body: Buffer): Promise<{ status: number; answer: object }> {
    try {
      return { status: 200, answer: await this.answer(webhook, body.toString('utf8')) };
    } catch (error) {
      if (!(error instanceof DoorError) || error.status >= 500) throw error;
      const { code, message, details } = error;
      return { status: error.status, answer: { error: { code, message, ...(details ? { details } : {}) } } };
    }
  }

  private async answer(webhook: WebhookSettings, text: string): Promise<WebhookAnswered> {
    const read = readCall(text);
    if (!read.ok) throw new DoorError('request.invalid', read.problem);
    const { askId } = read.call;
    const given = { askId, body: bodyOf(read.call), card: webhookCard };
    const { ask } = await answerOverChannel(this.desk, answererOf(webhook, read.call), given);
    const { status, resolvedBy: by, resolvedVia: via, resolvedAt: at } = ask;
    return { askId, status, by, via, at, text: endText(ask) };
  }
}

function signedBy({ headers }: IncomingMessage): SignedHeaders | null {
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headers[name],
  );
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') return null;
  if (!ID.test(id)) return null;
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}
