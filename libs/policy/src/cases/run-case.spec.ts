import { describe, expect, it } from '@jest/globals';
import { runCase } from './run-case.js';

const row = {
  id: 'x',
  preset: 'standard',
  cwd: '/w',
  home: '/h',
  tool: 'Bash',
  args: { command: 'ls' },
  expected: { effect: 'allow' },
};

describe('cases as data', () => {
  it('passes, fails and tells a broken row apart', () => {
    expect(runCase(row)).toMatchObject({ status: 'passed', id: 'x' });
    expect(runCase({ ...row, expected: { effect: 'deny', ruleId: 'y' } })).toMatchObject({
      status: 'failed',
      differences: ['effect is allow (by command.read_only), expected deny', 'ruleId is command.read_only, expected y'],
    });
    expect(runCase({ ...row, expected: { effect: 'deny' }, acceptable: ['allow'] }).status).toBe('passed');
    expect(runCase({ ...row, preset: 'nonsense' })).toMatchObject({
      status: 'invalid',
      id: 'x',
      problems: [{ path: 'preset' }],
    });
    expect(runCase({ ...row, policy: { deny: ['Bash(('] } })).toMatchObject({ status: 'invalid' });
    expect(runCase(null)).toMatchObject({ status: 'invalid', id: '?' });
  });

  it('takes evidence from the case alone', () => {
    const read = { ...row, tool: 'Read', args: { file_path: 'a/b' } };
    const resolved = (map: Record<string, string | null>) => runCase({ ...read, context: { resolved: map } });
    expect(resolved({}).status).toBe('passed');
    expect(resolved({ '/w/a/b': '/etc/x' }).status).toBe('failed');
    expect(resolved({ '/w/a': '/etc', '/w/a/b': null })).toMatchObject({ status: 'failed' });
    expect(resolved({ '/w/a/b': null }).status).toBe('passed');
    expect(runCase({ ...read, context: { resolveError: 'loop' } })).toMatchObject({
      status: 'failed',
      verdict: { ruleId: 'path.unresolvable' },
    });
    expect(
      runCase({ ...row, context: { silent: true }, args: { command: 'make' }, expected: { effect: 'deny' } }).status,
    ).toBe('passed');
  });
});
