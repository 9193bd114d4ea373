import { describe, expect, it } from '@jest/globals';
import { readPlaces, writePlaces } from './stream-place.js';

describe('the place of a stream', () => {
  it('comes back as it was told', () => {
    expect(readPlaces(writePlaces(17, []))).toEqual({ own: 17, above: null });
    expect(readPlaces(writePlaces(17, [4, 0]))).toEqual({ own: 17, above: [4, 0] });
  });

  it.each(['', 'x', '-1', '1-', '1--2', '1 ', '1234567890123456', `1${'-1'.repeat(65)}`])('is not %j', (text) => {
    expect(readPlaces(text)).toBeNull();
  });
});
