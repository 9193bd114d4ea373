/** Runs work side by side, a bounded number at a time; the rest waits in order. */

export interface Lanes {
  run(work: () => Promise<void>): Promise<void>;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
}

export function createLanes(lanes: number): Lanes {
  const waiting: (() => void)[] = [];
  const running = new Set<Promise<void>>();
  const run = async (work: () => Promise<void>): Promise<void> => {
    if (running.size >= lanes) await new Promise<void>((resolve) => waiting.push(resolve));
    const own = work().finally(() => {
      running.delete(own);
      waiting.shift()?.();
    });
    running.add(own);
    await own;
  };
  const idle = async (): Promise<void> => {
    while (running.size > 0 || waiting.length > 0) await Promise.allSettled([...running]);
  };
  return { run, idle };
}
