/** A hundred people answer each of twelve asks at once, from four processes, on three channels: the first one counts. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { AskWorld } from './ask-world.js';
import { openRaceWorld, runAskRace } from './ask-race.js';

jest.setTimeout(240_000);
const ASKS = 12;

let world: AskWorld;
beforeAll(async () => {
  world = await openRaceWorld();
}, 180_000);
afterAll(() => world?.close(), 60_000);

it('B01 lets one of a hundred people win each ask, and tells the others who won', async () => {
  const losers = ASKS * 99;
  expect(await runAskRace(world, ASKS)).toMatchObject({ winners: ASKS, refused: losers, named: losers });
});
