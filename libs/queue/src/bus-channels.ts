/** The typed face of a bus over anything that carries text by channel. */
import {
  aliveMessageSchema,
  decidedNoticeSchema,
  killMessageSchema,
  lateAnswerMessageSchema,
  openedMessageSchema,
  sessionEndedMessageSchema,
  type DecidedNotice,
} from '@countersign/contracts';
import { z } from 'zod';
import type { Bus, Unsubscribe } from './bus.js';

/** Carries text from `publish` to every subscriber of the channel. */
export interface Carrier {
  publish(channel: string, text: string): Promise<void>;
  subscribe(channel: string, listener: (text: string) => void): Promise<Unsubscribe>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

const sealedSchema = z.string();
/** One, or those that were told of in the same turn. */
const decidedSchema = z.union([decidedNoticeSchema, z.array(decidedNoticeSchema)]);
/** Of one message: a deadline may end thousands of asks. */
const MAX_TOGETHER = 256;

/** Checks messages at the receiving end; a listener that throws disturbs nobody. */
export function busOver(carrier: Carrier, onError: (error: Error) => void): Bus {
  const report = (error: unknown): void => onError(error instanceof Error ? error : new Error(String(error)));
  const send = async (channel: string, message: unknown): Promise<void> => {
    try {
      await carrier.publish(channel, JSON.stringify(message));
    } catch (error) {
      report(error);
    }
  };
  const reporting = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      report(error);
    }
  };
  const hear = <S extends z.ZodType>(channel: string, schema: S, listener: (message: z.infer<S>) => void) =>
    carrier.subscribe(channel, (text) => reporting(() => listener(schema.parse(JSON.parse(text)))));
  const sendDecided = gathering<DecidedNotice>((notices) =>
    send('decided', notices.length === 1 ? notices[0] : notices),
  );
  return {
    reply: (gatewayId, sealed) => send(`reply:${gatewayId}`, sealed),
    onReplies: (gatewayId, listener) => hear(`reply:${gatewayId}`, sealedSchema, listener),
    decided: ({ outcome: _outcome, ...notice }) => sendDecided(notice),
    onDecided: (listener) =>
      hear('decided', decidedSchema, (heard) => {
        for (const notice of [heard].flat()) reporting(() => listener(notice));
      }),
    opened: (message) => send('opened', message),
    onOpened: (listener) => hear('opened', openedMessageSchema, listener),
    kill: (message) => send('kill', message),
    onKill: (listener) => hear('kill', killMessageSchema, listener),
    late: (message) => send('late', message),
    onLate: (listener) => hear('late', lateAnswerMessageSchema, listener),
    ended: (message) => send('ended', message),
    onEnded: (listener) => hear('ended', sessionEndedMessageSchema, listener),
    alive: (message) => send('alive', message),
    onAlive: (listener) => hear('alive', aliveMessageSchema, listener),
    ping: () => carrier.ping(),
    close: () => carrier.close(),
  };
}

/** Sends together what is given in one turn; every promise resolves when its message was sent. */
function gathering<T>(send: (items: readonly T[]) => Promise<void>): (item: T) => Promise<void> {
  let open: { readonly items: T[]; readonly sent: Promise<void> } | null = null;
  return (item) => {
    if (open === null || open.items.length >= MAX_TOGETHER) {
      const items: T[] = [];
      const sent = Promise.resolve().then(() => {
        if (open?.items === items) open = null;
        return send(items);
      });
      open = { items, sent };
    }
    open.items.push(item);
    return open.sent;
  };
}

/** Listeners by channel. `deliver` gives a text to all of a channel; `add` and `remove` tell whether they were first or last. */
export function createListenerTable() {
  const table = new Map<string, Set<(text: string) => void>>();
  return {
    add(channel: string, listener: (text: string) => void): boolean {
      const listeners = table.get(channel) ?? new Set();
      table.set(channel, listeners.add(listener));
      return listeners.size === 1;
    },
    remove(channel: string, listener: (text: string) => void): boolean {
      const listeners = table.get(channel);
      if (!listeners?.delete(listener) || listeners.size > 0) return false;
      return table.delete(channel);
    },
    deliver(channel: string, text: string): void {
      for (const listener of table.get(channel) ?? []) listener(text);
    },
    clear: (): void => table.clear(),
  };
}
