/** The bus over Redis publish and subscribe. */
import { sortError } from './backend.js';
import type { Bus } from './bus.js';
import { busOver, createListenerTable } from './bus-channels.js';
import { QueueUnavailable } from './queue-errors.js';
import { closeConnection, connectOrExplain, consumerConnection, producerConnection } from './redis-connection.js';
import { endsWithin, within } from './time-limit.js';

const HEARTBEAT_MS = 5_000;
const unavailable = (): QueueUnavailable => new QueueUnavailable('the bus is unavailable');

export interface RedisBusOptions {
  readonly url: string;
  readonly prefix: string;
  readonly onError: (error: Error) => void;
  readonly onAway: (error: Error) => void;
}

/** Connects or throws QueueUnfit. A lost subscriber connection comes back by itself with all its channels. */
export async function redisBus({ url, prefix, ...reports }: RedisBusOptions): Promise<Bus> {
  const onError = sortError(reports);
  const publisher = producerConnection(url, onError);
  const { redis: subscriber } = consumerConnection(url, onError);
  await connectOrExplain(publisher, url);
  await connectOrExplain(subscriber, url).catch((error: unknown) => {
    publisher.disconnect();
    throw error;
  });
  // A subscriber sends nothing, so only a regular ping shows that its connection died.
  const heartbeat = setInterval(() => void subscriber.ping().catch(onError), HEARTBEAT_MS).unref();
  const listeners = createListenerTable();
  subscriber.on('message', (channel: string, text: string) => listeners.deliver(channel, text));
  const full = (channel: string): string => `${prefix}:${channel}`;
  const ping = async (): Promise<void> => {
    const answered = await endsWithin(1_000, publisher.ping());
    if (!answered || subscriber.status !== 'ready') throw unavailable();
  };
  return busOver(
    {
      publish: async (channel, text) => {
        await within(1_000, publisher.publish(full(channel), text), unavailable);
      },
      subscribe: async (channel, listener) => {
        if (listeners.add(full(channel), listener)) await subscriber.subscribe(full(channel));
        return async () => {
          // The answer would wait for a Redis that is away.
          if (listeners.remove(full(channel), listener)) await endsWithin(500, subscriber.unsubscribe(full(channel)));
        };
      },
      ping,
      close: async () => {
        clearInterval(heartbeat);
        listeners.clear();
        await Promise.all([closeConnection(publisher), closeConnection(subscriber)]);
      },
    },
    onError,
  );
}
