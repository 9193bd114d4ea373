import { describe, expect, it } from '@jest/globals';
import { MODES, type PolicyInput } from '@countersign/contracts';
import { callOf, factsOf, judge, policyOf, sessionOf } from '../../../engine/judge.fixture.js';
import { compilePolicy } from '../../compile.js';
import { parsePolicyDocument } from '../../parse-document.js';
import { CODING_AGENT } from './coding-agent.js';

const policy = (over: Partial<PolicyInput> = {}) => policyOf({ preset: 'coding-agent', ...over });
const bash = (command: string) => callOf('Bash', { command });
const write = (path: string) => callOf('WriteFile', { file_path: path, content: 'x' });

function problemsOf(input: PolicyInput): readonly string[] {
  const parsed = parsePolicyDocument({ preset: 'coding-agent', ...input });
  if (!parsed.ok) return parsed.problems.map((one) => one.path);
  const compiled = compilePolicy(parsed.document);
  return compiled.ok ? [] : compiled.problems.map((one) => one.path);
}

describe('coding-agent: rules by place', () => {
  it('lets no link of a chain carry the others', () => {
    const own = policy({ allow: ['Bash(git push *)', 'Bash(npm *)'] });
    expect(judge(bash('git push origin main'), own).effect).toBe('allow');
    expect(judge(bash('git push origin main && rm -rf build'), own).effect).toBe('ask');
    expect(judge(bash('git push origin main && npm test'), own).effect).toBe('ask');
    expect(judge(bash('git push origin main > out.txt'), own).effect).toBe('ask');
  });

  it('tells what lost by its place', () => {
    const own = policy({
      allow: [{ rule: 'Bash(git push *)', source: 'user' }],
      deny: [{ rule: 'Bash(git push *)', source: 'project' }],
    });
    const verdict = judge(bash('git push origin main'), own);
    expect(verdict).toMatchObject({ effect: 'allow', ruleId: 'allow:Bash(git push *)', layer: 'allow' });
    expect(verdict.matches).toContainEqual(
      expect.objectContaining({ effect: 'deny', source: 'project', layer: 'hard-deny', level: '5' }),
    );
  });

  it('takes the strictest of rules at the same place', () => {
    const same = { rule: 'Bash(make *)', source: 'local', order: 3 } as const;
    expect(judge(bash('make all'), policy({ allow: [same], deny: [same] })).effect).toBe('deny');
    expect(judge(bash('make all'), policy({ allow: [same], ask: [same] })).effect).toBe('ask');
  });

  it('holds what a session adds to tighten against every layer of the host', () => {
    const own = policy({ allow: [{ rule: 'Bash(make *)', source: 'user' }] });
    const rule = { id: 'r', effect: 'deny', pattern: 'Bash(make *)', source: 'session', reason: '', order: 0 } as const;
    const session = sessionOf({ rules: [{ ...rule, match: [], notMatch: [] }] });
    expect(judge(bash('make all'), own, factsOf({ session })).effect).toBe('deny');
  });

  it('reads `:*` as text', () => {
    expect(judge(bash('rm a.txt'), policy({ deny: ['Bash(rm:*)'] })).effect).toBe('ask');
    expect(judge(bash('rm:x'), policy({ deny: ['Bash(rm:*)'] })).effect).toBe('deny');
  });
});

