import { describe, expect, it } from '@jest/globals';
import { createRoundLoop } from './round-loop.js';

const tick = (ms = 5): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('round loop', () => {
  it('starts the first round at once and gathers what arrives meanwhile', async () => {
    const rounds: number[][] = [];
    const loop = createRoundLoop<number>(async (items) => {
      rounds.push(items);
      await tick();
    }, 100);
    const first = loop.submit([1]);
    const others = [loop.submit([2]), loop.submit([3, 4])];
    await Promise.all([first, ...others]);
    expect(rounds).toEqual([[1], [2, 3, 4]]);
  });

  it('never runs two rounds at once', async () => {
    let open = 0;
    let most = 0;
    const loop = createRoundLoop<number>(async () => {
      open += 1;
      most = Math.max(most, open);
      await tick(1);
      open -= 1;
    }, 2);
    await Promise.all(Array.from({ length: 20 }, (_, index) => loop.submit([index])));
    expect(most).toBe(1);
  });

  it('keeps a submission whole and a round below its limit', async () => {
    const sizes: number[] = [];
    const loop = createRoundLoop<number>(async (items) => {
      sizes.push(items.length);
      await tick(1);
    }, 4);
    await Promise.all([loop.submit([0]), loop.submit([1, 1, 1]), loop.submit([2, 2]), loop.submit([3, 3, 3, 3, 3])]);
    expect(sizes).toEqual([1, 3, 2, 5]);
  });

  it('rejects only the submissions of the round that failed', async () => {
    const loop = createRoundLoop<number>(async (items) => {
      await tick(1);
      if (items.includes(13)) throw new Error('unlucky');
    }, 1);
    const results = await Promise.allSettled([loop.submit([1]), loop.submit([13]), loop.submit([2])]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await loop.idle();
  });
});
