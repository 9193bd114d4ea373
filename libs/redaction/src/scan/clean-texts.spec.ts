import { describe, expect, it } from '@jest/globals';
import { isKnownClean, rememberClean } from './clean-texts.js';
import { findSecrets } from './find-secrets.js';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

describe('texts that are known to be clean', () => {
  it('are never those with a secret in them', () => {
    for (let n = 0; n < 3; n += 1) expect(findSecrets(`token ${TOKEN}`)).toHaveLength(1);
    expect(isKnownClean(`token ${TOKEN}`)).toBe(false);
  });

  it('are known after they were searched, and only these very texts', () => {
    expect(isKnownClean('/work/app/src')).toBe(false);
    expect(findSecrets('/work/app/src')).toEqual([]);
    expect(isKnownClean('/work/app/src')).toBe(true);
    expect(isKnownClean('/work/app/src ')).toBe(false);
  });

  it('are short, and forgotten when nobody asks for them', () => {
    rememberClean('x'.repeat(257));
    expect(isKnownClean('x'.repeat(257))).toBe(false);
    rememberClean('used');
    rememberClean('unused');
    for (let n = 0; n < 10_000; n += 1) {
      rememberClean(`text ${n}`);
      expect(isKnownClean('used')).toBe(true);
    }
    expect(isKnownClean('unused')).toBe(false);
  });
});
