/** The bus inside one process. */
import type { Bus } from './bus.js';
import { busOver, createListenerTable } from './bus-channels.js';

/** Delivers in order, after the sender went on; text is carried so that receivers never share the sender's objects. */
export function memoryBus(onError: (error: Error) => void): Bus {
  const listeners = createListenerTable();
  return busOver(
    {
      publish: async (channel, text) => {
        setImmediate(() => listeners.deliver(channel, text));
      },
      subscribe: async (channel, listener) => {
        listeners.add(channel, listener);
        return async () => {
          listeners.remove(channel, listener);
        };
      },
      ping: async () => undefined,
      close: async () => listeners.clear(),
    },
    onError,
  );
}
