/** B13 in full: a thousand races of a cancel and a redemption. The short form is part of test/permits. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openHouse, type House } from '../calls/house.js';
import { raceCancel } from '../permits/race-cancel.js';

let house: House;
beforeAll(async () => {
  house = await openHouse({ policy: { allow: ['Bash(echo *)'] }, redis: true, workers: 2 });
}, 90_000);
afterAll(() => house?.close(), 30_000);

it('B13 of a cancel and a redemption at the same moment exactly one comes first, a thousand times', async () => {
  const ends = await raceCancel(house, 1_000);
  process.stdout.write(`B13: ${JSON.stringify(ends)}\n`);
  expect(ends.both + ends.neither).toBe(0);
  expect(ends.executed + ends.cancelled).toBe(1_000);
  expect(Math.min(ends.executed, ends.cancelled)).toBeGreaterThan(0);
}, 600_000);
