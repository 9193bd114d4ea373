/** The numbers that watchers read, from a real database. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openTestLedger, type TestLedger } from '@countersign/testing';

let house: TestLedger;
beforeAll(async () => {
  house = await openTestLedger('t1');
}, 120_000);
afterAll(() => house.close(), 60_000);

it('come in one query, under the rights of the services', async () => {
  const vitals = await house.ledger.watching.vitals();
  expect(vitals).toEqual({ openAsks: 0, oldestAskSeconds: 0, killSwitches: 0, oldestWriteSeconds: expect.any(Number) });
  expect(vitals.oldestWriteSeconds).toBeGreaterThanOrEqual(0);
  expect(house.ledger.watching.poolUse()).toEqual({ idle: expect.any(Number), busy: 0, waiting: 0 });
});
