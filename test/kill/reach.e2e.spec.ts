/** A kill switch over three gateways and three workers as processes of their own; the long form is test/long/kill-reach. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openApart, type ApartHouse } from '../system/apart-house.js';
import { measureReach } from './reach.js';

let house: ApartHouse;
beforeAll(async () => {
  house = await openApart({ counts: { gateway: 3, worker: 3, approver: 1 }, policy: { allow: ['Bash(echo *)'] } });
}, 240_000);
afterAll(() => house?.close(), 60_000);

it('reaches every gateway and every worker within a second', async () => {
  const reaches = await measureReach(house, 5);
  // The bound of the issue, for the worst of them.
  expect(Math.max(...reaches.map(({ confirmed }) => confirmed))).toBeLessThan(1_000);
  expect(Math.max(...reaches.map(({ lastAllow }) => lastAllow))).toBeLessThan(1_000);
}, 180_000);
