/** Who may hold a connection to the line of agents, and for how long. */
import { setMaxListeners } from 'node:events';
import { DoorError } from '@countersign/contracts';
import type { Authenticator, Principal } from '@countersign/server';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import type { Heard } from './kill-reach.js';
import type { AgentEvents, ClientEvents } from './notices.js';
import type { LeaveSeat, Seats } from './seats.js';

export interface SocketData {
  principal: Principal;
  /** Calls that wait for their answer on this connection. */
  calls: number;
  /** Fires when the connection ends. */
  gone: AbortController;
  /** What it is about, by what it watches and what it sent. */
  heard: { readonly [of in keyof Heard]: Set<string> };
}
export type Line = Namespace<ClientEvents, AgentEvents, DefaultEventsMap, SocketData>;
export type AgentSocket = Socket<ClientEvents, AgentEvents, DefaultEventsMap, SocketData>;

const MAX_SOCKETS_OF_A_KEY = 64;
/** Packets that a client has not taken yet; one that falls behind further is cut off, and asks the doors again. */
const MAX_BEHIND = 1_000;

/** Lets a connection in, with its principal in its data. Throws a DoorError for everybody but agents, and beyond the limits. */
export async function admit(
  socket: AgentSocket,
  seats: Seats,
  { authenticator, maxSockets }: { authenticator: Authenticator; maxSockets: number },
): Promise<void> {
  const principal = await authorOf(socket, authenticator);
  const seat = seats.take(principal.keyId, { own: MAX_SOCKETS_OF_A_KEY, all: maxSockets });
  if (seat === 'own') {
    throw new DoorError(
      'overloaded',
      `this key has ${MAX_SOCKETS_OF_A_KEY} connections, which is all that it may have`,
    );
  }
  if (seat === 'all') {
    throw new DoorError('overloaded', 'too many connections are open at this gateway; try again shortly');
  }
  leaveWith(socket, seat);
  const gone = new AbortController();
  // Every call that waits on this connection listens for its end.
  setMaxListeners(0, gone.signal);
  const heard = { sessions: new Set<string>(), agents: new Set<string>() };
  Object.assign(socket.data, { principal, calls: 0, gone, heard });
}

/** The key behind a connection as it is now, at most a second behind a revocation. Throws for everybody but agents. */
export async function authorOf(socket: AgentSocket, authenticator: Authenticator): Promise<Principal> {
  const principal = await authenticator.byHeader(bearerOf(socket));
  if (principal.role !== 'agent') throw new DoorError('auth.wrong_role');
  return principal;
}

/** A client may be gone before it was let in: then only the connection below tells, and it did already. */
function leaveWith(socket: AgentSocket, leave: LeaveSeat): void {
  socket.once('disconnect', leave);
  socket.conn.once('close', leave);
  if (socket.conn.readyState === 'closed' || socket.conn.readyState === 'closing') leave();
}

/** A key that was revoked loses its line, and so does whoever does not take what it is sent. */
export async function isUnfit(socket: AgentSocket, authenticator: Authenticator): Promise<boolean> {
  const { writeBuffer } = socket.conn as unknown as { writeBuffer?: readonly unknown[] };
  if ((writeBuffer?.length ?? 0) > MAX_BEHIND) return true;
  return authorOf(socket, authenticator).then(
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
