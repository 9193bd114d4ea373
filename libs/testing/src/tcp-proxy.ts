/** A TCP proxy in front of a real service, to make the service vanish or fall silent in a test. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  /** The service's URL with the proxy's address in place of its own. */
  readonly url: string;
  /** Ends every connection and refuses new ones at once. */
  cut(): void;
  /** Keeps connections open, but nothing passes any more. */
  silence(): void;
  /** Lets connections in again; silenced ones are ended, or stay dead as after a lost route with `leaveDead`. */
  restore(options?: { leaveDead: boolean }): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'silent' = 'open';
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const service = connect(Number(port), hostname);
    join(client, service);
    join(service, client);
    if (state === 'silent') pauseAll();
  }).listen(0, '127.0.0.1');
  const join = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const pauseAll = (): void => sockets.forEach((socket) => socket.unpipe());
  const cut = (): void => {
    state = 'cut';
    sockets.forEach((socket) => socket.destroy());
  };
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut,
    silence: () => {
      state = 'silent';
      pauseAll();
    },
    restore: (options) => {
      if (state === 'silent' && !options?.leaveDead) cut();
      state = 'open';
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
