import { describe, expect, it } from '@jest/globals';
import type { HookResult } from '@countersign/contracts';
import { callOf, factsOf, policyOf } from './judge.fixture.js';
import { evaluateRewritten, rewrittenArgs } from './rewrites.js';

const hook = (action: HookResult['action'], updatedArgs?: unknown): HookResult => ({
  on: 'PreToolUse',
  action,
  reason: null,
  updatedArgs,
});

describe('rewritten arguments', () => {
  it('are those of the last rewrite before the first block', () => {
    expect(rewrittenArgs('a', [hook('continue')])).toEqual({ rewritten: false, args: 'a' });
    expect(rewrittenArgs('a', [hook('mutate', 'b'), hook('continue'), hook('mutate', 'c')]).args).toBe('c');
    expect(rewrittenArgs('a', [hook('mutate', 'b'), hook('block'), hook('mutate', 'c')]).args).toBe('b');
    expect(rewrittenArgs('a', [{ ...hook('mutate', 'b'), on: 'PermissionRequest' }]).rewritten).toBe(false);
  });

  it.each([
    ['standard', 'Bash', 'deny'],
    ['astro-research', 'run_bash', 'allow'],
  ] as const)('under %s', (preset, tool, effect) => {
    const policy = policyOf({ preset, deny: [`${tool}(ls secret*)`] });
    const original = callOf(tool, { command: 'ls secret' });
    const final = callOf(tool, { command: 'ls' });
    expect(evaluateRewritten({ original, final }, policy, factsOf()).effect).toBe(effect);
    expect(evaluateRewritten({ original: final, final: original }, policy, factsOf()).effect).toBe('deny');
  });
});
