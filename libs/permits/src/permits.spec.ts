/** Permits: what is signed verifies, and nothing else does. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '@countersign/contracts';
import fc from 'fast-check';
import {
  canonicalText,
  hashOf,
  newPermitSeed,
  signingKeyOf,
  signPermit,
  verifyPermit,
  type PermitClaims,
  type PermitUse,
} from './index.js';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const key = signingKeyOf(newPermitSeed());
const other = signingKeyOf(newPermitSeed());
const keys = { keys: [other.jwk, key.jwk] };
const args = { command: 'npm test', options: { z: [1, 2.5, -0], a: 'é\u0000' } };
const evidence = { '/work/app': { real: '/work/app', exists: true } };
const claims: PermitClaims = {
  tenant: 'acme',
  session: 's1',
  agent: 'claude-code',
  call: 'call_1',
  attempt: 1,
  tool: 'Bash',
  args: hashOf(args),
  cwd: '/work/app',
  evidence: hashOf(evidence),
  obligations: { timeoutMs: 60_000, maxOutputChars: 4_000, interrupt: 'block', sandbox: 'none' },
  jti: 'permit_1',
  iat: NOW / 1_000,
  exp: NOW / 1_000 + 60,
};
const use: PermitUse = { now: NOW + 1_000, tool: 'Bash', args, cwd: '/work/app' };
const permit = signPermit(claims, key);
const reason = (text: string, changed: Partial<PermitUse> = {}) => {
  const check = verifyPermit(text, keys, { ...use, ...changed });
  return check.ok ? 'ok' : check.reason;
};
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** Signed by our own key, whatever stands in it. */
const forged = (header: object, payload: object): string => {
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString('base64url')}`;
};
const header = { alg: 'EdDSA', kid: key.kid, typ: 'countersign-permit' };

describe('a permit', () => {
  it('verifies offline with the published keys, and gives its claims back', () => {
    const published = JSON.parse(JSON.stringify(keys)) as typeof keys;
    expect(
      verifyPermit(permit, published, { ...use, tenant: 'acme', session: 's1', call: 'call_1', evidence }),
    ).toEqual({
      ok: true,
      claims,
    });
  });

  it('holds for the same arguments in another order of members', () => {
    const sameArgs = { options: { a: 'é\u0000', z: [1, 2.5, 0] }, command: 'npm test' };
    expect(reason(permit, { args: sameArgs })).toBe('ok');
  });

  it.each<[string, Partial<PermitUse>]>([
    ['other_arguments', { args: { ...args, command: 'npm test -- --ci' } }],
    ['other_arguments', { args: { ...args, extra: null } }],
    ['other_arguments', { args: undefined }],
    ['other_arguments', { args: { command: '\ud800' } }],
    ['other_tool', { tool: 'bash' }],
    ['other_cwd', { cwd: '/work' }],
    ['other_cwd', { cwd: null }],
    ['other_evidence', { evidence: { '/work/app': { real: '/etc', exists: true } } }],
    ['other_evidence', { evidence: undefined }],
    ['other_tenant', { tenant: 'neighbour' }],
    ['other_session', { session: 's2' }],
    ['other_call', { call: 'call_2' }],
    ['expired', { now: NOW + 60_000 }],
    ['expired', { now: Number.NaN }],
    ['not_yet_valid', { now: NOW - 6_000 }],
  ])('is refused as %s for %j', (expected, changed) => {
    expect(reason(permit, changed)).toBe(expected);
  });

  it('holds until its last moment, and for a clock that is a little behind', () => {
    expect(reason(permit, { now: NOW + 59_999 })).toBe('ok');
    expect(reason(permit, { now: NOW - 4_000 })).toBe('ok');
  });

  it('is refused when any character of it is changed', () => {
    fc.assert(
      fc.property(fc.nat(permit.length - 1), fc.constantFrom(...'AZaz09-_.=+ '), (at, letter) => {
        fc.pre(permit[at] !== letter);
        expect(reason(permit.slice(0, at) + letter + permit.slice(at + 1))).not.toBe('ok');
      }),
      { numRuns: 500 },
    );
  });

  it('is refused under a key that is not published, or not the one it names', () => {
    expect(verifyPermit(permit, { keys: [other.jwk] }, use)).toEqual({ ok: false, reason: 'unknown_key' });
    const renamed = { keys: [{ ...other.jwk, kid: key.kid }] };
    expect(verifyPermit(permit, renamed, use)).toEqual({ ok: false, reason: 'unknown_key' });
    expect(reason(forged({ ...header, kid: other.kid }, claims))).toBe('bad_signature');
  });

  it.each([{}, null, undefined, [], { keys: null }, { keys: {} }, { keys: [null, 'x', {}, { kid: key.kid }] }, 'x', 4])(
    'is refused with %j in place of published keys',
    (keys) => {
      expect(verifyPermit(permit, keys as never, use)).toEqual({ ok: false, reason: 'unknown_key' });
    },
  );

  it.each(['none', 'HS256', 'RS256', 'ES256', 'eddsa', null])('is refused with the algorithm %s', (alg) => {
    expect(reason(forged({ ...header, alg }, claims))).toBe('wrong_algorithm');
  });

  it('is refused with an empty signature, and with one of a curve that is not ours', () => {
    const signed = permit.slice(0, permit.lastIndexOf('.'));
    expect(reason(`${signed}.`)).toBe('bad_signature');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(reason(`${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`)).toBe(
      'bad_signature',
    );
  });

  it.each([
    '',
    '.',
    '..',
    'a.b.c',
    permit.slice(0, -1),
    `${permit}.`,
    ` ${permit}`,
    permit.replaceAll('.', '..'),
    'x'.repeat(40_000),
    forged({ ...header, crit: ['exp'] }, claims),
    forged({ ...header, typ: 'JWT' }, claims),
    forged(header, { ...claims, exp: '9' }),
    forged(header, { ...claims, exp: 1e300 }),
    forged(header, { ...claims, onlyOnTuesdays: true }),
    forged(header, { ...claims, obligations: { ...claims.obligations, sandbox: 'maybe' } }),
    forged(header, Object.fromEntries(Object.entries(claims).filter(([name]) => name !== 'cwd'))),
    forged(header, []),
  ])('is refused when it is malformed: %#', (text) => {
    expect(['malformed', 'bad_signature']).toContain(reason(text));
  });

  it('is never made of claims that no verifier takes', () => {
    expect(() => signPermit({ ...claims, args: 'short' }, key)).toThrow(TypeError);
    expect(() => signPermit({ ...claims, exp: Number.NaN }, key)).toThrow(TypeError);
  });

  it('has a key for every seed of 32 bytes, always the same one, and none for others', () => {
    const seed = newPermitSeed();
    expect(signingKeyOf(seed).jwk).toEqual(signingKeyOf(seed).jwk);
    expect(() => signingKeyOf('c2hvcnQ=')).toThrow('32 bytes');
  });
});

describe('canonical text', () => {
  it('is the same as the house writes everywhere else', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(canonicalText(value)).toBe(canonicalJson(value));
      }),
      { numRuns: 1_000 },
    );
    const odd = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, ö: 7 };
    expect(canonicalText(odd)).toBe(canonicalJson(odd));
    expect(canonicalText([1e21, 1e-7, 333333333.33333329, -0])).toBe('[1e+21,1e-7,333333333.3333333,0]');
  });

  it.each([undefined, Number.NaN, Number.POSITIVE_INFINITY, () => 1, 5n, { a: undefined }, '\udfff'])(
    'has no form for %p',
    (value) => {
      expect(() => canonicalText(value)).toThrow(TypeError);
    },
  );

  it('does not follow endless nesting', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(() => canonicalText(loop)).toThrow(TypeError);
  });
});
