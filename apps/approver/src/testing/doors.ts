/** Small clients of the approver's doors for tests. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answered {
  readonly status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into bodies of every shape
  readonly body: any;
  readonly headers: Headers;
}

/** Sends one request with a key (null: none) and reads the JSON answer. */
export async function send(
  url: string,
  key: string | null,
  request: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answered> {
  const { method = request.body === undefined ? 'GET' : 'POST', body, headers = {} } = request;
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, body: json ? JSON.parse(text) : text, headers: response.headers };
}

/** Waits until `check` gives something, at most ten seconds unless told. */
export async function eventually<T>(check: () => Promise<T | null | undefined | false>, withinMs = 10_000): Promise<T> {
  const until = Date.now() + withinMs;
  for (;;) {
    const found = await check();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > until) throw new Error(`it did not happen within ${withinMs / 1_000} seconds`);
    await sleep(50);
  }
}
