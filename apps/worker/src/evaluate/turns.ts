/** One after the other: whoever is suspected of ending workers has its turn alone. */

/** Runs `work` when everything that was given before has ended, well or not. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
