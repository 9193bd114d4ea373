/** Balancers for tests: each new connection goes to the next server of a list, or to the first one, past those that refuse it. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface RoundRobin {
  /** Base URL of the balancer. */
  readonly url: string;
  close(): Promise<void>;
}

/** `ports`: of servers on this machine. Knows no affinity: two requests of one client may meet two servers. */
export const startRoundRobin = (ports: readonly number[]): Promise<RoundRobin> => startBalancer(ports, 1);

/** The first of the servers that takes connections gets them all. */
export const startFailover = (ports: readonly number[]): Promise<RoundRobin> => startBalancer(ports, 0);

async function startBalancer(ports: readonly number[], step: 0 | 1): Promise<RoundRobin> {
  let next = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const server = createServer((client) => {
    keep(client);
    next += step;
    pass(client, next, ports.length);
  }).listen(0, '127.0.0.1');

  function pass(client: Socket, place: number, left: number): void {
    const port = ports[place % ports.length];
    if (left === 0 || port === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1');
    const refused = (): void => pass(client, place + 1, left - 1);
    upstream.once('error', refused);
    upstream.once('connect', () => {
      upstream.off('error', refused);
      keep(upstream);
      client.pipe(upstream).pipe(client);
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
    });
  }

  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
