/** Sessions driven at random beside a model that predicts every decision and every breaker: a few families, for seconds. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { drawSeed } from '../system/chance.js';
import { openModelHouse, runModel, type ModelHouse } from './run-model.js';

jest.setTimeout(180_000);

let house: ModelHouse;
beforeAll(async () => {
  house = await openModelHouse();
}, 180_000);
afterAll(() => house?.close(), 60_000);

describe('ten sessions, two workers that crash', () => {
  it('do what the model predicts, and their streams replay to the same states', async () => {
    const seed = drawSeed('session model');
    const summary = await runModel(house, seed, { families: 5, calls: 300, crashEveryMs: 2_500 });
    process.stdout.write(`session model: ${JSON.stringify({ ...summary, differences: summary.differences.length })}\n`);
    expect(summary.differences).toEqual([]);
    expect(summary.calls).toBeGreaterThanOrEqual(300);
    expect((await house.ledger.verify()).problems).toEqual([]);
  });
});
