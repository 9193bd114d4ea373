/** The life of asks at random beside a model: answers on every channel, time, cancels, kill switches, parked hooks, restarts. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { drawSeed } from '../system/chance.js';
import { openAskWorld, type AskWorld } from './ask-world.js';
import { ASK_POLICY, runAskModel } from './run-ask-model.js';

jest.setTimeout(240_000);
const RUNS = 400;
/** Nothing begins later than this, so a loaded machine does fewer of them; each lane does one at least. */
const WITHIN_MS = 12_000;
const LANES = 12;

let world: AskWorld;
beforeAll(async () => {
  world = await openAskWorld(ASK_POLICY);
}, 180_000);
afterAll(() => world?.close(), 60_000);

it('has one end at most, allows nothing that nobody approved, leaves no card open and nobody waiting', async () => {
  const seed = drawSeed('ask model');
  const plan = { seed, runs: RUNS, lanes: LANES, commands: 16, restartEveryMs: 2_000, withinMs: WITHIN_MS };
  const sums = await runAskModel(world, plan);
  process.stdout.write(`ask model: ${JSON.stringify(sums)}\n`);
  expect(sums.runs).toBeGreaterThanOrEqual(LANES);
  expect((await world.ledger.verify()).problems).toEqual([]);
});
