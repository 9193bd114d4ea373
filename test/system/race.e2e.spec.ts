/** Fifty people answer one ask at once, at two approvers: the first wins and all others learn who did. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openApart, type ApartHouse } from './apart-house.js';
import { PEOPLE, RACE_POLICY, runRaces } from './race.js';

const RACES = 5;

let house: ApartHouse;
beforeAll(async () => {
  house = await openApart({ counts: { gateway: 1, worker: 1, approver: 2 }, policy: RACE_POLICY });
}, 240_000);
afterAll(() => house?.close(), 60_000);

it('lets one of fifty answers decide, five times', async () => {
  const losers = RACES * (PEOPLE - 1);
  expect(await runRaces(house, RACES)).toEqual({ won: RACES, refused: losers, named: losers });
}, 180_000);
