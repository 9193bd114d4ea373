/** How fast a kill switch reaches three gateways and three workers: sixty engagements, their figures printed. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { measureReach, percentile } from '../kill/reach.js';
import { openApart, type ApartHouse } from '../system/apart-house.js';

const TIMES = 60;

let house: ApartHouse;
beforeAll(async () => {
  house = await openApart({ counts: { gateway: 3, worker: 3, approver: 1 }, policy: { allow: ['Bash(echo *)'] } });
}, 240_000);
afterAll(() => house?.close(), 60_000);

it('reaches every gateway and every worker within a second, 99 times of 100', async () => {
  const reaches = await measureReach(house, TIMES);
  const figures = (name: 'confirmed' | 'lastAllow') => {
    const values = reaches.map((reach) => reach[name]);
    return Object.fromEntries(
      [0.5, 0.99, 1].map((share) => [`p${share * 100}`, Math.round(percentile(values, share))]),
    );
  };
  const confirmed = figures('confirmed');
  const lastAllow = figures('lastAllow');
  process.stdout.write(`kill reach over ${TIMES} engagements: ${JSON.stringify({ confirmed, lastAllow })}\n`);
  expect(confirmed['p99']).toBeLessThan(1_000);
  expect(lastAllow['p99']).toBeLessThan(1_000);
}, 900_000);
