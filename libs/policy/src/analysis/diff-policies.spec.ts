import type { PolicyInput } from '@countersign/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { diffPolicies, type PolicyDiff } from './diff-policies.js';
import { documentOf, RULES } from './policy-pool.fixture.js';
import { runsOf } from '../property-runs.fixture.js';

const CONTEXT = { roots: ['/work/app'], cwd: '/work/app', home: '/home/dev' };

const rulePattern = fc.constantFrom(...RULES);
const rules = fc.array(rulePattern, { maxLength: 6 });
const policies: fc.Arbitrary<PolicyInput> = fc.record({ deny: rules, ask: rules, allow: rules });

function diff(before: PolicyInput, after: PolicyInput): PolicyDiff {
  const result = diffPolicies(documentOf(before), documentOf(after), CONTEXT);
  if (!result.ok) throw new Error(JSON.stringify(result));
  return result;
}

describe('two policies', () => {
  it.each<[string, PolicyInput, PolicyInput, PolicyDiff['verdict']]>([
    ['equal', { deny: ['Bash(rm *)'] }, { deny: ['Bash(rm *)'] }, 'same'],
    ['in another order', { allow: ['Bash(a *)', 'Bash(b *)'] }, { allow: ['Bash(b *)', 'Bash(a *)'] }, 'same'],
    ['in another spelling', { allow: ['Bash(a:*)'] }, { allow: ['Bash(a *)'] }, 'same'],
    ['a new deny', {}, { deny: ['Bash(rm *)'] }, 'tightens'],
    ['a new allow', {}, { allow: ['Bash(jest *)'] }, 'widens'],
    ['a new allow that a deny shadows', { deny: ['Bash'] }, { deny: ['Bash'], allow: ['Bash(jest *)'] }, 'same'],
    ['an allow that got wider', { allow: ['Bash(git push *)'] }, { allow: ['Bash(git *)'] }, 'widens'],
    ['an ask for a deny', { deny: ['Bash(rm *)'] }, { ask: ['Bash(rm *)'] }, 'widens'],
    ['one here, one there', { allow: ['Bash(a *)'] }, { allow: ['Bash(b *)'] }, 'mixed'],
    ['a folder more', {}, { additionalDirectories: ['/data'] }, 'widens'],
    ['a mode', { mode: 'default' }, { mode: 'plan' }, 'tightens'],
    [
      'a mode that agents may choose',
      {},
      { agentModes: ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] },
      'widens',
    ],
    ['unknown tools', {}, { unknownTool: 'deny' }, 'tightens'],
    ['a rule that shows in one mode only', {}, { ask: ['Bash(make *)'] }, 'tightens'],
  ])('%s', (_name, before, after, verdict) => {
    expect(diff(before, after).verdict).toBe(verdict);
  });

  it('are compared with calls that show each change', () => {
    const result = diff(
      { allow: ['Bash(git push *)'] },
      { allow: ['Bash(git push *)'], deny: ['Bash(git push --force *)'] },
    );
    expect(result.widens).toEqual([]);
    expect(result.tightens).toContainEqual({
      tool: 'Bash',
      args: { command: 'git push --force sample1' },
      reportedMode: null,
      before: {
        effect: 'allow',
        ruleId: 'allow:Bash(git push *)',
        reason: 'allow rule `Bash(git push *)`',
        mode: 'default',
      },
      after: {
        effect: 'deny',
        ruleId: 'deny:Bash(git push --force *)',
        reason: 'deny rule `Bash(git push --force *)`',
        mode: 'default',
      },
    });
    expect(result.changed + result.unchanged).toBeGreaterThan(100);
  });

  it('name settings that no call can show', () => {
    const result = diff({}, { holdSeconds: 60, breaker: { inARow: 5, total: 20, counts: ['policy'] } });
    expect(result).toMatchObject({ verdict: 'same', settings: ['breaker', 'holdSeconds'] });
    expect(result.confidence).toContain('breaker, holdSeconds');
  });

  it('that do not compile are not compared', () => {
    const broken = documentOf({ deny: ['Bash(rm *'] });
    expect(diffPolicies(documentOf({}), broken, CONTEXT)).toMatchObject({ ok: false, side: 'after' });
    expect(diffPolicies(broken, documentOf({}), CONTEXT)).toMatchObject({ ok: false, side: 'before' });
  });
});

describe('properties', () => {
  it('a policy equals itself', () => {
    fc.assert(
      fc.property(policies, (input) => {
        expect(diff(input, input)).toMatchObject({ verdict: 'same', changed: 0, tightens: [], widens: [] });
      }),
      { numRuns: runsOf(15) },
    );
  });

  it.each(['deny', 'ask'] as const)('adding a rule to %s never widens', (effect) => {
    fc.assert(
      fc.property(policies, rulePattern, (input, added) => {
        expect(diff(input, { ...input, [effect]: [...(input[effect] ?? []), added] }).widens).toEqual([]);
      }),
      { numRuns: runsOf(25) },
    );
  });

  it('turning the comparison round turns its answer round', () => {
    fc.assert(
      fc.property(policies, policies, (one, other) => {
        const there = diff(one, other);
        const back = diff(other, one);
        expect([there.changed, there.tightens.length > 0, there.widens.length > 0]).toEqual([
          back.changed,
          back.widens.length > 0,
          back.tightens.length > 0,
        ]);
      }),
      { numRuns: runsOf(15) },
    );
  });
});
