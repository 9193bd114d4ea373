import { describe, expect, it } from '@jest/globals';
import type { PolicyInput, Progress } from '@countersign/contracts';
import { callOf, factsOf, judge, policyOf, sessionOf } from '../judge.fixture.js';

const CALM: Progress = { step: 1, repeat: 1, tokens: 0, diminishingReturns: false };

function ruleIdOf(progress: Partial<Progress>, input: Partial<PolicyInput> = {}): string {
  const facts = factsOf({ session: sessionOf({ progress: { ...CALM, ...progress } }) });
  return judge(callOf('TodoWrite', {}), policyOf(input), facts).ruleId;
}

describe('limits of a run', () => {
  it('are none under standard unless its options set some', () => {
    const far = { step: 1_000, repeat: 1_000, tokens: 1e9, diminishingReturns: true };
    expect(ruleIdOf(far)).toBe('tool.harmless');
    expect(ruleIdOf({ step: 4 }, { options: { maxSteps: 3 } })).toBe('guard.max_steps');
    expect(ruleIdOf({ step: 3 }, { options: { maxSteps: 3 } })).toBe('tool.harmless');
    expect(ruleIdOf({ repeat: 2 }, { options: { maxRepeats: 2 } })).toBe('guard.duplicate_call');
    expect(ruleIdOf({ tokens: 11 }, { options: { tokenHardLimit: 10 } })).toBe('guard.token_hard_limit');
  });

  it('are past with a number that is none', () => {
    const options = { maxSteps: 3, maxRepeats: 3, tokenHardLimit: 10 };
    for (const name of ['step', 'repeat', 'tokens'] as const) {
      expect(ruleIdOf({ [name]: Number.NaN }, { options })).toMatch(/^guard\./);
    }
  });
});
