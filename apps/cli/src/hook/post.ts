/** Posts a hook body to the gateway and waits for its answer, again after a broken connection, until the deadline. */
import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from '../http/exchange.js';

/** Where and how long to ask. `deadline` is in milliseconds of `performance.now()`. */
export interface PostTarget {
  readonly url: string;
  readonly token: string;
  readonly deadline: number;
}

/** `waiting`: the service has the call and did not answer in time, as it does while people are asked. */
export type PostResult = { ok: true; text: string } | { ok: false; reason: string; waiting: boolean };

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
    if (round.kind !== 'broken') return { ok: false, reason: round.reason, waiting: round.kind === 'late' };
    if (round.connected) lastContact = now;
    const patience = lastContact === null ? begun + UNREACHABLE_MS : lastContact + RECONNECT_MS;
    if (now + RETRY_MS > Math.min(patience, target.deadline))
      return { ok: false, reason: round.reason, waiting: false };
    await sleep(RETRY_MS);
  }
}

type Round =
  | { kind: 'answer'; text: string }
  | { kind: 'status' | 'late'; reason: string }
  | { kind: 'broken'; connected: boolean; reason: string };

async function postOnce(target: PostTarget, body: string): Promise<Round> {
  const answer = await exchange({ method: 'POST', body, ...target });
  switch (answer.kind) {
    case 'answer':
      if (answer.status === 200) return answer;
      return { kind: 'status', reason: `the service answered HTTP ${answer.status}` };
    case 'too_large':
      return { kind: 'status', reason: answer.reason };
    case 'late':
    case 'broken':
      return answer;
    default: {
      const never: never = answer;
      return never;
    }
  }
}
