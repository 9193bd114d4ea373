/** A hundred people answer each of a thousand asks at once, from four processes, on three channels; ASK_RACES says otherwise. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { AskWorld } from '../asks/ask-world.js';
import { openRaceWorld, runAskRace } from '../asks/ask-race.js';

jest.setTimeout(7_200_000);
/** Races between two lines that tell how far it is. */
const TELL_EVERY = 50;
const ASKS = Number(process.env['ASK_RACES'] ?? 1_000);

let world: AskWorld;
beforeAll(async () => {
  world = await openRaceWorld();
}, 240_000);
afterAll(() => world?.close(), 60_000);

it(`B01 lets one of a hundred people win each of ${ASKS} asks, and tells the others who won`, async () => {
  const losers = ASKS * 99;
  const tell = (ended: number): void => {
    if (ended % TELL_EVERY === 0) process.stdout.write(`ask race: ${ended} of ${ASKS} asks\n`);
  };
  expect(await runAskRace(world, ASKS, tell)).toMatchObject({ winners: ASKS, refused: losers, named: losers });
});
