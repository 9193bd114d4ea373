/** Lines for the person who started a server. */

/** From now on a reader that went away, as at the end of a pipe, is no reason to fall over. */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** One line on standard error. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
