import { describe, expect, it } from '@jest/globals';
import { isUnitsFault } from './append.js';

const refused = (code: string): Error => Object.assign(new Error('x'), { code });

describe('who is to blame for a statement that Postgres refuses', () => {
  it.each(['0A000', '21000', '22P02', '23505', '42703', '54000', 'P0001', 'XX000'])('%s: what is in it', (code) => {
    expect(isUnitsFault(refused(code))).toBe(true);
  });

  it.each(['25006', '25P02', '26000', '28000', '28P01', '42501', '40P01', '53300', '57P01', '08006', 'ECONNRESET'])(
    '%s: nobody',
    (code) => {
      expect(isUnitsFault(refused(code))).toBe(false);
    },
  );

  it('a text that cannot be encoded: what is in it', () => {
    expect(isUnitsFault(new RangeError('too large'))).toBe(true);
    expect(isUnitsFault(new Error('x'))).toBe(false);
  });
});
