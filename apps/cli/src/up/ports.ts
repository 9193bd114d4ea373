/** Taken ports of this machine. */
import { createServer } from 'node:net';

/** Null when the port can be bound, else one line that says why not and what to do. */
export function explainPort(host: string, port: number, variable: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${error.code})`;
      resolve(`port ${port} on ${host} ${why}: set ${variable} to another one`);
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
