import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ChurnMap } from './churn-map.js';

describe('churn map', () => {
  it('holds what a Map holds, in the same order, however much comes and goes', () => {
    const step = fc.record({ key: fc.nat(40), value: fc.nat(), gone: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 1_500, size: 'max' }), (steps) => {
        const churned = new ChurnMap<number, number>();
        const plain = new Map<number, number>();
        for (const { key, value, gone } of steps) {
          if (gone) expect(churned.delete(key)).toBe(plain.delete(key));
          else {
            churned.set(key, value);
            plain.set(key, value);
          }
          expect([churned.get(key), churned.has(key), churned.size]).toEqual([
            plain.get(key),
            plain.has(key),
            plain.size,
          ]);
        }
        expect(churned.values()).toEqual([...plain.values()]);
      }),
      { numRuns: 20 },
    );
  });

  it('may lose entries while its values are walked through', () => {
    const map = new ChurnMap<number, number>();
    for (let n = 0; n < 1_000; n += 1) map.set(n, n);
    for (const value of map.values()) map.delete(value);
    expect(map.size).toBe(0);
  });
});
