import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromColumn, toColumn } from './column-text.js';

describe('text in columns', () => {
  it('comes back as it was, and is storable in between', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
        (text) => {
          const stored = toColumn(text);
          expect(fromColumn(stored)).toBe(text);
          expect(stored).not.toContain('\0');
          expect(Buffer.from(stored, 'utf8').toString('utf8')).toBe(stored);
        },
      ),
    );
  });

  it.each([
    ['plain', 'plain'],
    ['a\\b', 'a\\\\b'],
    ['a\0b', 'a\\u0000b'],
    ['\\u0000', '\\\\u0000'],
    ['\ud800', '\\ud800'],
    ['\u{1f600}', '\u{1f600}'],
  ])('%j is stored as %j', (text, stored) => {
    expect(toColumn(text)).toBe(stored);
  });
});
