/** Ten minutes of mixed load from six processes: no deadlock, no error, every chain whole, every state what its events make. */
import { expect, it } from '@jest/globals';
import { mixedLoad } from '../mixed/mixed-load.js';
import { drawSeed } from '../system/chance.js';

const SECONDS = 600;

it('six processes decide, answer, cancel, grant and kill for ten minutes without a deadlock', async () => {
  const { done, refused, events, lockTimeouts, ...found } = await mixedLoad({
    seconds: SECONDS,
    works: 0,
    seed: drawSeed('mixed load, long'),
  });
  process.stdout.write(
    `mixed load: ${events} events, ${JSON.stringify(done)}, refused ${JSON.stringify(refused)}, ${lockTimeouts} lock timeouts\n`,
  );
  expect(found).toEqual({ deadlocks: 0, errors: [], chainProblems: [], differing: [], overused: [] });
}, 1_800_000);
