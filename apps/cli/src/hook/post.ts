/** Posts a hook body to the gateway and waits for its answer, again after a broken connection, until the deadline. */
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where and how long to ask. `deadline` is in milliseconds of `performance.now()`. */
export interface PostTarget {
  readonly url: string;
  readonly token: string;
  readonly deadline: number;
}

export type PostResult = { ok: true; text: string } | { ok: false; reason: string };

const MAX_REPLY_BYTES = 32 * 1024 * 1024;
const RETRY_MS = 250;
/** How long a gateway that cannot be reached is tried again: long enough for a restart, short for an agent that waits. */
const UNREACHABLE_MS = 3_000;
const RECONNECT_MS = 15_000;

/**
 * One answer, or the reason why there is none. The same hook body again joins the first call, so a connection that broke
 * while people were asked is simply taken up again.
 */
export async function postHook(target: PostTarget, body: string): Promise<PostResult> {
  let lastContact: number | null = null;
  const begun = performance.now();
  for (;;) {
    const round = await postOnce(target, body);
    if (round.kind === 'answer') return { ok: true, text: round.text };
    const now = performance.now();
    if (round.kind === 'status') return { ok: false, reason: round.reason };
    if (round.connected) lastContact = now;
    const patience = lastContact === null ? begun + UNREACHABLE_MS : lastContact + RECONNECT_MS;
    if (now + RETRY_MS > Math.min(patience, target.deadline)) return { ok: false, reason: round.reason };
    await sleep(RETRY_MS);
  }
}

type Round =
  | { kind: 'answer'; text: string }
  | { kind: 'status'; reason: string }
  | { kind: 'broken'; connected: boolean; reason: string };

function postOnce(target: PostTarget, body: string): Promise<Round> {
  const url = new URL(target.url);
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const bytes = Buffer.from(body);
  return new Promise((settle) => {
    let connected = false;
    const broken = (reason: string) => settle({ kind: 'broken', connected, reason });
    // Node's fetch gives up after 301 s without headers; this request waits as long as people may need.
    const request = send(url, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': bytes.length,
        authorization: `Bearer ${target.token}`,
      },
    });
    const timer = setTimeout(
      () => request.destroy(new Error('no answer before the deadline')),
      Math.max(1, target.deadline - performance.now()),
    );
    request.on('socket', (socket) => socket.on('connect', () => (connected = true)));
    request.on('close', () => clearTimeout(timer));
    request.on('error', (error) => broken(`${url.origin} does not answer: ${error.message || 'connection refused'}`));
    request.on(
      'response',
      (response) => void readReply(response).then(settle, (error: Error) => broken(error.message)),
    );
    request.end(bytes);
  });
}

async function readReply(response: IncomingMessage): Promise<Round> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > MAX_REPLY_BYTES) return { kind: 'status', reason: 'the answer is larger than 32 MB' };
    chunks.push(chunk as Buffer);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  if (response.statusCode !== 200)
    return { kind: 'status', reason: `the service answered HTTP ${response.statusCode}` };
  return { kind: 'answer', text };
}
