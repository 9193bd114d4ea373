/** One line that tells how far a long check is, and is gone when it ends. */
import type { Writable } from 'node:stream';

export interface Progress {
  /** Shows the text, unless another one was shown a moment ago. */
  show(text: string): void;
  /** Takes the line away, so that what follows stands by itself. */
  end(): void;
}

const ON_SCREEN_MS = 200;
/** Into a file or a pipe every text is a line that stays. */
const IN_FILE_MS = 10_000;

/** Nothing is shown at once: a check that is quick stays silent. */
export function createProgress(output: Writable, enabled: boolean): Progress {
  const screen = (output as { isTTY?: boolean }).isTTY === true;
  let shownAt = performance.now();
  let width = 0;
  return {
    show: (text) => {
      const now = performance.now();
      if (!enabled || now - shownAt < (screen ? ON_SCREEN_MS : IN_FILE_MS)) return;
      shownAt = now;
      output.write(screen ? `\r${text.padEnd(width)}` : `${text}\n`);
      width = text.length;
    },
    end: () => {
      if (screen && width > 0) output.write(`\r${' '.repeat(width)}\r`);
    },
  };
}
