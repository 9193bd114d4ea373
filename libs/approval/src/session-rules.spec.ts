import { describe, expect, it } from '@jest/globals';
import type { Rule } from '@countersign/contracts';
import { Session } from './fixtures/builders.js';
import { policy } from './fixtures/builders.js';
import { isTightening } from './tightening.js';

const rule = (id: string, over: Partial<Rule> = {}): Rule => ({
  id,
  effect: 'deny',
  pattern: 'Bash(rm *)',
  source: 'session',
  reason: '',
  order: 0,
  match: [],
  notMatch: [],
  ...over,
});
const started = (): Session => {
  const session = new Session();
  session.call('allow');
  session.command({ type: 'ChangeRules', added: [rule('r1')], removed: [], by: 'k1' });
  return session;
};

describe('rules of a session', () => {
  it('that it has already are no change, also when an agent adds them, in whatever order their members come', () => {
    const session = started();
    const again = Object.fromEntries(Object.entries(rule('r1')).reverse()) as unknown as Rule;
    const command = { type: 'ChangeRules', added: [again], removed: [], by: 'k1' } as const;
    expect(isTightening(command, session.state, policy())).toBe(true);
    expect(session.command(command)).toEqual({ ok: true, events: [] });
  });

  it.each([
    ['another effect', { effect: 'ask' }],
    ['another pattern', { pattern: 'Bash(rm -rf *)' }],
    ['another order', { order: 1 }],
  ] as const)('with %s under an id in use are a loosening for an agent, and a change for others', (_what, over) => {
    const session = started();
    const command = { type: 'ChangeRules', added: [rule('r1', over)], removed: [], by: 'p1' } as const;
    expect(isTightening(command, session.state, policy())).toBe(false);
    session.command(command);
    expect(session.state.rules).toEqual([rule('r1', over)]);
  });

  it('that it has not cannot be removed, and then nothing of the wish is done', () => {
    const session = started();
    const wish = { type: 'ChangeRules', added: [rule('r2')], removed: ['r1', 'r9'], by: 'p1' } as const;
    expect(session.command(wish)).toEqual({
      ok: false,
      code: 'rule.unknown',
      message: 'the session has no rule `r9`',
    });
    expect(session.state.rules).toEqual([rule('r1')]);
  });

  it('are removed and added again in one wish', () => {
    const session = started();
    session.command({ type: 'ChangeRules', added: [rule('r1')], removed: ['r1'], by: 'p1' });
    expect(session.state.rules).toEqual([rule('r1')]);
  });
});
