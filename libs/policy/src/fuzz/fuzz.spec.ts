import { describe, expect, it } from '@jest/globals';
import { createChance } from './chance.js';
import { fuzz } from './fuzz.js';
import { minimise } from './minimise.js';

/** Time that this process itself was given, so that a busy machine makes nothing slow. */
function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

describe('the fuzzer', () => {
  it('breaks no law in five seconds', () => {
    const end = performance.now() + 5_000;
    const report = fuzz({ seed: 20_260_101, now: processMs, goOn: () => performance.now() < end });
    expect(report.failures).toEqual([]);
    expect(report.rounds).toBeGreaterThan(0);
    expect(Math.min(report.effects.allow, report.effects.ask, report.effects.deny)).toBeGreaterThan(0);
  }, 60_000);

  it('does the same again for the same seed', () => {
    const run = () => fuzz({ seed: 7, now: () => 0, goOn: (rounds) => rounds < 2 });
    expect(run()).toEqual(run());
  });

  it('sees a judgement that takes too long, and gives the smallest call that does', () => {
    let clock = 0;
    const report = fuzz({ seed: 7, now: () => (clock += 100), goOn: (rounds) => rounds < 1 });
    expect(report.failures[0]).toMatchObject({ law: 'fast', seed: 7, message: 'one judgement took 100.0 ms' });
    expect(Object.values(report.failures[0]?.input.args ?? {}).filter((value) => typeof value === 'string')).toEqual(
      expect.arrayContaining(['']),
    );
  });

  it('draws from a seed alone', () => {
    const draw = (seed: number) =>
      Array.from(
        { length: 5 },
        (
          (chance) => () =>
            chance.below(1_000)
        )(createChance(seed)),
      );
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
  });

  it('makes failing texts small', () => {
    expect(minimise('xxxxaxxxxxbxxx', (text) => /a.*b/.test(text))).toBe('ab');
    expect(minimise('abc', () => true)).toBe('');
  });
});
