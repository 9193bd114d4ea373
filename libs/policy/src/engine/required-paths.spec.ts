import { describe, expect, it } from '@jest/globals';
import { explain } from './explain.js';
import { bash, callOf, judge, policyOf, sessionOf } from './judge.fixture.js';
import { requiredPaths } from './required-paths.js';

const required = (call: ReturnType<typeof bash>, session = sessionOf()) => requiredPaths(call, policyOf(), session);

describe('what must be resolved', () => {
  it('names paths as given, joined and not resolved, and the roots', () => {
    expect(required(callOf('Read', { file_path: 'a/../b' }))).toEqual(['/work/app/a/../b', '/work/app']);
    expect(required(callOf('Read', { file_path: '~/x' }))).toEqual(['/home/dev/x', '/work/app']);
    expect(
      required(callOf('Read', { file_path: 'C:\\a' }, { cwd: 'C:\\' }), sessionOf({ cwd: 'C:\\', roots: ['C:\\'] })),
    ).toEqual(['C:\\a', 'C:\\']);
  });

  it('names the files of a command line, wherever it may run', () => {
    expect(required(bash('cd a; cat x > /dev/null 2> y'))).toEqual([
      '/work/app/a',
      '/work/app/a/x',
      '/work/app/x',
      '/work/app/a/y',
      '/work/app/y',
      '/work/app',
    ]);
  });

  it('names the folder of a wildcard', () => {
    expect(required(bash('cat src/*.ts'))).toEqual(['/work/app/src/', '/work/app']);
  });

  it('needs nothing where nothing is touched', () => {
    expect(required(bash('echo hi'))).toEqual([]);
    expect(required(callOf('WebFetch', { url: 'https://x.y' }))).toEqual([]);
  });
});

describe('explanations', () => {
  it('renders the winner, its subject and what it overrode', () => {
    const verdict = judge(
      bash('git push'),
      policyOf({
        deny: [{ rule: 'Bash(git push *)', id: 'no-push', reason: 'releases go through CI' }],
        allow: ['Bash(git *)'],
      }),
    );
    expect(explain(verdict)).toEqual({
      riskLevel: 'medium',
      explanation: 'Denied: releases go through CI (git push), by `no-push` in layer hard-deny.',
      reasoning: 'allow: allow by `allow:Bash(git *)`: allow rule `Bash(git *)` (git push)',
      risk: 'It may change files or reach other systems.',
    });
    expect(explain(judge(bash('ls'))).reasoning).toBe('Nothing else spoke about this call.');
  });
});
