/** Lines stuffed with words cost no more than the budget allows, and what is left out of sight is asked about. */
import { describe, expect, it } from '@jest/globals';
import { bash, judge, policyOf } from '../engine/judge.fixture.js';
import { decompose } from './decompose.js';
import type { ShellPlan } from './plan.js';

const LENGTH = 8_000;
const PROGRAMS = 'curl git find python3 xargs unknown'.split(' ');
const OPENED = [
  'https://a{b,c} ',
  '{1..60} ',
  '{a,b}{c,d} ',
  '*.e* ',
  '[a-z]*[.]e* ',
  '$x ',
  '${x:-y} ',
  '$(a) ',
  '<(a) ',
];
const TARGETS = ['<a ', '>a '];
const cases = PROGRAMS.flatMap((program) => [...OPENED, ...TARGETS].map((word): [string, string] => [program, word]));

function stuffed(program: string, word: string, length: number): string {
  return `${program} ${word.repeat(Math.floor(length / word.length))}`;
}

function planOf(source: string): ShellPlan {
  return decompose(source, { maxLength: 10_000, cwd: '/work/app', home: '/home/dev' });
}

/** Words that the shell opens, targets and braces that the rest of the engine has to look at. */
function workOf({ calls }: ShellPlan): number {
  const open = calls.flatMap(({ args, redirects }) => [...args.filter((word) => !word.literal), ...redirects]);
  const braces = calls.flatMap(({ args }) =>
    args.flatMap((word) => word.pieces.filter(({ kind }) => kind === 'brace')),
  );
  return open.length + 3 * braces.length;
}

describe('lines stuffed with words', () => {
  it.each(cases)('%s with %s is looked at in part and asked about', (program, word) => {
    const plan = planOf(stuffed(program, word, LENGTH));
    expect(workOf(plan)).toBeLessThanOrEqual(250);
    expect(plan.doubts).toContain('too_many_parts');
  });

  it.each(OPENED)('%s is never allowed by the rest being out of sight', (word) => {
    const policy = policyOf({ allow: ['Bash'], deny: ['Bash(rm -rf *)'] });
    expect(judge(bash(stuffed('echo', word, LENGTH)), policy).effect).toBe('ask');
  });

  it('sees what stands behind them all the same', () => {
    const policy = policyOf({ allow: ['Bash'], deny: ['Bash(rm -rf *)'] });
    expect(judge(bash(`${stuffed('echo', '{1..60} ', LENGTH)}; rm -rf y`), policy).effect).toBe('deny');
    expect(judge(bash(`rm -rf / ${stuffed('', '*.e* ', LENGTH)}`)).effect).toBe('deny');
  });

  it('asks where a call holds more commands than are looked at', () => {
    const policy = policyOf({ allow: ['Bash'], deny: ['Bash(rm -rf *)'] });
    const texts = "-e '1e ls' ".repeat(20);
    expect(judge(bash(`sed ${texts} -e '1e rm -rf y' f`), policy).effect).toBe('ask');
    expect(judge(bash("sed -e '1e ls' f"), policy).effect).toBe('allow');
  });

  it('leaves lists of files alone', () => {
    expect(planOf(stuffed('git add', 'a.ts ', LENGTH)).doubts).toEqual([]);
    expect(planOf(stuffed('ls', '*.ts ', 1_000)).doubts).toEqual([]);
  });
});
