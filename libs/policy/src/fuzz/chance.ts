/** Chance as data: a stream of numbers that a seed decides, so that every finding can be had again. */

/** A seeded stream. `below(n)` gives 0 … n-1; `often(p)` is true with probability p; `pick` never meets an empty list. */
export interface Chance {
  below(limit: number): number;
  often(probability: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
  many<T>(most: number, make: () => T): T[];
}

/** Starts the stream of a seed (a 32-bit whole number). */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    often: (probability) => next() < probability,
    pick: (list) => list[below(list.length)] ?? list[0],
    many: (most, make) => Array.from({ length: below(most + 1) }, make),
  };
}
