/** Gathers items while a round is running and runs them together in the next one: never two rounds at once. */

export interface RoundLoop<T> {
  /** Resolves when the round that holds all of `items` has ended; rejects with the error that ended it. `alone`: in a round of its own. */
  submit(items: readonly T[], options?: { alone: boolean }): Promise<void>;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
}

interface Entry<T> {
  readonly items: readonly T[];
  readonly alone: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** `run` gets the items of whole submissions, oldest first, and at most `maxItems` unless one submission alone is larger. */
export function createRoundLoop<T>(run: (items: T[]) => Promise<void>, maxItems: number): RoundLoop<T> {
  const waiting: Entry<T>[] = [];
  let running: Promise<void> | null = null;

  async function runOne(): Promise<void> {
    const entries = takeEntries(waiting, maxItems);
    try {
      await run(entries.flatMap((entry) => entry.items));
      for (const entry of entries) entry.resolve();
    } catch (error) {
      for (const entry of entries) entry.reject(error);
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) await runOne();
    running = null;
  }

  return {
    submit: (items, { alone } = { alone: false }) =>
      new Promise((resolve, reject) => {
        waiting.push({ items, alone, resolve, reject });
        running ??= drain();
      }),
    idle: async () => {
      while (running !== null) await running;
    },
  };
}

function takeEntries<T>(waiting: Entry<T>[], maxItems: number): Entry<T>[] {
  let items = 0;
  let count = 0;
  for (const entry of waiting) {
    if (count > 0 && (entry.alone || items + entry.items.length > maxItems)) break;
    items += entry.items.length;
    count += 1;
    if (entry.alone) break;
  }
  return waiting.splice(0, count);
}
