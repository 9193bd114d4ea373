/** Webhooks as a channel: signed requests that leave through the guarded way out; an answer may come with the response. */
import { createHash } from 'node:crypto';
import { DoorError } from '@countersign/contracts';
import type { ChannelTarget, Ledger } from '@countersign/ledger';
import { OutboundRefused, postOutbound, type OutboundAnswer, type Resolve } from '@countersign/server';
import { keepRefusal } from '../../asks/keep-refusal.js';
import { answerOverChannel, programAnswerer, type ChannelAnswerDeps } from '../channel-answers.js';
import { SendFailed, type Channel, type OutgoingCard } from '../channel.js';
import type { WebhookSettings } from '../settings.js';
import { bodyOf, readReply } from './webhook-answer.js';
import { answererOf } from './webhook-answerer.js';
import { contradictedBody, requestedBody, resolvedBody, webhookCard } from './webhook-body.js';
import { signedHeaders } from './webhook-signature.js';

export const WEBHOOK_ROUTE = '/channels/webhook/answers';

const TIMEOUT_MS = 15_000;
/** Of the answer: an answer to an ask is small. */
const MAX_BYTES = 64 * 1024;
/** Nobody is put off for longer than this, whatever they ask for. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

export interface WebhookDeps extends ChannelAnswerDeps {
  readonly consoleUrl: string | null;
  /** Finds the addresses of a webhook's name; this machine's resolver unless given. */
  readonly resolve?: Resolve;
}

/** All webhooks of one tenant. */
export function webhookChannel(tenantId: string, settings: readonly WebhookSettings[], deps: WebhookDeps): Channel {
  const endpoints = new Map(settings.map((one) => [one.name, createEndpoint(one, deps)]));
  const endpointOf = (target: string): Endpoint => {
    const found = endpoints.get(target);
    if (!found) throw new SendFailed('no webhook of that name is set up', { final: true });
    return found;
  };
  return {
    name: 'webhook',
    tenantId,
    card: webhookCard,
    targets: [...endpoints.keys()],
    closedTarget: async (target) => (await endpoints.get(target)?.closed()) ?? null,
    send: async (outgoing) => {
      const places = { consoleUrl: deps.consoleUrl, answerPath: WEBHOOK_ROUTE };
      const body = requestedBody(outgoing, places, new Date().toISOString());
      const answer = await endpointOf(outgoing.target).post(messageId(outgoing.ask.id, outgoing.deliveryId), body);
      await takeReply(deps, outgoing, answer.text);
      return null;
    },
    close: async (sent) => {
      const body = resolvedBody(sent, new Date().toISOString());
      await endpointOf(sent.target).post(messageId(sent.ask.id, sent.deliveryId), body);
    },
    late: async (notice) => {
      const body = contradictedBody(notice, new Date().toISOString());
      await endpointOf(notice.target).post(messageId(notice.ask.id, notice.deliveryId), body);
      return null;
    },
    stop: async () => undefined,
  };
}

/** The same for every attempt, and in no other house. */
function messageId(askId: string, deliveryId: string): string {
  return `msg_${askId}_${deliveryId}`;
}

interface Endpoint {
  /** Resolves for 2xx only. Throws SendFailed, and anything else for "try again". */
  post(id: string, body: string): Promise<OutboundAnswer>;
  closed(): ReturnType<Ledger['closedTargets']['find']>;
}

const GONE = 'the webhook said that it is gone (410)';

/** INVARIANT: an endpoint that says it is gone is asked nothing more, by no approver, until it is set up otherwise. */
function createEndpoint(settings: WebhookSettings, { ledger, resolve }: WebhookDeps): Endpoint {
  const { url, secrets, allowPrivate } = settings;
  const target = targetOf(settings);
  const closed = () => ledger.closedTargets.find(target);
  return {
    closed,
    post: async (id, body) => {
      if ((await closed()) !== null) throw new SendFailed(GONE, { final: true });
      const headers = { 'content-type': 'application/json', ...signedHeaders(secrets, id, Date.now(), body) };
      const options = { headers, allowPrivate, maxBytes: MAX_BYTES, signal: AbortSignal.timeout(TIMEOUT_MS) };
      const answer = await postOutbound(url, body, { ...options, ...(resolve ? { resolve } : {}) }).catch(explain);
      if (answer.status === 410) await ledger.closedTargets.close(target, GONE);
      if (answer.status < 200 || answer.status > 299) throw failureOf(answer, Date.now());
      return answer;
    },
  };
}

function targetOf({ tenantId, name, url, revision }: WebhookSettings): ChannelTarget {
  const setting = createHash('sha256')
    .update(JSON.stringify([url, revision]))
    .digest('hex');
  return { tenantId, channel: 'webhook', target: name, setting };
}

function explain(error: unknown): never {
  if (error instanceof OutboundRefused)
    throw new SendFailed(`the webhook is not reached: ${error.message}`, { final: true });
  throw new SendFailed('the webhook does not answer');
}

function failureOf({ status, headers }: OutboundAnswer, now: number): SendFailed {
  if (status === 410) return new SendFailed(GONE, { final: true });
  if (status >= 300 && status <= 399) return new SendFailed(`the webhook redirects (${status}), which is not followed`);
  const wait = retryAfterMs(headers['retry-after'], now);
  return new SendFailed(`the webhook answers ${status}`, wait === null ? {} : { retryAfterMs: wait });
}

/** Seconds or an HTTP date; null for neither. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const wait = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(wait) ? null : Math.min(LONGEST_WAIT_MS, Math.max(0, wait));
}

/** A refused answer is on record; the webhook took the message all the same. */
async function takeReply(deps: WebhookDeps, outgoing: OutgoingCard, text: string): Promise<void> {
  const { tenantId, target, ask } = outgoing;
  const reply = readReply(text, ask);
  if (reply === null) return;
  if (!reply.ok) return keepUnread(deps, outgoing);
  const who = answererOf({ tenantId, name: target }, reply.call);
  try {
    await answerOverChannel(deps, who, { askId: ask.id, body: bodyOf(reply.call), card: webhookCard });
  } catch (error) {
    if (!(error instanceof DoorError)) throw error;
  }
}

/** An answer that cannot be read as one: nobody can say any more what it meant, only that there was one. */
async function keepUnread({ ledger }: WebhookDeps, { tenantId, target, ask }: OutgoingCard): Promise<void> {
  const by = programAnswerer({ channel: 'webhook', program: target });
  await keepRefusal(ledger, { tenantId, ask, answer: 'unreadable', by, code: 'request.invalid' });
}
