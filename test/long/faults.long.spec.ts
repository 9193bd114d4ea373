/** Each fault of real processes for a minute under 200 calls a second, twice in that minute. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { checkLoad } from '../faults/check.js';
import { FAULTS, type Fault } from '../faults/faults.js';
import { FaultHouse } from '../faults/house.js';
import { LOAD_POLICY, underLoad } from '../faults/load.js';
import { createChance, drawSeed } from '../system/chance.js';

jest.setTimeout(300_000);

const PER_SECOND = Number(process.env['TEST_FAULT_RATE'] ?? 200);
const SECONDS = 60;
const FAULT_AT_MS = [5_000, 32_000];
const chance = createChance(drawSeed('faults, long'));

let house: FaultHouse;
beforeAll(async () => {
  house = await FaultHouse.open({ counts: { gateway: 2, worker: 3, approver: 2 }, policy: LOAD_POLICY });
}, 240_000);
afterAll(() => house?.close(), 60_000);

describe('a minute of 200 calls a second', () => {
  it.each(Object.entries<Fault>(FAULTS))('%s', async (key, fault) => {
    const began = performance.now();
    const options = { url: house.gatewayUrl, key: house.keys.agentKey, perSecond: PER_SECOND, seconds: SECONDS };
    const { told } = await underLoad({ ...options, name: key }, async () => {
      for (const at of FAULT_AT_MS) {
        await pause(Math.max(0, at - (performance.now() - began)));
        await fault.run(house, chance, 1);
      }
    });
    const summary = await checkLoad(house, key, told);
    expect(summary.calls).toBe(PER_SECOND * SECONDS);
  });
});
