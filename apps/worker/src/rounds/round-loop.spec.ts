import { describe, expect, it } from '@jest/globals';
import { createRoundLoop, type RoundLoop } from './round-loop.js';

const tick = (ms = 5): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Items are words; what they are about is their first letter. */
function loopOf(run: (items: string[]) => Promise<void>, maxItems = 100): RoundLoop<string> {
  return createRoundLoop({ run, maxItems, topicsOf: (word) => [word.slice(0, 1)] });
}

/** A loop whose rounds last until they are ended by hand. */
function held(maxItems = 100) {
  const rounds: string[] = [];
  const ends: (() => void)[] = [];
  const loop = loopOf((items) => {
    rounds.push(items.join(' '));
    return new Promise((resolve) => ends.push(resolve));
  }, maxItems);
  const end = async (place: number): Promise<void> => {
    ends[place]?.();
    await tick(0);
  };
  return { rounds, loop, end };
}

describe('round loop', () => {
  it('starts the first round at once and gathers what arrives meanwhile', async () => {
    const { rounds, loop, end } = held();
    void loop.submit(['a1']);
    void loop.submit(['a2']);
    void loop.submit(['a3', 'a4']);
    expect(rounds).toEqual(['a1']);
    await end(0);
    expect(rounds).toEqual(['a1', 'a2 a3 a4']);
  });

  it('begins a second round beside the first for other things, and no third', async () => {
    const { rounds, loop, end } = held();
    for (const word of ['a1', 'b1', 'c1', 'd1']) void loop.submit([word]);
    expect(rounds).toEqual(['a1', 'b1']);
    await end(1);
    expect(rounds).toEqual(['a1', 'b1', 'c1 d1']);
  });

  it('gathers what would make a round much smaller than the one that runs', async () => {
    const { rounds, loop, end } = held();
    void loop.submit(['a1', 'a2', 'a3', 'a4']);
    void loop.submit(['b1']);
    expect(rounds).toEqual(['a1 a2 a3 a4']);
    void loop.submit(['c1']);
    expect(rounds).toEqual(['a1 a2 a3 a4', 'b1 c1']);
    await end(0);
  });

  it('never runs rounds with a common topic at once, and keeps their order', async () => {
    const open = new Set<string>();
    const order: string[] = [];
    const loop = loopOf(async (items) => {
      const topics = new Set(items.map((word) => word.slice(0, 1)));
      for (const topic of topics) expect(open.has(topic)).toBe(false);
      for (const topic of topics) open.add(topic);
      order.push(...items);
      await tick(1);
      for (const topic of topics) open.delete(topic);
    }, 3);
    const words = Array.from({ length: 60 }, (_, place) => `${'abc'[(place * 7 + (place % 5)) % 3] ?? ''}${place}`);
    await Promise.all(words.map((word) => loop.submit([word])));
    for (const topic of 'abc') {
      const of = (list: readonly string[]) => list.filter((word) => word.startsWith(topic));
      expect(of(order)).toEqual(of(words));
    }
  });

  it('keeps a round below its limit, and a submission whole that is no larger', async () => {
    const sizes: number[] = [];
    const loop = loopOf(async (items) => {
      sizes.push(items.length);
      await tick(1);
    }, 4);
    const words = (count: number): string[] => Array.from({ length: count }, (_, place) => `a${place}`);
    await Promise.all([1, 3, 2, 4].map((count) => loop.submit(words(count))));
    expect(sizes).toEqual([1, 3, 2, 4]);
  });

  it('drafts the next part of a large submission while the first is stored, and ends when all parts have ended', async () => {
    const { rounds, loop, end } = held(2);
    let ended = false;
    void loop.submit(['a1', 'b1', 'c1', 'd1', 'e1']).then(() => (ended = true));
    expect(rounds).toEqual(['a1 b1', 'c1 d1']);
    await end(1);
    expect(rounds).toEqual(['a1 b1', 'c1 d1', 'e1']);
    await end(2);
    expect(ended).toBe(false);
    await end(0);
    expect(ended).toBe(true);
  });

  it('cuts into parts of about equal size', async () => {
    const { rounds, loop } = held(4);
    void loop.submit(['a1', 'b1', 'c1', 'd1', 'e1']);
    expect(rounds).toEqual(['a1 b1 c1', 'd1 e1']);
  });

  it('never cuts through a topic, nor through what is joined by one, and keeps the order', async () => {
    const rounds: string[] = [];
    const run = async (items: string[]): Promise<void> => void rounds.push(items.join(' '));
    const loop = createRoundLoop<string>({ run, maxItems: 2, topicsOf: (word) => [...word.replace(/\d/, '')] });
    await loop.submit(['a1', 'b2', 'c3', 'a4', 'd5', 'bc6', 'a7', 'd8', 'e9']);
    expect(rounds).toEqual(['a1 a4 a7', 'b2 c3 bc6', 'd5 d8', 'e9']);
  });

  it('loses nothing that is about nothing', async () => {
    const seen: string[] = [];
    const run = async (items: string[]): Promise<void> => void seen.push(...items);
    const loop = createRoundLoop<string>({ run, maxItems: 2, topicsOf: () => [] });
    await loop.submit(['a', 'b', 'c', 'd', 'e']);
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('lets nothing of a topic overtake a part that fails', async () => {
    const order: string[] = [];
    let failed = false;
    const loop = loopOf(async (items) => {
      await tick(1);
      if (!failed && items.includes('s1')) {
        failed = true;
        throw new Error('unlucky');
      }
      order.push(...items);
    }, 2);
    const step = ['s1', 's2', 's3', 's4', 's5'];
    await expect(loop.submit(['o1', ...step])).rejects.toThrow('unlucky');
    expect(order.filter((word) => word.startsWith('s'))).toEqual([]);
    for (const word of step) await loop.submit([word], { alone: true });
    expect(order.filter((word) => word.startsWith('s'))).toEqual(step);
  });

  it('tells a failed part when the other parts have ended, too', async () => {
    const done: string[] = [];
    const loop = loopOf(async (items) => {
      await tick(items.includes('a1') ? 1 : 10);
      if (items.includes('a1')) throw new Error('unlucky');
      done.push(...items);
    }, 2);
    await expect(loop.submit(['a1', 'b1', 'c1', 'd1', 'e1'])).rejects.toThrow('unlucky');
    expect(done).toEqual(['c1', 'd1', 'e1']);
  });

  it('runs what is to be alone beside nothing else', async () => {
    const { rounds, loop, end } = held();
    void loop.submit(['a1']);
    void loop.submit(['b1'], { alone: true });
    void loop.submit(['c1']);
    expect(rounds).toEqual(['a1']);
    await end(0);
    expect(rounds).toEqual(['a1', 'b1']);
    await end(1);
    expect(rounds).toEqual(['a1', 'b1', 'c1']);
  });

  it('rejects only the submissions of the round that failed', async () => {
    const loop = loopOf(async (items) => {
      await tick(1);
      if (items.includes('b13')) throw new Error('unlucky');
    }, 1);
    const results = await Promise.allSettled(['a1', 'b13', 'c2'].map((word) => loop.submit([word])));
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await loop.idle();
  });
});
