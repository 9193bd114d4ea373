/** What is sealed opens only whole and with the right key. */
import { describe, expect, it } from '@jest/globals';
import { createSeal, newSealKey, SealBroken } from './seal.js';

const [oldKey, newKey] = [newSealKey(), newSealKey()];

describe('createSeal', () => {
  it.each(['', 'plain', 'é \u0000 😀', 'x'.repeat(1_000_000)])('opens what it sealed (%#)', (text) => {
    const seal = createSeal(newKey);
    expect(seal.open(seal.seal(text))).toBe(text);
    expect(seal.seal(text)).not.toBe(seal.seal(text));
  });

  it('opens old texts while a key rotates', () => {
    const before = createSeal(oldKey);
    const during = createSeal([newKey, oldKey]);
    expect(during.open(before.seal('old'))).toBe('old');
    expect(createSeal(newKey).open(during.seal('new'))).toBe('new');
    expect(() => before.open(during.seal('new'))).toThrow(SealBroken);
  });

  it('refuses every changed, cut or foreign text', () => {
    const seal = createSeal(newKey);
    const bytes = Buffer.from(seal.seal('secret'), 'base64');
    for (let i = 0; i < bytes.length; i += 1) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(() => seal.open(changed.toString('base64'))).toThrow(SealBroken);
      expect(() => seal.open(bytes.subarray(0, i).toString('base64'))).toThrow(SealBroken);
    }
    expect(() => seal.open('not base64 at all')).toThrow(SealBroken);
  });

  it('refuses unfit keys', () => {
    expect(() => createSeal('c2hvcnQ=')).toThrow(/32 bytes/);
    expect(() => createSeal([])).toThrow();
  });
});
