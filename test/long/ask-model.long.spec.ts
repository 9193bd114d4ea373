/** 10,000 random lives of asks beside the model; ASK_MODEL_RUNS says otherwise. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { openAskWorld, type AskWorld } from '../asks/ask-world.js';
import { ASK_POLICY, runAskModel, type ModelSums } from '../asks/run-ask-model.js';
import { drawSeed } from '../system/chance.js';

jest.setTimeout(7_200_000);
/** Lives between two lines that tell how far it is. */
const TELL_EVERY = 500;
const RUNS = Number(process.env['ASK_MODEL_RUNS'] ?? 10_000);

let world: AskWorld;
beforeAll(async () => {
  world = await openAskWorld(ASK_POLICY);
}, 240_000);
afterAll(() => world?.close(), 60_000);

it(`has one end at most in ${RUNS} lives, allows nothing that nobody approved, leaves no card open and nobody waiting`, async () => {
  const seed = drawSeed('ask model, long');
  const onLife = ({ runs, asks }: Readonly<ModelSums>): void => {
    if (runs % TELL_EVERY === 0) process.stdout.write(`ask model: ${runs} of ${RUNS} lives, ${asks} asks\n`);
  };
  const plan = { seed, runs: RUNS, lanes: 32, commands: 20, restartEveryMs: 10_000, onLife };
  const sums = await runAskModel(world, plan);
  process.stdout.write(`ask model: ${JSON.stringify(sums)}\n`);
  expect(sums.runs).toBeGreaterThanOrEqual(RUNS);
  expect((await world.ledger.verify()).problems).toEqual([]);
});
