/** The limit holds between counts and opens again after one. */
import { describe, expect, it } from '@jest/globals';
import { createDepthGuard } from './depth-guard.js';
import { QueueFull } from './queue-errors.js';

describe('createDepthGuard', () => {
  it('counts what was added since the last count', async () => {
    const guard = createDepthGuard({ getWaitingCount: async () => 3 }, { maxDepth: 5, onError: () => undefined });
    await guard();
    await guard();
    await expect(Promise.all([guard(), guard(), guard()])).rejects.toThrow(QueueFull);
  });

  it('lets adds pass while the count cannot be taken, up to the limit', async () => {
    const errors: Error[] = [];
    const getWaitingCount = () => Promise.reject(new Error('away'));
    const guard = createDepthGuard({ getWaitingCount }, { maxDepth: 2, onError: (error) => errors.push(error) });
    await guard();
    await guard();
    await expect(guard()).rejects.toThrow(QueueFull);
    expect(errors.map((error) => error.message)).toEqual(['away']);
  });
});
