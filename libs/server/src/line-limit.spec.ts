import { expect, it } from '@jest/globals';
import { createLineLimit } from './line-limit.js';

it('writes some lines of each kind in each span of time, and says how many it left out', () => {
  let leftOut = 0;
  const limit = createLineLimit({ lines: 2, spanMs: 100, onLeftOut: () => (leftOut += 1) });
  const takes = Array.from({ length: 5 }, () => limit.take('a', 0));
  expect(takes).toEqual([{ leftOut: 0 }, { leftOut: 0 }, null, null, null]);
  expect(limit.take('b', 0)).toEqual({ leftOut: 0 });
  expect(limit.take('a', 100)).toEqual({ leftOut: 3 });
  expect(limit.take('a', 100)).toEqual({ leftOut: 0 });
  expect(leftOut).toBe(3);
});

it('is bounded in kinds: those beyond it share one budget', () => {
  const limit = createLineLimit({ lines: 1, spanMs: 100 });
  const taken = Array.from({ length: 1_000 }, (_, index) => limit.take(`kind ${index}`, 0));
  expect(taken.filter((take) => take !== null)).toHaveLength(201);
});
