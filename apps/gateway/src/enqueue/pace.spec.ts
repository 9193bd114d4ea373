import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { MAX_BATCH_CALLS, type EvaluateJob } from '@countersign/contracts';
import { createBatcher } from './batcher.js';
import { createPace } from './pace.js';

/** Longer than any test: whoever is held is held until somebody lets go. */
const LONG_MS = 60_000;

function paced(options: { ahead: number; holdMs: number; lingerMs?: number }) {
  const jobs: EvaluateJob[] = [];
  const sink = {
    enqueue: async (job: EvaluateJob) => {
      jobs.push(job);
      return `job-${jobs.length}`;
    },
  };
  const pace = createPace({ lingerMs: 0, ...options, now: () => performance.now() });
  const batcher = createBatcher({ sink, seal: { seal: (text) => text }, replyTo: 'g1', pace });
  return { jobs, pace, batcher, counts: () => jobs.map(({ count }) => count) };
}

describe('the pace of batches', () => {
  it('lets calls of an idle gateway leave at once', async () => {
    const { batcher, counts, pace } = paced({ ahead: 1, holdMs: LONG_MS });
    await batcher.add('1');
    pace.answered(['job-1'], 1);
    await batcher.add('2');
    expect(counts()).toEqual([1, 1]);
  });

  it('gathers calls while enough jobs are unanswered, and sends them together with the next answer', async () => {
    const { batcher, counts, pace } = paced({ ahead: 2, holdMs: LONG_MS });
    await batcher.add('1');
    await batcher.add('2');
    const held = ['3', '4', '5'].map((json) => batcher.add(json));
    await pause(20);
    expect(counts()).toEqual([1, 1]);
    pace.answered(['job-1'], 1);
    expect(await Promise.all(held)).toEqual(['job-3', 'job-3', 'job-3']);
    expect(counts()).toEqual([1, 1, 3]);
  });

  it('holds nobody longer than it may: an answer may never come', async () => {
    const { batcher, counts } = paced({ ahead: 1, holdMs: 10 });
    await batcher.add('1');
    await batcher.add('2');
    await batcher.add('3');
    expect(counts()).toEqual([1, 1, 1]);
  });

  it('does not hold a batch that is full', async () => {
    const { batcher, counts } = paced({ ahead: 1, holdMs: LONG_MS });
    await batcher.add('1');
    const full = Array.from({ length: MAX_BATCH_CALLS }, () => batcher.add('2'));
    await Promise.all(full);
    expect(counts()).toEqual([1, MAX_BATCH_CALLS]);
  });

  it('lets another batch leave once it is its share of all that are on their way', async () => {
    const { batcher, counts, pace } = paced({ ahead: 3, holdMs: LONG_MS });
    const add = (calls: number) => Array.from({ length: calls }, () => batcher.add('1'));
    await batcher.addAll(Array.from({ length: 10 }, () => '1'));
    const second = add(4);
    await pause(20);
    expect(counts()).toEqual([10]);
    await Promise.all([...second, ...add(1)]);
    expect(counts()).toEqual([10, 5]);
    await Promise.all(add(8));
    expect(counts()).toEqual([10, 5, 8]);
    // No fourth, however large, until there is an answer.
    const fourth = add(50);
    await pause(20);
    expect(counts()).toEqual([10, 5, 8]);
    pace.answered(['job-2'], 5);
    await Promise.all(fourth);
    expect(counts()).toEqual([10, 5, 8, 50]);
  });

  it('forgets a batch whose answer was lost', async () => {
    let ms = 0;
    const pace = createPace({ ahead: 2, holdMs: 10, lingerMs: 0, now: () => ms });
    pace.left('lost', 100);
    ms += 101;
    pace.left('slow', 1);
    await pace.turn(() => 1);
    pace.answered(['slow'], 1);
    await pace.turn(() => 1);
  });

  it('waits a moment for half of the many who were just answered', async () => {
    const { batcher, counts, pace } = paced({ ahead: 2, holdMs: LONG_MS, lingerMs: LONG_MS });
    pace.answered(['job-0'], 20);
    const held = Array.from({ length: 9 }, () => batcher.add('1'));
    await pause(20);
    expect(counts()).toEqual([]);
    await Promise.all([...held, batcher.add('1')]);
    expect(counts()).toEqual([10]);
  });

  it('waits no longer than that moment', async () => {
    const { batcher, counts, pace } = paced({ ahead: 2, holdMs: LONG_MS, lingerMs: 5 });
    pace.answered(['job-0'], 200);
    await batcher.add('1');
    expect(counts()).toEqual([1]);
  });

  it('gives a slow worker longer', async () => {
    let ms = 0;
    const pace = createPace({ ahead: 1, holdMs: 10, lingerMs: 0, now: () => ms });
    pace.left('job-1', 1);
    ms += 40;
    pace.answered(['job-1'], 1);
    await pace.turn(() => 1);
    pace.left('job-2', 1);
    let left = false;
    const turn = pace.turn(() => 1).then(() => (left = true));
    ms += 79;
    pace.grew();
    await pause(0);
    expect(left).toBe(false);
    ms += 1;
    pace.grew();
    await turn;
  });
});
