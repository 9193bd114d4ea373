import type { Grant } from '@countersign/contracts';
import { describe, expect, it } from '@jest/globals';
import { bash, callOf, factsOf, judge, policyOf, sessionOf } from '../engine/judge.fixture.js';
import { renderTrace, traceOf } from './trace.js';

const text = (...args: Parameters<typeof judge>): string => renderTrace(traceOf(judge(...args)));

describe('the trace of a verdict', () => {
  it('shows each layer and what overrode what', () => {
    const policy = policyOf({
      deny: [{ rule: 'Bash(git push --force *)', id: 'no-force', source: 'managed', reason: 'history is shared' }],
      ask: ['Bash(git push *)'],
      allow: ['Bash(git *)'],
    });
    expect(text(bash('git push --force origin main'), policy)).toBe(
      [
        '0 request    -',
        '1 guard      -',
        '2 hook       -',
        '3 hard-deny  deny by no-force [managed] on `git push --force origin main`: history is shared <- decided',
        '4 path       -',
        '5 ask        ask by ask:Bash(git push *) [user] on `git push --force origin main`: ask rule `Bash(git push *)` (overridden by no-force)',
        '6 mode       -',
        '7 allow      allow by allow:Bash(git *) [user] on `git push --force origin main`: allow rule `Bash(git *)` (overridden by no-force)',
        '8 default    -',
        '=> deny by no-force in layer hard-deny (mode default, risk medium)',
      ].join('\n'),
    );
  });

  it('shows what a grant set aside', () => {
    const grant: Grant = {
      id: 'g1',
      kind: 'once',
      tool: 'Bash',
      argsHash: 'hash',
      pattern: null,
      liftsRuleIds: ['ask:Bash(make *)'],
      askId: 'a1',
      personId: 'p1',
      expiresAt: null,
    };
    const facts = factsOf({ session: sessionOf({ grants: [grant] }) });
    expect(text(bash('make all'), policyOf({ ask: ['Bash(make *)'] }), facts)).toBe(
      [
        '0 request    -',
        '1 guard      -',
        '2 hook       -',
        '3 hard-deny  -',
        '4 path       -',
        '5 ask        ask by ask:Bash(make *) [user] on `make all`: ask rule `Bash(make *)` (set aside for grant:g1)',
        '6 mode       -',
        '7 allow      allow by grant:g1: approved for this exact call <- decided',
        '8 default    -',
        '=> allow by grant:g1 in layer allow (mode default, risk medium)',
      ].join('\n'),
    );
  });

  it('shows several statements of one layer, and those of the same mind', () => {
    expect(text(callOf('Edit', { file_path: '/etc/passwd' }))).toBe(
      [
        '0 request    -',
        '1 guard      -',
        '2 hook       -',
        '3 hard-deny  -',
        '4 path       ask by path.outside_roots on `/etc/passwd`: outside of the allowed folders',
        '5 ask        ask by path.control on `/etc/passwd`: decides what programs run or what agents may do <- decided',
        '6 mode       -',
        '7 allow      -',
        '8 default    ask by default.ask on `/etc/passwd`: no rule covers this',
        '=> ask by path.control in layer ask (mode default, risk high)',
      ].join('\n'),
    );
  });

  it('escapes what agents wrote', () => {
    const shown = text(bash('echo a\u202eb'));
    expect(shown).toContain('\\u{202e}');
    expect(shown).not.toContain('\u202e');
  });

  it('is data as well', () => {
    const trace = traceOf(judge(bash('ls')));
    expect(trace.steps.map((step) => step.layer)).toEqual([
      'request', 'guard', 'hook', 'hard-deny', 'path', 'ask', 'mode', 'allow', 'default',
    ]); // prettier-ignore
    expect(trace.steps[7]?.statements).toEqual([
      {
        standing: 'decided',
        effect: 'allow',
        ruleId: 'command.read_only',
        reason: 'only reads',
        pattern: null,
        source: null,
        subject: 'ls',
        level: null,
      },
    ]);
  });

  it('keeps every match once, in any order of layers', () => {
    const verdict = judge(bash('git push; rm x > /etc/f'), policyOf({ deny: ['Bash(rm *)'], allow: ['Bash(git *)'] }));
    const trace = traceOf(verdict, ['allow', 'hard-deny']);
    expect(trace.steps.flatMap((step) => step.statements)).toHaveLength(verdict.matches.length);
    expect(trace.steps.flatMap((step) => step.statements).filter((one) => one.standing === 'decided')).toHaveLength(1);
  });
});
