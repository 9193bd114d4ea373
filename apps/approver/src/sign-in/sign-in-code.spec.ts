import { describe, expect, it } from '@jest/globals';
import { createSignInCode, readSignInCode } from './sign-in-code.js';

const SECRET = 'a secret of this house that nobody else knows';
const NOW = 1_700_000_000_000;
const make = (lifetimeSeconds?: number) =>
  createSignInCode({
    cookieSecret: SECRET,
    keyHash: 'ab'.repeat(32),
    now: NOW,
    ...(lifetimeSeconds === undefined ? {} : { lifetimeSeconds }),
  });

describe('sign-in codes', () => {
  it('reads what was made, until it expires', () => {
    const code = make(60);
    expect(readSignInCode(code, SECRET, NOW)?.keyHash).toBe('ab'.repeat(32));
    expect(readSignInCode(code, SECRET, NOW + 59_999)).not.toBeNull();
    expect(readSignInCode(code, SECRET, NOW + 60_000)).toBeNull();
  });

  it('lives ten minutes when nobody says otherwise', () => {
    expect(readSignInCode(make(), SECRET, NOW + 599_000)).not.toBeNull();
    expect(readSignInCode(make(), SECRET, NOW + 600_000)).toBeNull();
  });

  it('never makes the same code twice', () => {
    expect(make()).not.toBe(make());
  });

  it('refuses a foreign secret, a changed note and any other text', () => {
    const code = make();
    const [text = '', signature = ''] = code.split('.');
    const changed = Buffer.from(Buffer.from(text, 'base64url').toString().replace('abab', 'cdcd')).toString(
      'base64url',
    );
    expect(readSignInCode(code, `${SECRET}!`, NOW)).toBeNull();
    for (const bad of [`${changed}.${signature}`, text, `${code}.x`, '', '.', 'x.y', `${text}.`]) {
      expect(readSignInCode(bad, SECRET, NOW)).toBeNull();
    }
  });
});
