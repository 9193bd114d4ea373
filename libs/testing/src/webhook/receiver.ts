/** Somebody else's webhook for tests: verifies what it gets as Standard Webhooks say, answers as it is told, and calls back signed. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A message that was taken. */
export interface ReceivedWebhook {
  /** Path that it came to. */
  readonly path: string;
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into messages of every shape
  readonly data: any;
}

/** What a request is answered; 204 and nothing unless planned. */
export interface WebhookReply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

export interface SignedCallOptions {
  readonly id?: string;
  readonly secret?: string;
  /** Seconds that the call's time differs from now. */
  readonly skewSeconds?: number;
}

export interface WebhookReceiver {
  /** `http://…`, without a path. */
  readonly url: string;
  readonly secret: string;
  /** Messages that were well signed and answered 2xx, in order. */
  readonly received: ReceivedWebhook[];
  /** Every attempt: path, message id, and whether its signature was good. */
  readonly attempts: { path: string; id: string; signed: boolean }[];
  /** The next messages but those that say how a question ended are answered so, in order. */
  replyNext(...replies: WebhookReply[]): void;
  /** The next request is answered only when the function that it gives is called. */
  hold(): () => void;
  /** A signed call of the receiver's own, with a body of JSON. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every shape
  call(url: string, body: unknown, options?: SignedCallOptions): Promise<{ status: number; body: any }>;
  close(): Promise<void>;
}

/** A new secret as Standard Webhooks have them. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

export async function startWebhookReceiver(secret = newWebhookSecret()): Promise<WebhookReceiver> {
  const state: State = { secret, received: [], attempts: [], replies: [], held: Promise.resolve() };
  const server = createServer((request, response) => void take(state, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret,
    received: state.received,
    attempts: state.attempts,
    replyNext: (...replies) => void state.replies.push(...replies),
    hold: () => {
      let release = (): void => undefined;
      state.held = new Promise<void>((resolve) => (release = resolve));
      return () => release();
    },
    call: (url, body, options) => signedCall(state, url, { body, ...options }),
    close: () => closeServer(server),
  };
}

interface State {
  readonly secret: string;
  readonly received: ReceivedWebhook[];
  readonly attempts: { path: string; id: string; signed: boolean }[];
  readonly replies: WebhookReply[];
  held: Promise<void>;
}

async function take(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { held } = state;
  state.held = Promise.resolve();
  await held;
  const at = { path: request.url ?? '', id: String(request.headers['webhook-id']) };
  const signed = isSigned(state, request, body);
  state.attempts.push({ ...at, signed });
  const message = readMessage(body);
  const reply = signed ? nextReply(state, message) : { status: 401 };
  const status = statusOf(reply);
  if (status >= 200 && status <= 299) state.received.push({ ...at, ...message });
  response.writeHead(status, { 'content-type': 'application/json', ...reply.headers });
  response.end(reply.body === undefined ? undefined : JSON.stringify(reply.body));
}

function nextReply({ replies }: State, { type }: { readonly type: string }): WebhookReply {
  return type === 'approval.resolved' ? {} : (replies.shift() ?? {});
}

const statusOf = ({ status, body }: WebhookReply): number => status ?? (body === undefined ? 204 : 200);

function readMessage(body: Buffer): Pick<ReceivedWebhook, 'type' | 'bytes' | 'data'> {
  const { type, data } = JSON.parse(body.toString('utf8')) as { type: string; data: unknown };
  return { type, bytes: body.length, data };
}

function isSigned({ secret }: State, { headers }: IncomingMessage, body: Buffer): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

async function signedCall(state: State, url: string, call: SignedCallOptions & { readonly body: unknown }) {
  const { id = `msg_${randomUUID()}`, secret = state.secret, skewSeconds = 0 } = call;
  const text = JSON.stringify(call.body);
  const at = new Date(Date.now() + skewSeconds * 1_000);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, text),
  };
  const response = await fetch(url, { method: 'POST', headers, body: text });
  return { status: response.status, body: await response.json() };
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
