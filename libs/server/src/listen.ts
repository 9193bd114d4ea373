/** Opens the server's port, and says in one line why it cannot. */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** The address cannot be used; the message is one line for the operator. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another process; end it or choose another port',
  EACCES: 'needs more rights; choose a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine',
};

/** Throws PortTaken for what an operator can mend. */
export async function listenOrExplain(
  app: NestFastifyApplication,
  { host, port }: { host: string; port: number },
): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    // Told by shape: Node's own errors may come from another realm.
    const reason = REASONS[String((error as { code?: unknown }).code)];
    if (reason) throw new PortTaken(`${host}:${port} ${reason}`, { cause: error });
    throw error;
  }
}
