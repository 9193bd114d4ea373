/** Opens a server's port, and says in one line why it cannot. */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** Where to listen. Port 0 takes any free one. */
export interface ListenPlace {
  readonly host: string;
  readonly port: number;
}

/** Nobody can listen there; the message is one line for the operator, and `blames` says which of the two to change. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
  readonly blames: 'host' | 'port';

  constructor(message: string, { blames, cause }: { readonly blames: 'host' | 'port'; readonly cause: unknown }) {
    super(message, { cause });
    this.blames = blames;
  }
}

const NO_NAME = 'is no address and no known host name: give an address alone, such as 127.0.0.1';
const NOT_OURS = 'is not an address of this machine';

/** Of the host, by Node's code. */
const HOST_REASONS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: NOT_OURS,
  EAFNOSUPPORT: 'is of a kind of addresses that this machine does not have',
  EAI_AGAIN: 'is no address, and its name cannot be looked up now',
  EAI_FAIL: NO_NAME,
  EAI_NONAME: NO_NAME,
  // A link-local address without its interface.
  EINVAL: 'cannot be listened on as it is: a link-local address needs its interface, such as fe80::1%eth0',
  ENOTFOUND: NO_NAME,
};

/** Of the port. */
const PORT_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'needs more rights: choose a port above 1023',
  EADDRINUSE: 'is taken by another program: end it or choose another port',
};

/** What to say of a place that cannot be used; null: of anything else. Told by shape: Node's errors may come from another realm. */
export function cannotListen({ host, port }: ListenPlace, error: unknown): CannotListen | null {
  const code = String((error as { code?: unknown } | null)?.code);
  const ofHost = HOST_REASONS[code];
  if (ofHost !== undefined) return new CannotListen(`${shown(host)} ${ofHost}`, { blames: 'host', cause: error });
  const ofPort = PORT_REASONS[code];
  if (ofPort === undefined) return null;
  const name = host.includes(':') ? `[${host}]` : host;
  return new CannotListen(`${shown(name)}:${port} ${ofPort}`, { blames: 'port', cause: error });
}

/** Whatever was set stays on one line. */
function shown(host: string): string {
  return /^[\w.:%[\]-]+$/.test(host) ? host : JSON.stringify(host);
}

/** Throws CannotListen for what an operator can mend. */
export async function listenOrExplain(app: NestFastifyApplication, place: ListenPlace): Promise<void> {
  try {
    await app.listen(place.port, place.host);
  } catch (error) {
    throw cannotListen(place, error) ?? error;
  }
}
