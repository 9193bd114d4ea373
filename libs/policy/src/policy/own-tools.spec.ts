import { describe, expect, it } from '@jest/globals';
import type { PolicyInput } from '@countersign/contracts';
import { analysePolicy } from '../analysis/analyse-policy.js';
import { callOf, judge, policyOf } from '../engine/judge.fixture.js';
import { readPolicyText } from '../documents/read-policy-text.js';
import { compilePolicy } from './compile.js';
import { toolKind } from './compiled-policy.js';
import { parsePolicyDocument } from './parse-document.js';

const TOOLS: NonNullable<PolicyInput['tools']> = [
  {
    name: 'deploy',
    kind: 'command',
    keyArg: 'script',
    aliases: ['ship'],
    schema: { type: 'object', properties: { script: { type: 'string' }, stage: { enum: ['test', 'live'] } } },
  },
  { name: 'store_note', kind: 'write', paths: [{ name: 'notes[].file', access: 'write' }] },
  { name: 'mcp__lookup__*', kind: 'other' },
];
const policy = (input: Partial<PolicyInput> = {}) => policyOf({ tools: TOOLS.slice(0, 2), ...input });

function problemsOf(input: unknown): string[] {
  const parsed = parsePolicyDocument(input);
  if (!parsed.ok) return parsed.problems.map(({ path }) => path);
  const compiled = compilePolicy(parsed.document);
  return compiled.ok ? [] : compiled.problems.map(({ path }) => path);
}

describe('tools of a policy', () => {
  it('stand beside the preset’s, and rules hold their commands and files', () => {
    expect(toolKind('deploy', policy())).toBe('command');
    expect(toolKind('Bash', policy())).toBe('command');
    const deploy = (script: string, tool = 'deploy') => callOf(tool, { script });
    const deny = policy({ deny: ['deploy(eu *)'], allow: ['deploy(us *)'] });
    expect(judge(deploy('ls; eu now'), deny).ruleId).toBe('deny:deploy(eu *)');
    expect(judge(deploy('us now'), deny).effect).toBe('allow');
    const note = callOf('store_note', { notes: [{ file: 'a' }, { file: '../../etc/x' }] });
    expect(judge(note, policy({ deny: ['Edit(//etc/**)'] })).effect).not.toBe('allow');
    expect(
      judge(callOf('store_note', { notes: [{ file: '/etc/x' }] }), policy({ deny: ['Edit(//etc/**)'] })).effect,
    ).toBe('deny');
  });

  it('hold calls against their schema', () => {
    expect(judge(callOf('deploy', { script: 'ls', stage: 'moon' }), policy({ allow: ['deploy'] }))).toMatchObject({
      effect: 'deny',
      ruleId: 'request.invalid_arguments',
      reason: expect.stringContaining('stage'),
    });
  });

  it('take the place of a preset’s tool, which is noted', () => {
    const own = policyOf({ tools: [{ name: 'Glob', kind: 'other', harmless: true }] });
    expect(own.notes).toMatchObject([{ path: 'tools.0', message: expect.stringContaining('`Glob`') }]);
    expect(judge(callOf('Glob', {}), own).effect).toBe('allow');
    expect(toolKind('Glob', policyOf())).toBe('read');
  });

  it('are known tools where unknown ones are refused', () => {
    const input = { preset: 'coding-agent', tools: TOOLS.slice(0, 2), allow: ['deploy(x)'] } as const;
    const own = policyOf({ ...input, tools: [...input.tools], allow: [...input.allow] });
    expect(judge(callOf('deploy', { script: 'x' }), own).effect).toBe('allow');
    expect(judge(callOf('nobody', {}), own).ruleId).toBe('tool.unknown');
    expect(analysePolicy(own).map(({ kind }) => kind)).not.toContain('unknown-tool');
  });

  it('are refused with the place of what is wrong', () => {
    expect(problemsOf({ tools: [{ name: 'a b' }] })).toEqual(['tools.0.name']);
    expect(problemsOf({ tools: [{ name: 'a' }, { name: 'a' }] })).toEqual(['tools.1.name']);
    expect(problemsOf({ tools: [{ name: 'a', schema: { type: 'nothing' } }] })[0]).toMatch(/^tools\.0\.schema/);
    expect(problemsOf({ tools: TOOLS })).toEqual(['tools.2.name']);
    expect(problemsOf({ tools: 5 })).toEqual(['tools']);
  });

  it('stand in a policy file like everything else', () => {
    const text = 'tools:\n  - { name: deploy, kind: command, keyArg: script }\ndeny: ["deploy(rm *)"]\n';
    const read = readPolicyText(text, 'yaml', 'policy.yaml');
    expect(read.ok && policyOf(read.document).preset.tools.get('deploy')?.kind).toBe('command');
  });
});
