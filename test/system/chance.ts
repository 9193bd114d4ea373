/** Chance that can be had again: every test that draws prints its seed, and TEST_SEED repeats it. */

/** A seed of this run; printed, so that a failure can be repeated. */
export function drawSeed(test: string): number {
  const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`${test}: TEST_SEED=${seed}\n`);
  return seed;
}

/** Numbers from 0 to 1 (mulberry32). */
export function createChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
