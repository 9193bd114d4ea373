/** The race of fifty people for one ask, two hundred times. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openApart, type ApartHouse } from './apart-house.js';
import { PEOPLE, RACE_POLICY, runRaces } from './race.js';

const RACES = 200;

let house: ApartHouse;
beforeAll(async () => {
  house = await openApart({ counts: { gateway: 1, worker: 1, approver: 2 }, policy: RACE_POLICY });
}, 240_000);
afterAll(() => house?.close(), 60_000);

it('lets one of fifty answers decide, two hundred times', async () => {
  const losers = RACES * (PEOPLE - 1);
  expect(await runRaces(house, RACES)).toEqual({ won: RACES, refused: losers, named: losers });
}, 1_800_000);
