/** What was opened, to be closed in the opposite order, each part within its own time. */
import { setTimeout as sleep } from 'node:timers/promises';

/** One part. `withinMs` is how long its end may take before the next part's turn comes; `abort` ends it at once, whatever is lost. */
export interface Opened {
  readonly name: string;
  readonly withinMs: number;
  close(): Promise<void>;
  abort?(): void;
}

/** Hears of every part that was closed, in order. */
export type OnClosed = (name: string, ms: number) => void;

/** A stack of opened parts. */
export interface Closing {
  add(part: Opened): void;
  /** Closes everything, newest first, and gives one line for each part that failed or was too slow. Once: later calls wait for the first. */
  closeAll(onClosed?: OnClosed): Promise<string[]>;
  /** Ends at once what would outlive this process. */
  abortAll(): void;
}

export function createClosing(): Closing {
  const opened: Opened[] = [];
  const abortable: Opened[] = [];
  let running: Promise<string[]> | null = null;
  return {
    add: (part) => {
      opened.push(part);
      if (part.abort !== undefined) abortable.push(part);
    },
    closeAll: (onClosed) => (running ??= closeInTurn(opened, onClosed)),
    abortAll: () => abortable.forEach((part) => part.abort?.()),
  };
}

async function closeInTurn(opened: Opened[], onClosed: OnClosed = () => undefined): Promise<string[]> {
  const complaints: string[] = [];
  for (let part = opened.pop(); part !== undefined; part = opened.pop()) {
    const began = performance.now();
    const complaint = await closeOne(part);
    onClosed(part.name, Math.round(performance.now() - began));
    if (complaint !== null) complaints.push(complaint);
  }
  return complaints;
}

async function closeOne(part: Opened): Promise<string | null> {
  const late = new AbortController();
  const tooSlow = sleep(part.withinMs, `${part.name} did not stop in ${part.withinMs} ms`, { signal: late.signal });
  const closed = part.close().then(
    () => null,
    (error: unknown) => `${part.name} did not stop cleanly: ${error instanceof Error ? error.message : String(error)}`,
  );
  const complaint = await Promise.race([closed, tooSlow]);
  tooSlow.catch(() => undefined);
  late.abort();
  return complaint;
}
