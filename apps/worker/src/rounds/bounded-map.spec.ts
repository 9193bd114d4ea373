import { describe, expect, it } from '@jest/globals';
import { BoundedMap } from './bounded-map.js';

describe('bounded map', () => {
  it('forgets what was used longest ago', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    expect(map.get('a')).toBe(1);
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
    expect(map.size).toBe(2);
  });

  it('keeps its size when a key is set again', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('a', 2);
    map.delete('b');
    expect(map.size).toBe(1);
  });
});
