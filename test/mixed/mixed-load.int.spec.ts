/** The short form of the mixed load; ten minutes of it run in the long suite. */
import { expect, it } from '@jest/globals';
import { drawSeed } from '../system/chance.js';
import { mixedLoad } from './mixed-load.js';

it('six processes decide, answer, cancel, grant and kill on the same sessions without a deadlock', async () => {
  const { done, refused, events, lockTimeouts, ...found } = await mixedLoad({
    seconds: 0,
    works: 25,
    seed: drawSeed('mixed load'),
  });
  expect(found).toEqual({ deadlocks: 0, errors: [], chainProblems: [], differing: [], overused: [] });
  expect(done['decide']).toBeGreaterThan(10);
  expect(Object.keys(done).length).toBeGreaterThan(4);
  expect(refused['internal.error']).toBeUndefined();
  expect(events).toBeGreaterThan(50);
  expect(lockTimeouts).toBeLessThan(10);
}, 240_000);
