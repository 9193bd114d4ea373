/** Faults at random for twenty minutes under a steady load; the seed is printed, and TEST_SEED repeats it. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { checkLoad } from '../faults/check.js';
import { FAULTS, type Fault } from '../faults/faults.js';
import { FaultHouse } from '../faults/house.js';
import { LOAD_POLICY, underLoad } from '../faults/load.js';
import { createChance, drawSeed } from '../system/chance.js';

const MINUTES = Number(process.env['TEST_CHAOS_MINUTES'] ?? 20);
const PER_SECOND = Number(process.env['TEST_CHAOS_RATE'] ?? 100);
/** The load is checked in parts, so that a failure tells which minute it was. */
const PART_SECONDS = 60;
const LONGEST_PAUSE_MS = 8_000;

jest.setTimeout((MINUTES + 5) * 60_000);
const chance = createChance(drawSeed('chaos'));

let house: FaultHouse;
beforeAll(async () => {
  house = await FaultHouse.open({ counts: { gateway: 2, worker: 3, approver: 2 }, policy: LOAD_POLICY });
}, 240_000);
afterAll(() => house?.close(), 60_000);

/** One fault after another, with pauses, until `until`; gives their names. */
async function wreak(until: number): Promise<string[]> {
  const faults = Object.values<Fault>(FAULTS);
  const done: string[] = [];
  while (performance.now() < until) {
    await pause(chance() * LONGEST_PAUSE_MS);
    const fault = faults[Math.floor(chance() * faults.length)];
    if (fault === undefined) continue;
    await fault.run(house, chance, 0.2 + chance() / 2);
    done.push(fault.name);
  }
  return done;
}

it(`keeps every promise through ${MINUTES} minutes of faults`, async () => {
  const parts = Math.max(1, Math.round((MINUTES * 60) / PART_SECONDS));
  let calls = 0;
  for (let part = 0; part < parts; part += 1) {
    const options = { url: house.gatewayUrl, key: house.keys.agentKey, perSecond: PER_SECOND, seconds: PART_SECONDS };
    const name = `chaos${part}`;
    const { told, done } = await underLoad({ ...options, name }, () =>
      wreak(performance.now() + (PART_SECONDS - 10) * 1_000),
    );
    process.stdout.write(`${name}: ${done.join('; ')}\n`);
    calls += (await checkLoad(house, name, told)).calls;
  }
  expect(calls).toBe(parts * PART_SECONDS * PER_SECOND);
});
