/** Who may hold a connection to the line of agents, and for how long. */
import { setMaxListeners } from 'node:events';
import { DoorError } from '@countersign/contracts';
import type { Authenticator, Principal } from '@countersign/server';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import type { AgentEvents, ClientEvents } from './notices.js';

export interface SocketData {
  principal: Principal;
  /** Calls that wait for their answer on this connection. */
  calls: number;
  /** Fires when the connection ends. */
  gone: AbortController;
}
export type Line = Namespace<ClientEvents, AgentEvents, DefaultEventsMap, SocketData>;
export type AgentSocket = Socket<ClientEvents, AgentEvents, DefaultEventsMap, SocketData>;

const MAX_SOCKETS_OF_A_KEY = 64;
/** Packets that a client has not taken yet; one that falls behind further is cut off, and asks the doors again. */
const MAX_BEHIND = 1_000;

/** Lets a connection in, with its principal in its data. Throws a DoorError for everybody but agents, and beyond the limits. */
export async function admit(
  socket: AgentSocket,
  line: Pick<Line, 'sockets'>,
  { authenticator, maxSockets }: { authenticator: Authenticator; maxSockets: number },
): Promise<void> {
  const principal = await authenticator.byHeader(bearerOf(socket));
  if (principal.role !== 'agent') throw new DoorError('auth.wrong_role');
  const others = [...line.sockets.values()];
  const own = others.filter(({ data }) => data.principal.keyId === principal.keyId).length;
  if (own >= MAX_SOCKETS_OF_A_KEY) {
    throw new DoorError(
      'overloaded',
      `this key has ${MAX_SOCKETS_OF_A_KEY} connections, which is all that it may have`,
    );
  }
  if (others.length >= maxSockets) {
    throw new DoorError('overloaded', 'too many connections are open at this gateway; try again shortly');
  }
  const gone = new AbortController();
  // Every call that waits on this connection listens for its end.
  setMaxListeners(0, gone.signal);
  Object.assign(socket.data, { principal, calls: 0, gone });
}

/** A key that was revoked loses its line, and so does whoever does not take what it is sent. */
export async function isUnfit(socket: AgentSocket, authenticator: Authenticator): Promise<boolean> {
  const { writeBuffer } = socket.conn as unknown as { writeBuffer?: readonly unknown[] };
  if ((writeBuffer?.length ?? 0) > MAX_BEHIND) return true;
  return authenticator.byHeader(bearerOf(socket)).then(
    () => false,
    (error: unknown) => error instanceof DoorError && error.code.startsWith('auth.'),
  );
}

/** What a client is told whose connection was not let in. */
export function refusalOf(error: unknown): Error {
  const known = error instanceof DoorError ? error : new DoorError('unavailable');
  return Object.assign(new Error(known.message), { data: { code: known.code } });
}

function bearerOf({ handshake }: AgentSocket): string | undefined {
  const { token } = handshake.auth as { token?: unknown };
  return typeof token === 'string' ? `Bearer ${token}` : handshake.headers.authorization;
}
