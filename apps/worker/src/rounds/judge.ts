/** The worker's heart: calls of all jobs go in, rounds decide and store them, and what was committed is told. */
import type { RoundItem, RoundResult } from './round-item.js';
import { createRoundLoop } from './round-loop.js';

export interface Judge {
  /** Resolves when the calls are decided and stored; rejects when they could not be, and the job should come back. */
  judge(items: readonly RoundItem[]): Promise<void>;
  /** The same in a round that nobody else's calls are part of: what breaks it breaks only these. */
  judgeAlone(items: readonly RoundItem[]): Promise<void>;
  /** Resolves when every round and everything it had to tell is done. */
  idle(): Promise<void>;
}

export interface JudgeDeps {
  readonly run: (items: readonly RoundItem[]) => Promise<RoundResult>;
  /** Tells what was committed; never throws. */
  readonly tell: (result: RoundResult) => Promise<void>;
  readonly roundCalls: number;
  /** The sessions that a call may write, by stream key: two rounds that write the same ones would only meet each other's conflicts. */
  readonly sessionsOf: (item: RoundItem) => readonly string[];
}

/** Nobody's next round waits until the last one has been told. */
export function createJudge({ run, tell, roundCalls, sessionsOf }: JudgeDeps): Judge {
  const telling = new Set<Promise<void>>();
  const loop = createRoundLoop<RoundItem>({
    run: async (items) => {
      const told = tell(await run(items)).finally(() => telling.delete(told));
      telling.add(told);
    },
    maxItems: roundCalls,
    topicsOf: sessionsOf,
  });
  return {
    judge: (items) => loop.submit(items),
    judgeAlone: (items) => loop.submit(items, { alone: true }),
    idle: async () => {
      await loop.idle();
      await Promise.all(telling);
    },
  };
}
