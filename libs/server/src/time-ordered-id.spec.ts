import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { timeOrderedId } from './time-ordered-id.js';

it('is a UUID of version 7 that tells its time, and no two are the same', () => {
  const before = Date.now();
  const ids = Array.from({ length: 10_000 }, timeOrderedId);
  const after = Date.now();
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect(z.uuidv7().safeParse(id).success).toBe(true);
    const time = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(after);
  }
});