describe('coding-agent: stages', () => {
  it('names the stage that answered', () => {
    const levelOf = (verdict: ReturnType<typeof judge>) =>
      verdict.matches.find((match) => match.ruleId === verdict.ruleId)?.level;
    expect(levelOf(judge(bash('git status'), policy()))).toBe('2');
    expect(levelOf(judge(bash('rm -rf /'), policy(), factsOf({ protectedPaths: [] })))).toBe('3');
    expect(levelOf(judge(write('/etc/hosts'), policy()))).toBe('4');
    expect(levelOf(judge(write('docs/a.md'), policy({ allow: ['WriteFile(docs/*)'] })))).toBe('5');
    expect(levelOf(judge(write('docs/a.md'), policy()))).toBe('6');
  });

  it('runs nothing by its nature: only listed lines are safe', () => {
    for (const line of ['ls', 'pwd', 'A=1', 'cat README.md']) {
      expect(judge(bash(line), policy()).effect).toBe('ask');
    }
    expect(judge(bash('ls src'), policy({ options: { safeCommands: ['ls'] } })).effect).toBe('allow');
    expect(judge(bash('git status $(id)'), policy()).effect).toBe('ask');
    expect(judge(bash('git status\u200b'), policy()).effect).toBe('ask');
  });

  it('asks in mode bypassPermissions when danger cannot be ruled out', () => {
    const session = sessionOf({ mode: 'bypassPermissions' });
    expect(judge(bash('make all'), policy(), factsOf({ session })).effect).toBe('allow');
    expect(judge(bash('$X /'), policy(), factsOf({ session })).effect).toBe('ask');
    expect(judge(bash('echo "'), policy(), factsOf({ session })).effect).toBe('ask');
  });

  it('refuses a file whose place nobody vouched for', () => {
    const verdict = judge(write('src/a.ts'), policy(), factsOf(), { '/work/app/src/a.ts': null });
    expect(verdict.effect).toBe('deny');
  });

  it('lets the plan file be written only when it is no link, and only alone', () => {
    const own = policy({ options: { planFile: '/home/dev/plan.md' } });
    const facts = factsOf({ session: sessionOf({ mode: 'plan' }) });
    expect(judge(write('/home/dev/plan.md'), own, facts)).toMatchObject({ effect: 'allow', ruleId: 'plan.file' });
    const linked = judge(write('/home/dev/plan.md'), own, facts, { '/home/dev/plan.md': '/etc/passwd' });
    expect(linked.effect).toBe('deny');
    expect(judge(bash('echo x > /home/dev/plan.md'), own, facts).effect).toBe('ask');
  });

  it('refuses unknown tools whatever rule allows them, but for those that planning needs', () => {
    const own = policy({ allow: ['Mystery'], options: { planTools: ['Mystery'] } });
    expect(judge(callOf('Mystery', {}), own)).toMatchObject({ effect: 'deny', ruleId: 'tool.unknown' });
    const facts = factsOf({ session: sessionOf({ mode: 'plan' }) });
    expect(judge(callOf('Mystery', {}), own, facts)).toMatchObject({ effect: 'allow', ruleId: 'plan.tool' });
  });
});

describe('coding-agent: hard boundaries', () => {
  const LOOSE = policy({
    allow: [
      'Bash',
      'Bash(*)',
      'WriteFile',
      'ReadFile',
      'WriteFile(//etc/**)',
      { rule: 'Bash(rm *)', source: 'managed' },
    ],
  });
  const LINES = [
    'rm -rf /',
    'sudo rm -fr /',
    'bash -c "rm -rf /"',
    'mkfs.ext4 /dev/sda1',
    'dd if=x of=/dev/sda',
    'curl x | sh',
  ];

  it.each(CODING_AGENT.legalModes)('no rule and not mode %s lifts danger or the sandbox', (mode) => {
    const facts = factsOf({ session: sessionOf({ mode }), protectedPaths: [] });
    for (const line of LINES)
      expect(judge(bash(line), LOOSE, facts)).toMatchObject({ effect: 'deny', layer: 'hard-deny' });
    for (const path of ['/etc/hosts', '../other/a', '/work/app-evil/a']) {
      expect(judge(write(path), LOOSE, facts)).toMatchObject({ effect: 'deny', layer: 'path' });
    }
  });
});

describe('coding-agent: what its policies may say', () => {
  it('refuses modes and options that it has not', () => {
    expect(problemsOf({ mode: 'dontAsk' })).toEqual(['mode']);
    expect(problemsOf({ mode: 'auto' })).toEqual(['mode']);
    expect(problemsOf({ options: { safeTools: ['Read'] } })).toEqual(['options.safeTools']);
    expect(CODING_AGENT.legalModes.every((mode) => MODES.includes(mode))).toBe(true);
  });

  it.each(['rm -rf', 'mkfs.ext4', 'git status | sh', 'bash -c x', 'eval', 'find', '$X', ''])(
    'refuses `%s` as a safe command when it may do harm',
    (entry) => {
      const problems = problemsOf({ options: { safeCommands: ['git log', entry] } });
      expect(problems).toEqual(entry === 'find' ? [] : [expect.stringMatching(/^options\.safeCommands/)]);
    },
  );

  it('refuses an illegal mode of a session instead of taking another', () => {
    const facts = factsOf({ session: sessionOf({ mode: 'dontAsk' }) });
    expect(judge(bash('git status'), policy(), facts).effect).toBe('deny');
  });
});
