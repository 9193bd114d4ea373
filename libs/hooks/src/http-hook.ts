/** An HTTP hook: one POST signed by Standard Webhooks, and its JSON answer. */
import { randomUUID } from 'node:crypto';
import { jsonProblemText, readStrictJson, type HookMoment } from '@countersign/contracts';
import { OutboundRefused, OutboundTooLarge, postOutbound, type OutboundAnswer } from '@countersign/server';
import { Webhook } from 'standardwebhooks';
import { HookFailed } from './failure.js';
import type { HttpTarget } from './spec.js';

/** Largest answer that is read. A hook that rewrites an output needs room for it. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export interface HttpHook {
  /** The parsed JSON of its answer; `{action: "continue"}` for an empty one. Throws HookFailed. */
  ask(moment: HookMoment, body: object, signal: AbortSignal): Promise<unknown>;
}

export function createHttpHook({ url, secret, allowPrivate }: HttpTarget): HttpHook {
  const webhook = new Webhook(secret);
  return {
    ask: async (moment, body, signal) => {
      const text = JSON.stringify({ type: `hook.${moment}`, ...body });
      const id = `msg_${randomUUID()}`;
      const now = new Date();
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': webhook.sign(id, now, text),
      };
      return answerOf(await post(text, { url, headers, allowPrivate, signal }));
    },
  };
}

interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
}

async function post(text: string, { url, ...options }: Sending): Promise<OutboundAnswer> {
  try {
    return await postOutbound(url, text, { ...options, maxBytes: MAX_ANSWER_BYTES });
  } catch (error) {
    if (error instanceof OutboundRefused) throw new HookFailed('refused', error.message);
    if (error instanceof OutboundTooLarge) throw new HookFailed('malformed', `its answer ${error.message}`);
    if (options.signal.aborted) throw error;
    throw new HookFailed('unreachable', 'it cannot be reached');
  }
}

function answerOf({ status, text }: OutboundAnswer): unknown {
  if (status >= 500 || status === 429) throw new HookFailed('unreachable', `it answered with status ${status}`);
  if (status < 200 || status > 299) throw new HookFailed('refused', `it answered with status ${status}`);
  if (text.trim() === '') return { action: 'continue' };
  // As at our own doors: of a name that stands twice nobody knows which one was meant.
  const read = readStrictJson(text);
  if (read.ok) return read.value;
  throw new HookFailed('malformed', `its answer is not valid JSON${flawOf(read)}`);
}

function flawOf({ problem, at }: Extract<ReturnType<typeof readStrictJson>, { ok: false }>): string {
  return problem === 'malformed' ? '' : `: ${jsonProblemText(problem)} at \`${at.join('.')}\``;
}
