/** The client's evidence against this host's own. */
import { describe, expect, it } from '@jest/globals';
import { trustedEvidence } from './trusted-evidence.js';

const CLAIM = { '/p/link': { real: '/p/link', exists: true } };

describe('evidence about a path', () => {
  it.each([
    ['a link that this host sees', { real: '/home/secret', exists: true }],
    ['a file that this host sees', { real: '/p/link', exists: true, mark: 1 }],
    ['a new file below a link', { real: '/elsewhere/link', exists: false }],
    ['a path that cannot be resolved', { real: null, exists: false, failed: true }],
  ])('is this host’s for %s', (_what, own) => {
    expect(trustedEvidence(CLAIM, { '/p/link': own })['/p/link']).toBe(own);
  });

  it('is the client’s where this host finds nothing, or did not look', () => {
    expect(trustedEvidence(CLAIM, { '/p/link': { real: '/p/link', exists: false } })).toEqual(CLAIM);
    expect(trustedEvidence(CLAIM, {})).toEqual(CLAIM);
  });
});
