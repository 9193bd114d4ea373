/** A reader of server-sent events over fetch: everything that it hears, in order. */
import { setTimeout as pause } from 'node:timers/promises';

export interface SseMessage {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export interface SseStream {
  readonly heard: readonly SseMessage[];
  /** The first message of this kind, once it is there. */
  hears(event: string): Promise<SseMessage>;
  close(): Promise<void>;
}

const WAIT_MS = 20_000;

export async function openStream(url: string, key: string, sessionId: string, after?: string): Promise<SseStream> {
  const gone = new AbortController();
  const response = await fetch(`${url}/v1/sessions/${sessionId}/stream`, {
    headers: { authorization: `Bearer ${key}`, ...(after === undefined ? {} : { 'last-event-id': after }) },
    signal: gone.signal,
  });
  if (response.status !== 200 || response.body === null) throw new Error(`the stream was refused: ${response.status}`);
  const heard: SseMessage[] = [];
  const reading = read(response.body, heard).catch(() => undefined);
  return {
    heard,
    hears: async (event) => {
      const until = performance.now() + WAIT_MS;
      for (;;) {
        const found = heard.find((one) => one.event === event);
        if (found) return found;
        if (performance.now() > until) throw new Error(`${event} was not heard: ${JSON.stringify(heard)}`);
        await pause(5);
      }
    },
    close: async () => {
      gone.abort();
      await reading;
    },
  };
}

async function read(body: ReadableStream<Uint8Array>, heard: SseMessage[]): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const fields = new Map(
        message.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
      );
      const [event, data] = [fields.get('event'), fields.get('data')];
      if (event === undefined || data === undefined) continue;
      heard.push({ id: fields.get('id') ?? '', event, data: JSON.parse(data) as Record<string, unknown> });
    }
  }
}
