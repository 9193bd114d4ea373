/** Arguments are held against the schema of their tool, and every place that names a file is judged. */
import { describe, expect, it } from '@jest/globals';
import type { PolicyInput } from '@countersign/contracts';
import { callOf, judge, policyOf } from './judge.fixture.js';

const TOOLS: NonNullable<PolicyInput['tools']> = [
  {
    name: 'ReadLines',
    kind: 'read',
    keyArg: 'file_path',
    schema: { type: 'object', properties: { lines: { type: 'number' } } },
  },
  { name: 'patch_files', kind: 'write', patch: { name: 'text' } },
  { name: 'copy_files', kind: 'write', paths: [{ name: 'files[].to', access: 'write' }] },
];
const INVALID = { effect: 'deny', ruleId: 'request.invalid_arguments', layer: 'request' } as const;

describe('the schema of a tool', () => {
  const call = callOf('ReadLines', { file_path: 'src/a.ts', lines: 'not-a-number' });

  it('refuses a call before anything else, with the problem', () => {
    const verdict = judge(call, policyOf({ tools: TOOLS, deny: ['ReadLines'] }));
    expect(verdict).toMatchObject({ ...INVALID, reason: '`lines`: expected a number, found `not-a-number`' });
    expect(judge(callOf('ReadLines', { file_path: 'src/a.ts', lines: 3 }), policyOf({ tools: TOOLS })).effect).toBe(
      'allow',
    );
  });

  it.each([
    ['Bash', { command: 'ls', timeout: {} }],
    ['Write', { file_path: 'a', content: 5 }],
    ['WebFetch', { url: 7 }],
  ])('of the agent’s own %s counts too', (tool, args) => {
    expect(judge(callOf(tool, args))).toMatchObject(INVALID);
  });

  it('is asked under `coding-agent` once the call is permitted, and is no refusal of the policy', () => {
    const permitted = judge(call, policyOf({ preset: 'coding-agent', tools: TOOLS }));
    expect(permitted).toMatchObject(INVALID);
    expect(permitted.matches.some((match) => match.effect === 'allow')).toBe(true);
    const denied = judge(call, policyOf({ preset: 'coding-agent', tools: TOOLS, deny: ['ReadLines'] }));
    expect(denied.ruleId).toBe('deny:ReadLines');
    const asked = judge(call, policyOf({ preset: 'coding-agent', tools: TOOLS, mode: 'custom' }));
    expect(asked).toMatchObject(INVALID);
  });
});

describe('files that arguments name in other places than one', () => {
  it.each([
    ['a wildcard', callOf('Glob', { pattern: '/etc/**' })],
    ['a wildcard below a folder', callOf('Glob', { pattern: '../../../etc/*', path: '/work/app' })],
    ['a wildcard that only its tool can follow', callOf('Glob', { pattern: '{a,/etc}/*' })],
    ['a patch', callOf('patch_files', { text: '*** Begin Patch\n*** Delete File: /etc/hosts\n*** End Patch' })],
  ])('%s is not judged by the working folder alone', (_name, call) => {
    expect(judge(call, policyOf({ tools: TOOLS })).effect).not.toBe('allow');
  });

  it('lies inside the roots: it runs', () => {
    expect(judge(callOf('Glob', { pattern: 'src/**/*.ts' })).effect).toBe('allow');
  });

  it('holds rules against every file of a patch and a list', () => {
    const patch = '*** Begin Patch\n*** Add File: ok.txt\n+x\n*** Add File: gen/x.txt\n+x\n*** End Patch';
    const policy = policyOf({ tools: TOOLS, deny: ['Edit(gen/**)'], allow: ['Edit'] });
    expect(judge(callOf('patch_files', { text: patch }), policy).ruleId).toBe('deny:Edit(gen/**)');
    const list = { files: [{ to: 'ok.txt' }, { to: 'gen/x.txt' }] };
    expect(judge(callOf('copy_files', list), policy).ruleId).toBe('deny:Edit(gen/**)');
  });
});
