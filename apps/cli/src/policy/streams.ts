/** Where an offline command writes: answers to `output`, what is wrong to `complaints`. */
import type { Writable } from 'node:stream';

export interface Streams {
  readonly output: Writable;
  readonly complaints: Writable;
}

/** One line of an answer. */
export function print({ output }: Streams, line: string): void {
  output.write(`${line}\n`);
}

/** One line about what is wrong. */
export function complain({ complaints }: Streams, line: string): void {
  complaints.write(`countersign: ${line}\n`);
}
