/** Looks before anything is started whether the ports of this machine can be had. */
import { createServer } from 'node:net';
import { cannotListen } from '@countersign/server';

/** A place to listen, with the variable that sets its port; port 0 takes any free one. */
export interface WantedPort {
  readonly variable: string;
  readonly host: string;
  readonly port: number;
}

/** One line for each thing that is wrong, with the variable to change; none: all can be had. */
export async function explainPorts(wanted: readonly WantedPort[]): Promise<string[]> {
  const shared = sharedPorts(wanted);
  if (shared.length > 0) return shared;
  const problems = await Promise.all(wanted.map(explainPort));
  // One wrong host is told once, whatever is to listen on it.
  return [...new Set(problems.filter((problem) => problem !== null))];
}

/** Two doors of ours would take the port from each other. */
function sharedPorts(wanted: readonly WantedPort[]): string[] {
  return wanted.flatMap(({ variable, port }, at) => {
    const other = wanted.slice(0, at).find((earlier) => port !== 0 && earlier.port === port);
    return other === undefined
      ? []
      : [`${variable}: ${port} is ${other.variable} already: each needs a port of its own`];
  });
}

function explainPort({ variable, host, port }: WantedPort): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const known = cannotListen({ host, port }, error);
      if (known === null)
        return resolve(`${variable}: ${host}:${port} cannot be used (${error.code ?? error.message})`);
      resolve(`${known.blames === 'host' ? 'HOST' : variable}: ${known.message}`);
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
