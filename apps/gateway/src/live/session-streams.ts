/** Streams of server-sent events: each follows one session in the ledger, so that nothing is missed and nothing is made up. */
import type { ServerResponse } from 'node:http';
import { DoorError, type CallOutcome, type KillFact, type StoredEvent } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { Authenticator, KillWatch, Principal } from '@countersign/server';
import type { HandOut } from '../permits/hand-out.js';
import type { FindSessionPolicy } from '../sessions/session-policies.js';
import { watchAbove, type Above } from './above.js';
import { cancelNotice } from './cancel-notice.js';
import { touches } from './kill-reach.js';
import type { CancelNotice } from './notices.js';
import { streamMessage, writeMessage, type StreamMessage, type TellDeps } from './stream-events.js';
import type { StreamPlaces } from './stream-place.js';

export interface StreamDeps {
  readonly ledger: Pick<Ledger, 'events' | 'calls' | 'sessions' | 'loadRound'>;
  readonly policies: FindSessionPolicy;
  readonly kills: Pick<KillWatch, 'engaged'>;
  readonly authenticator: Pick<Authenticator, 'byHeader'>;
  readonly handOut: HandOut;
  /** Most streams of all keys together. */
  readonly maxStreams: number;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
}

export interface StreamWish {
  readonly sessionId: string;
  readonly principal: Principal;
  /** The header that it came with: a stream ends with its key. */
  readonly authorization: string | undefined;
  /** Of the last message that the client has. */
  readonly places: StreamPlaces;
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
      if (response.req.method === 'HEAD') return;
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
    let quietSince = performance.now();
    for await (const message of this.messages(wish, signal)) {
      if (message !== null) await send(response, writeMessage(message), signal);
      else if (performance.now() - quietSince > COMMENT_MS) await send(response, ':\n\n', signal);
      else continue;
      quietSince = performance.now();
    }
  }

  /** What there is to tell, in order; null: nothing at the moment. */
  private async *messages(wish: StreamWish, signal: AbortSignal): AsyncGenerator<StreamMessage | null> {
    const { tenantId } = wish.principal;
    const { sessionIds, agents } = await this.deps.ledger.sessions.line(tenantId, wish.sessionId);
    const heard = { sessions: new Set(sessionIds), agents: new Set(agents) };
    const noticeOf = (end: Omit<CancelNotice, 'calls'>) => cancelNotice({ tenantId, ...end }, this.deps);
    const { ledger } = this.deps;
    const above = await watchAbove(
      tenantId,
      { sessionIds: sessionIds.slice(1), places: wish.places },
      { ledger, noticeOf },
    );
    let { own } = wish.places;
    let told: readonly KillFact[] = [];
    while (!signal.aborted && (await this.isKnown(wish.authorization))) {
      const engaged = this.deps.kills.engaged(tenantId).filter((kill) => touches(kill, heard));
      for (const data of engaged) if (!isAmong(data, told)) yield { id: above.idAt(own), event: 'kill', data };
      told = engaged;
      const events = await ledger.events.ofStream({ tenantId, streamId: wish.sessionId }, own, PAGE);
      for (const event of events) {
        own = Number(event.seq);
        yield await this.messageOf(event, { wish, above, noticeOf });
      }
      if (events.length === PAGE) continue;
      if (sessionIds.length > 1) yield* above.read(own);
      yield null;
      if (!wish.follow) return;
      await pauseOrEnd(this.deps.pollMs, signal);
    }
  }

  /** At most a second behind a revocation, as the doors are. */
  private isKnown(authorization: string | undefined): Promise<boolean> {
    return this.deps.authenticator.byHeader(authorization).then(
      () => true,
      (error: unknown) => {
        if (error instanceof DoorError && error.code.startsWith('auth.')) return false;
        throw error;
      },
    );
  }

  private messageOf(
    event: StoredEvent,
    { wish, above, noticeOf }: { wish: StreamWish; above: Above; noticeOf: TellDeps['noticeOf'] },
  ): Promise<StreamMessage | null> {
    const place = { tenantId: wish.principal.tenantId, sessionId: wish.sessionId, agent: event.agent ?? '' };
    const handOut = (outcome: CallOutcome, tool: string) => this.deps.handOut(outcome, { ...place, tool }, false);
    return streamMessage(event, { id: above.idAt(Number(event.seq)), handOut, noticeOf });
  }
}

function isAmong({ killId }: KillFact, kills: readonly KillFact[]): boolean {
  return kills.some((kill) => kill.killId === killId);
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
