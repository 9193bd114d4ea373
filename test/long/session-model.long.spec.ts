/** A hundred sessions, 20,000 calls with random denies, answers, cancels, stops, resets, kills and worker crashes, beside the model. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openModelHouse, runModel, type ModelHouse } from '../session-model/run-model.js';
import { drawSeed } from '../system/chance.js';

jest.setTimeout(1_800_000);

let house: ModelHouse;
beforeAll(async () => {
  house = await openModelHouse();
}, 240_000);
afterAll(() => house?.close(), 60_000);

describe('a hundred sessions, two workers that crash', () => {
  it('do what the model predicts in 20,000 calls, and their streams replay to the same states', async () => {
    const seed = drawSeed('session model, long');
    const summary = await runModel(house, seed, { families: 50, calls: 20_000, crashEveryMs: 8_000 });
    process.stdout.write(`session model: ${JSON.stringify({ ...summary, differences: summary.differences.length })}\n`);
    expect(summary.differences).toEqual([]);
    expect(summary.sessions).toBe(100);
    expect(summary.calls).toBeGreaterThanOrEqual(20_000);
    expect(summary.crashes).toBeGreaterThan(2);
    expect((await house.ledger.verify()).problems).toEqual([]);
  });
});
