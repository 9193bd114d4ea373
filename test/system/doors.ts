/** Requests to real doors, and what the tests read again and again: asks, events, all pages of a list. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AskView, CallOutcome, StoredEvent } from '@countersign/contracts';

export type Json = Record<string, unknown>;

export interface Answer {
  readonly status: number;
  /** The parsed body; `{}` when the answer was no JSON. */
  readonly body: Json & Partial<CallOutcome> & { error?: { code: string; message: string; details?: Json } };
}

export interface DoorCall {
  readonly method?: string;
  /** Null: no Authorization header. */
  readonly key: string | null;
  /** Text is sent as it is, anything else as its JSON. */
  readonly body?: unknown;
}

/** One request. Throws when the connection breaks. */
export async function send(url: string, { method, key, body }: DoorCall): Promise<Answer> {
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: parsed(text) };
}

function parsed(text: string): Answer['body'] {
  try {
    return JSON.parse(text) as Answer['body'];
  } catch {
    return {};
  }
}

/** Every item of a list, page by page. */
export async function allPages<T>(url: string, key: string): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | null = null;
  do {
    const answer = await send(cursor === null ? url : `${url}&cursor=${encodeURIComponent(cursor)}`, { key });
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
    const page = answer.body as unknown as { items: T[]; next: string | null };
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return found;
}

/** The approver's base URL and a key that opens the door in question. */
export interface PeoplesDoor {
  readonly url: string;
  readonly key: string;
}

export const openAsks = ({ url, key }: PeoplesDoor): Promise<AskView[]> =>
  allPages<AskView>(`${url}/v1/asks?status=open&limit=500`, key);

/** Events that fit the query (`session=…&type=…`), newest first. */
export const eventsOf = ({ url, key }: PeoplesDoor, query: string): Promise<StoredEvent[]> =>
  allPages<StoredEvent>(`${url}/v1/events?limit=500&${query}`, key);

export const answerAsk = ({ url, key }: PeoplesDoor, askId: string, answer: string): Promise<Answer> =>
  send(`${url}/v1/asks/${askId}/answer`, { key, body: { answer } });

/** Between two looks at most; what has not happened soon is looked for less often, so that waiting costs the waited-for nothing. */
const LONGEST_PAUSE_MS = 150;

/** Waits until `look` gives something; the bound only ends a test that hangs. */
export async function eventually<T>(look: () => Promise<T | null | undefined | false>, withinMs = 120_000): Promise<T> {
  const until = Date.now() + withinMs;
  for (let wait = 10; ; wait = Math.min(1.4 * wait, LONGEST_PAUSE_MS)) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > until) throw new Error(`it did not happen within ${withinMs / 1_000} s`);
    await pause(wait);
  }
}

/** The open ask of a session, once it is there. */
export const askOf = (door: PeoplesDoor, sessionId: string): Promise<AskView> =>
  eventually(async () => (await openAsks(door)).find((ask) => ask.sessionId === sessionId));
