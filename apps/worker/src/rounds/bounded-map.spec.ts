import { describe, expect, it } from '@jest/globals';
import { BoundedMap } from './bounded-map.js';

const keysIn = (map: BoundedMap<string, number>, keys: string): string =>
  [...keys].filter((key) => map.get(key) !== undefined).join('');

describe('bounded map', () => {
  it('forgets what was not used for long, and never what was just used', () => {
    const map = new BoundedMap<string, number>(4);
    for (const [place, key] of [...'abcd'].entries()) map.set(key, place);
    expect(map.get('a')).toBe(0);
    map.set('e', 4);
    expect(map.get('b')).toBeUndefined();
    expect(map.get('e')).toBe(4);
    expect(map.get('a')).toBe(0);
  });

  it('never holds more than its limit, nor less than half of it', () => {
    const map = new BoundedMap<number, number>(10);
    for (let n = 0; n < 1_000; n += 1) {
      map.set(n, n);
      const { young, old } = map as unknown as Record<'young' | 'old', Map<number, number>>;
      expect(new Set([...young.keys(), ...old.keys()]).size).toBeLessThanOrEqual(10);
      for (let last = Math.max(0, n - 4); last <= n; last += 1) expect(young.get(last) ?? old.get(last)).toBe(last);
    }
  });

  it('gives the newest value of a key and nothing of a deleted one, whichever generation holds it', () => {
    const map = new BoundedMap<string, number>(4);
    for (const [place, key] of [...'abac'].entries()) map.set(key, place);
    map.set('a', 9);
    expect(map.get('a')).toBe(9);
    map.delete('a');
    map.delete('c');
    expect(keysIn(map, 'abc')).toBe('b');
  });
});
