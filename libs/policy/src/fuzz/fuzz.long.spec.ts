import { describe, expect, it } from '@jest/globals';
import { fuzz } from './fuzz.js';

/** Time that this process itself was given, so that a busy machine makes nothing slow. */
function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

describe('the fuzzer, at length', () => {
  it.each([1, 1_000_000, 2_000_000])(
    'breaks no law in a minute from seed %i',
    (seed) => {
      const end = performance.now() + 60_000;
      const report = fuzz({ seed, now: processMs, goOn: () => performance.now() < end });
      expect(report.failures).toEqual([]);
    },
    180_000,
  );
});
