import { describe, expect, it } from '@jest/globals';
import { createVaultKeys, newVaultKey, OriginalUnreadable } from './vault-keys.js';

const place = { tenantId: 't', callId: 'call_1', kind: 'arguments' };

describe('vault keys', () => {
  it('seals for one place, and opens there only', () => {
    const keys = createVaultKeys([newVaultKey()]);
    const item = keys.seal(place, 'mysql -psecret1 ü');
    expect(item).toMatchObject({ ...place, keyId: keys.keyId, size: 18 });
    expect(Buffer.from(item.sealed, 'base64').toString('latin1')).not.toContain('secret1');
    expect(keys.open(item)).toBe('mysql -psecret1 ü');
    for (const moved of [{ callId: 'call_2' }, { tenantId: 'u' }, { kind: 'output' }]) {
      expect(() => keys.open({ ...item, ...moved })).toThrow(OriginalUnreadable);
    }
    expect(() => keys.open({ ...item, sealed: `${item.sealed.slice(0, -4)}AAAA` })).toThrow('was changed');
    expect(() => keys.open({ ...item, sealed: '' })).toThrow(OriginalUnreadable);
  });

  it('rotates: the new key seals, older ones open until they are taken away', () => {
    const [old, fresh] = [newVaultKey(), newVaultKey()];
    const before = createVaultKeys([old]);
    const item = before.seal(place, 'x');
    const during = createVaultKeys([fresh, old]);
    expect(during.open(item)).toBe('x');
    const again = during.seal(place, 'x');
    expect(again.keyId).not.toBe(item.keyId);
    const after = createVaultKeys([fresh]);
    expect(after.open(again)).toBe('x');
    expect(() => after.open(item)).toThrow(`the vault key ${before.keyId} is not in the ring`);
  });

  it('tags equal secrets alike under one key, and otherwise under another', () => {
    const ring = newVaultKey();
    expect(createVaultKeys([ring]).tag('s')).toBe(createVaultKeys([ring, newVaultKey()]).tag('s'));
    expect(createVaultKeys([ring]).tag('s')).toMatch(/^[0-9a-f]{12}$/);
    expect(createVaultKeys([ring]).tag('s')).not.toBe(createVaultKeys([newVaultKey()]).tag('s'));
  });

  it('refuses keys that are none', () => {
    expect(() => createVaultKeys([])).toThrow('at least one key');
    expect(() => createVaultKeys(['c2hvcnQ='])).toThrow('32 bytes');
  });
});
