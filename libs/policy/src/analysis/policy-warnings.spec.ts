import { describe, expect, it } from '@jest/globals';
import { policyOf } from '../engine/judge.fixture.js';
import { policyWarnings } from './policy-warnings.js';

describe('warnings about a policy', () => {
  const policy = policyOf({
    deny: ['Bash(git push *)', 'Bash(rm:*)'],
    allow: ['Bash(git push --tags)', 'Bash((', 'mcp__*'],
    tools: [{ name: 'Read', kind: 'read', keyArg: 'file' }],
  });

  it('tell what is ignored, out of use, replaced and shadowed, each once', () => {
    const warnings = policyWarnings(policy, () => false);
    expect(warnings.map(({ kind, place }) => `${kind} ${place}`)).toEqual([
      'note allow.1',
      'note allow.2',
      'note tools.0',
      'note deny.1',
      'shadowed allow.0',
    ]);
    expect(warnings.at(-1)).toMatchObject({
      message: expect.stringContaining('Bash(git push --tags)'),
      fix: expect.any(String),
    });
  });

  it('are few, and say when the time did not suffice', () => {
    const allow = Array.from({ length: 300 }, (_one, n) => `Bash(x${String(n)}:*)`);
    const warnings = policyWarnings(policyOf({ allow }), () => true);
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)?.kind).toBe('unfinished');
  });

  it('are none for a policy that does what it says', () => {
    expect(policyWarnings(policyOf({ allow: ['Bash(npm test)'], ask: ['Bash(git push *)'] }), () => false)).toEqual([]);
  });
});
