/** The soak: 200 calls a second with sockets and asks for half an hour; `COUNTERSIGN_SOAK_MINUTES` for another time. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { FaultHouse } from '../faults/house.js';
import { above, growth, peaks } from '../soak/ceilings.js';
import { chainProblems, openAsks, soak, SOAK_POLICY } from '../soak/soak.js';

const MINUTES = Number(process.env['COUNTERSIGN_SOAK_MINUTES'] ?? 30);
const PER_SECOND = 200;
/** Growth of a process from the second quarter to the last one that is still no leak: caches fill, heaps breathe. */
const MOST_GROWTH = 0.25;
const LONG_ENOUGH_MINUTES = 5;

jest.setTimeout((MINUTES + 5) * 60_000);

let house: FaultHouse;
beforeAll(async () => {
  house = await FaultHouse.open({ counts: { gateway: 1, worker: 1, approver: 1 }, policy: SOAK_POLICY });
}, 240_000);
afterAll(() => house?.close(), 60_000);

it(`C07 memory stays under its ceilings for ${MINUTES} minutes of ${PER_SECOND} calls a second`, async () => {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const report = await soak(house, { seconds: MINUTES * 60, perSecond: PER_SECOND, sockets: 50, say });
  const { samples, wrong, ...figures } = report;
  say(JSON.stringify({ minutes: MINUTES, ...figures, peaksMb: peaks(samples), last: samples.at(-1) }));
  expect(wrong).toEqual([]);
  expect(report.refused).toBeLessThan(report.calls / 1_000);
  expect(above(samples)).toEqual([]);
  if (MINUTES >= LONG_ENOUGH_MINUTES) {
    for (const name of ['gateway', 'worker', 'approver'] as const) {
      expect(growth(samples, name)).toBeLessThan(MOST_GROWTH);
    }
  }
  expect(await openAsks(house)).toBe(0);
  expect(await chainProblems(house)).toEqual([]);
});
