/** Streams of server-sent events: each follows one session in the ledger, so that nothing is missed and nothing is made up. */
import type { ServerResponse } from 'node:http';
import { DoorError, type CallOutcome } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { Principal } from '@countersign/server';
import type { HandOut } from '../permits/hand-out.js';
import { streamMessage, writeMessage } from './stream-events.js';

export interface StreamDeps {
  readonly ledger: Pick<Ledger, 'events'>;
  readonly handOut: HandOut;
  /** Most streams of all keys together. */
  readonly maxStreams: number;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
}

export interface StreamWish {
  readonly sessionId: string;
  readonly principal: Principal;
  /** Sequence number of the last event that the client has. */
  readonly after: number;
  /** False: it ends after what is stored by now. */
  readonly follow: boolean;
}

const MAX_STREAMS_OF_A_KEY = 16;
const PAGE = 200;
/** A client that takes nothing for this long is cut off; it comes back with the number it has. */
const STUCK_MS = 10_000;
const COMMENT_MS = 15_000;

export class SessionStreams {
  private readonly open = new Map<ServerResponse, { readonly keyId: string; readonly ends: AbortController }>();

  constructor(private readonly deps: StreamDeps) {}

  /** Throws `overloaded` when there are too many streams already. */
  admit({ keyId }: Principal): void {
    const own = [...this.open.values()].filter((stream) => stream.keyId === keyId).length;
    if (own >= MAX_STREAMS_OF_A_KEY) {
      throw new DoorError(
        'overloaded',
        `this key has ${MAX_STREAMS_OF_A_KEY} streams open, which is all that it may have`,
      );
    }
    if (this.open.size >= this.deps.maxStreams) {
      throw new DoorError('overloaded', 'too many streams are open at this gateway; try again shortly');
    }
  }

  /** Resolves when the client went away, the gateway goes, or the ledger does not answer: the client comes back. */
  async run(response: ServerResponse, wish: StreamWish): Promise<void> {
    const { keyId } = wish.principal;
    const ends = new AbortController();
    this.open.set(response, { keyId, ends });
    response.once('close', () => ends.abort());
    try {
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        connection: 'keep-alive',
      });
      response.write(`retry: ${this.deps.pollMs}\n\n`);
      await this.follow(response, wish, ends.signal);
    } catch (error) {
      this.deps.onError(error);
    } finally {
      this.open.delete(response);
      response.end();
    }
  }

  /** Tells every client to come back, here or elsewhere; it goes on where it was. */
  close(): void {
    for (const [response, { ends }] of this.open) {
      response.write('event: reconnect\ndata: {}\n\n');
      ends.abort();
    }
  }

  private async follow(response: ServerResponse, wish: StreamWish, signal: AbortSignal): Promise<void> {
    const { sessionId, principal } = wish;
    const stream = { tenantId: principal.tenantId, streamId: sessionId };
    let { after } = wish;
    let quietSince = performance.now();
    while (!signal.aborted) {
      const events = await this.deps.ledger.events.ofStream(stream, after, PAGE);
      for (const event of events) {
        after = Number(event.seq);
        const place = { tenantId: stream.tenantId, sessionId, agent: event.agent ?? '' };
        const message = await streamMessage(event, (outcome: CallOutcome, tool) =>
          this.deps.handOut(outcome, { ...place, tool }, false),
        );
        if (message === null) continue;
        await send(response, writeMessage(message), signal);
        quietSince = performance.now();
      }
      if (performance.now() - quietSince > COMMENT_MS) {
        await send(response, ':\n\n', signal);
        quietSince = performance.now();
      }
      if (events.length === PAGE) continue;
      if (!wish.follow) return;
      await pauseOrEnd(this.deps.pollMs, signal);
    }
  }
}

/** Waits for a client that is slow; one that takes nothing any more is cut off. */
async function send(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted || response.write(text)) return;
  const drained = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), STUCK_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    response.once('drain', done);
    signal.addEventListener('abort', done, { once: true });
  });
  if (!drained) response.destroy();
}

function pauseOrEnd(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
    signal.addEventListener('abort', end, { once: true });
  });
}
