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

/** What to say of an address that cannot be used; null: of anything else. Told by shape: Node's errors may come from another realm. */
export function reasonFor(error: unknown): string | null {
  return REASONS[String((error as { code?: unknown }).code)] ?? null;
}

/** Throws PortTaken for what an operator can mend. */
export async function listenOrExplain(
  app: NestFastifyApplication,
  { host, port }: { host: string; port: number },
): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    const reason = reasonFor(error);
    if (reason !== null) throw new PortTaken(`${host}:${port} ${reason}`, { cause: error });
    throw error;
  }
}
