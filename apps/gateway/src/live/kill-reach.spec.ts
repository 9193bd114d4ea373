import { describe, expect, it } from '@jest/globals';
import { touches } from './kill-reach.js';

const heard = { sessions: new Set(['root', 'child']), agents: new Set(['lead']) };
const kill = (scope: 'tenant' | 'agent' | 'session' | 'tool', value: string | null) => ({
  killId: 'kill_1',
  scope,
  value,
  reason: 'drill',
});

describe('kill switches on a line', () => {
  it.each([
    ['tenant', null, true],
    ['tool', 'Bash', true],
    ['session', 'root', true],
    ['session', 'child', true],
    ['session', 'another', false],
    ['agent', 'lead', true],
    ['agent', 'another', false],
  ] as const)('%s %s: %s', (scope, value, told) => {
    expect(touches(kill(scope, value), heard)).toBe(told);
  });
});
