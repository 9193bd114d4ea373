/** A short soak of the services as processes: right answers, watched by people, under the memory ceilings. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { FaultHouse } from '../faults/house.js';
import { above } from './ceilings.js';
import { chainProblems, openAsks, soak, SOAK_POLICY } from './soak.js';

jest.setTimeout(120_000);

let house: FaultHouse;
beforeAll(async () => {
  house = await FaultHouse.open({ counts: { gateway: 1, worker: 1, approver: 1 }, policy: SOAK_POLICY });
}, 240_000);
afterAll(() => house?.close(), 60_000);

it('C07 jobs and events leave nothing behind: memory stays under its ceilings', async () => {
  const report = await soak(house, { seconds: 15, perSecond: 100, sockets: 10, say: () => undefined });
  expect(report.wrong).toEqual([]);
  // A machine that is busy with other things makes fewer calls, and now and then refuses one; it decides none wrongly.
  expect(report.calls).toBeGreaterThan(50);
  expect(report.refused).toBeLessThan(report.calls / 10);
  expect(report.asksAnswered).toBeGreaterThan(0);
  expect(report.heardBySockets).toBeGreaterThan(0);
  expect(above(report.samples)).toEqual([]);
  expect(await openAsks(house)).toBe(0);
  expect(await chainProblems(house)).toEqual([]);
});

it('a soak that cannot go on leaves nothing running', async () => {
  await house.redis.stop();
  const options = { seconds: 3_600, perSecond: 100, sockets: 10, say: () => undefined };
  await expect(soak(house, options)).rejects.toThrow();
});
