/** One HTTP request and its whole answer. Node's fetch gives up after 301 s without headers; this waits as long as it is told. */
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

/** What to ask. */
export interface Question {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly token: string;
  /** JSON text. */
  readonly body?: string;
  /** When to give up, in milliseconds of `performance.now()`; absent: never. */
  readonly deadline?: number;
}

/** `broken` may be worth another try; `connected` tells whether anybody was there. `late`: the deadline came while an open connection waited. */
export type Exchange =
  | { kind: 'answer'; status: number; text: string }
  | { kind: 'too_large'; reason: string }
  | { kind: 'late'; reason: string }
  | { kind: 'broken'; connected: boolean; reason: string };

class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const KEEP_ALIVE_MS = 30_000;

/** Asks once. Never rejects; every reason is one line for a person. */
export function exchange(question: Question): Promise<Exchange> {
  const { origin } = new URL(question.url);
  return new Promise((settle) => {
    let connected = false;
    const broken = (error: Error) => {
      if (connected && error instanceof DeadlinePassed) return settle({ kind: 'late', reason: error.message });
      const reason = `${origin} does not answer: ${error.message || 'connection refused'}`;
      settle({ kind: 'broken', connected, reason });
    };
    const request = open(question);
    request.on('socket', (socket) => socket.on('connect', () => (connected = true)));
    request.on('error', broken);
    request.on('response', (response) => void readAnswer(response).then(settle, broken));
    request.end(question.body);
  });
}

function open({ method, url, token, body, deadline }: Question): ClientRequest {
  const send = new URL(url).protocol === 'https:' ? requestHttps : requestHttp;
  const content =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const request = send(url, { method, agent: false, headers: { ...content, authorization: `Bearer ${token}` } });
  // A long silence must not look like a dead connection to what stands between.
  request.setSocketKeepAlive(true, KEEP_ALIVE_MS);
  if (deadline !== undefined) {
    const giveUp = () => request.destroy(new DeadlinePassed('no answer before the deadline'));
    const timer = setTimeout(giveUp, Math.max(1, deadline - performance.now()));
    request.on('close', () => clearTimeout(timer));
  }
  return request;
}

async function readAnswer(response: IncomingMessage): Promise<Exchange> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > MAX_ANSWER_BYTES) return { kind: 'too_large', reason: 'the answer is larger than 32 MB' };
    chunks.push(chunk as Buffer);
  }
  return { kind: 'answer', status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') };
}
