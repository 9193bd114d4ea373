/** A client of the line `/agents`: everything that it hears, in order. */
import { setTimeout as pause } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';

export interface Heard {
  readonly name: string;
  readonly at: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- messages of every shape
  readonly message: any;
}

export interface AgentLine {
  readonly socket: Socket;
  readonly heard: readonly Heard[];
  /** Sends and waits for the ack. */
  ask(name: string, body: unknown): Promise<Record<string, unknown>>;
  /** The first message of this name that fits, once it is there. */
  hears(name: string, fits?: (message: Heard['message']) => boolean): Promise<Heard>;
}

/** `null`: connected; else why not, as the client is told. */
export type Connected =
  { line: AgentLine; refused: null } | { line: null; refused: { code?: string; message: string } };

const WAIT_MS = 20_000;

export async function connectLine(url: string, token: string, more: object = {}): Promise<Connected> {
  const socket = io(`${url}/agents`, {
    auth: { token },
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    ...more,
  });
  const heard: Heard[] = [];
  socket.onAny((name: string, message: unknown) => heard.push({ name, message, at: performance.now() }));
  const refused = await new Promise<{ code?: string; message: string } | null>((resolve) => {
    socket.on('connect', () => resolve(null));
    socket.on('connect_error', (error) =>
      resolve({ message: error.message, ...((error as { data?: object }).data ?? {}) }),
    );
  });
  if (refused !== null) return { line: null, refused };
  const hears: AgentLine['hears'] = async (name, fits = () => true) => {
    const until = performance.now() + WAIT_MS;
    for (;;) {
      const found = heard.find((one) => one.name === name && fits(one.message));
      if (found) return found;
      if (performance.now() > until) throw new Error(`${name} was not heard: ${JSON.stringify(heard)}`);
      await pause(5);
    }
  };
  const ask: AgentLine['ask'] = (name, body) => socket.timeout(WAIT_MS).emitWithAck(name, body);
  return { line: { socket, heard, ask, hears }, refused: null };
}

/** A line that must be let in. */
export async function openLine(url: string, token: string): Promise<AgentLine> {
  const { line, refused } = await connectLine(url, token);
  if (line === null) throw new Error(`refused: ${JSON.stringify(refused)}`);
  return line;
}
