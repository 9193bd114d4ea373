import { describe, expect, it } from '@jest/globals';
import type { Grant, PolicyInput } from '@countersign/contracts';
import { callOf, factsOf, judge, policyOf, sessionOf } from '../../../engine/judge.fixture.js';
import { compilePolicy } from '../../compile.js';
import { parsePolicyDocument } from '../../parse-document.js';
import { ASTRO_RESEARCH_LISTS } from './commands.js';
import { ASTRO_RESEARCH_PRECEDENCE } from './precedence.js';

const astro = (input: Partial<PolicyInput> = {}) => policyOf({ preset: 'astro-research', ...input });
const run = (command: string) => callOf('run_bash', { command });
const effectOf = (command: string, input: Partial<PolicyInput> = {}) => judge(run(command), astro(input)).effect;

function inMode(mode: 'bypassPermissions' | 'acceptEdits' | 'auto' | 'plan', silent = false) {
  return factsOf({ session: sessionOf({ mode, silent }) });
}

describe('the tables of astro-research', () => {
  it('has the 34 safe names as printed, and at least 33 dangerous ones, apart from each other', () => {
    const { safe, dangerous, network, dangerousTexts, emptyLines } = ASTRO_RESEARCH_LISTS;
    expect(safe.size).toBe(34);
    expect(dangerous.size).toBeGreaterThanOrEqual(33);
    for (const name of ['vim', 'sudo', 'ssh']) expect(dangerous).toContain(name);
    for (const name of ['curl', 'wget', 'nc', 'socat']) expect(network).toContain(name);
    expect(dangerousTexts).toHaveLength(5);
    expect(emptyLines).toEqual(['', 'bash', 'bash -c']);
    for (const name of safe) expect([name, dangerous.has(name), network.has(name)]).toEqual([name, false, false]);
  });

  it('names P0 to P8 in order, and puts every deny above what modes allow', () => {
    const levels = ASTRO_RESEARCH_PRECEDENCE.flatMap((row) =>
      row.level === undefined || row.ruleIds !== undefined ? [] : [row.level],
    );
    expect(levels).toEqual(['P0', 'P1', 'P1', 'P2', 'P3', 'P3', 'P4', 'P5', 'P5', 'P6', 'P7', 'P8']);
    const effects = ASTRO_RESEARCH_PRECEDENCE.map((row) => row.effect);
    expect(effects.lastIndexOf('deny')).toBeLessThan(effects.indexOf('allow'));
  });

  it('waits 120 seconds for people unless the policy says otherwise, and takes limits from options', () => {
    expect(astro().document.askTimeout).toEqual({ after: 120, outcome: 'deny' });
    expect(astro({ askTimeout: { after: 30, outcome: 'park' } }).document.askTimeout.after).toBe(30);
    expect(astro({ options: { askTimeoutSec: 7, denialMaxTotal: 9 } }).document).toMatchObject({
      askTimeout: { after: 7 },
      breaker: { inARow: 3, total: 9 },
    });
  });
});

describe('a policy under astro-research', () => {
  it.each([
    [{ mode: 'plan' }, 'mode'],
    [{ options: { nonsense: 1 } }, 'options.nonsense'],
    [{ options: { blockNetwork: 'no' } }, 'options.blockNetwork'],
    [{ options: { maxSteps: 0 } }, 'options.maxSteps'],
    [{ options: { dangerousCommands: ['cat'] } }, 'options.dangerousCommands'],
  ] as const)('%j is refused', (input, path) => {
    const parsed = parsePolicyDocument({ preset: 'astro-research', ...input });
    const compiled = parsed.ok ? compilePolicy(parsed.document) : parsed;
    expect(compiled).toMatchObject({ ok: false, problems: [{ path }] });
  });

  it('has its examples checked by the same reading of rules', () => {
    const check = (rule: string, match: string[], notMatch: string[]) => {
      const parsed = parsePolicyDocument({ preset: 'astro-research', deny: [{ rule, match, notMatch }] });
      return parsed.ok ? compilePolicy(parsed.document).ok : false;
    };
    expect(check('run_bash(rm *)', ['rm x', 'ls; rm x'], ['echo rm x'])).toBe(true);
    expect(check('*(sudo)', ['sudo ls'], ['ls'])).toBe(true);
    expect(check('read_file(*.env)', ['a/prod.env'], ['.env.example'])).toBe(true);
    expect(check('read_file(*.env)', ['.env.example'], [])).toBe(false);
  });

  it('refuses a session in a mode that it has not', () => {
    expect(judge(callOf('search_papers', {}), astro(), inMode('plan'))).toMatchObject({
      effect: 'deny',
      ruleId: 'guard.illegal_mode',
    });
  });
});

describe('what astro-research closes', () => {
  it.each([
    ['ls; vim a.md', 'deny'],
    ['ls && curl https://x.example', 'deny'],
    ['sh -c "vim a.md"', 'deny'],
    ['/usr/bin/vim a.md', 'deny'],
    ['FOO=1 vim a.md', 'deny'],
    ["v'i'm a.md", 'deny'],
    ['dd if=/dev/zero of=/dev/sda', 'deny'],
    ['rm -rf /', 'deny'],
    ['if true; then vim x; fi', 'deny'],
    ['/tmp/evil/ls', 'ask'],
    ['PATH=/tmp ls', 'ask'],
    ['$PROGRAM x', 'ask'],
    ['python a.py', 'ask'],
    ['ls | sort -u | head -3', 'allow'],
    ['cat /etc/passwd', 'allow'],
  ] as const)('%s: %s', (command, effect) => {
    expect(effectOf(command)).toBe(effect);
  });

  it('holds deny rules against each program and against files below the working folder', () => {
    const deny = ['run_bash(rm *)', 'read_file(secrets/*)'];
    expect(effectOf('cd x && rm a', { deny })).toBe('deny');
    for (const path of ['secrets/a', './secrets/a', '/work/app/secrets/a']) {
      expect(judge(callOf('read_file', { file_path: path }), astro({ deny })).effect).toBe('deny');
    }
    const link = { '/work/app/link/a': '/work/app/secrets/a' };
    expect(judge(callOf('read_file', { file_path: 'link/a' }), astro({ deny }), factsOf(), link).effect).toBe('deny');
  });

  it('knows no tool outside of its registry, those of MCP servers included', () => {
    for (const tool of ['deploy', 'mcp__github__create_issue', 'constructor']) {
      expect(judge(callOf(tool, {}), astro({ allow: ['*'] }))).toMatchObject({
        effect: 'deny',
        ruleId: 'tool.unknown',
      });
    }
  });
});

describe('modes of astro-research', () => {
  it('answer questions, but not for a line that was not judged to its end', () => {
    const bypass = inMode('bypassPermissions');
    expect(judge(run('python a.py'), astro(), bypass).effect).toBe('allow');
    expect(judge(run(`python ${'x'.repeat(10_001)}`), astro(), bypass).effect).toBe('ask');
    expect(judge(run('if'), astro(), bypass).effect).toBe('ask');
    expect(judge(run('if'), astro(), inMode('bypassPermissions', true)).effect).toBe('deny');
  });

  it('let edits pass only where both the path and its target lie in the working folder', () => {
    const policy = astro({ ask: ['file_write'] });
    const write = (path: string) => callOf('file_write', { file_path: path, content: '' });
    const edits = inMode('acceptEdits');
    expect(judge(write('a.md'), policy, edits).effect).toBe('allow');
    const elsewhere = { '/work/app/a.md': '/data/a.md' };
    const roots = factsOf({ session: sessionOf({ mode: 'acceptEdits', roots: ['/work/app', '/data'] }) });
    expect(judge(write('a.md'), policy, roots, elsewhere).effect).toBe('ask');
    expect(judge(callOf('save_note', { text: 'x' }), astro({ ask: ['save_note'] }), edits).effect).toBe('ask');
  });

  it('leave a question when no classifier was asked, and a person when it finds a call unsafe', () => {
    const auto = inMode('auto');
    expect(judge(run('make'), astro(), auto)).toMatchObject({ effect: 'ask' });
    expect(judge(callOf('download_paper', { url: 'https://x.example' }), astro(), auto)).toMatchObject({
      effect: 'ask',
      ruleId: 'classifier.not_asked',
    });
    expect(judge(run('make'), astro(), { ...auto, classifier: 'unsafe' }).effect).toBe('ask');
    expect(judge(run('ls'), astro(), { ...auto, classifier: 'unavailable' }).effect).toBe('allow');
  });
});

describe('grants under astro-research', () => {
  const grant = (over: Partial<Grant>): Grant => ({
    id: 'g1',
    kind: 'always',
    tool: 'run_bash',
    argsHash: null,
    pattern: 'run_bash(python script.py)',
    liftsRuleIds: ['shell.unlisted'],
    askId: 'a1',
    personId: null,
    expiresAt: null,
    ...over,
  });
  const withGrant = (over: Partial<Grant> = {}) => factsOf({ session: sessionOf({ grants: [grant(over)] }) });

  it('answer the question that they were made from, and nothing else', () => {
    expect(judge(run('python script.py'), astro(), withGrant())).toMatchObject({ effect: 'allow', ruleId: 'grant:g1' });
    for (const other of ['python other.py', 'python script.py --all', 'python script.py; make', 'x python script.py']) {
      expect([other, judge(run(other), astro(), withGrant()).effect]).toEqual([other, 'ask']);
    }
    expect(judge(run('python script.py; vim x'), astro(), withGrant()).effect).toBe('deny');
    expect(judge(run('python script.py'), astro({ deny: ['*(script)'] }), withGrant()).effect).toBe('deny');
    expect(judge(run('python script.py'), astro({ ask: ['run_bash'] }), withGrant()).effect).toBe('ask');
  });

  it('lift every question once, for exactly one call', () => {
    const once = withGrant({ kind: 'once', argsHash: 'hash', pattern: null });
    expect(judge(run('make'), astro({ ask: ['*'] }), once).effect).toBe('allow');
    expect(judge(callOf('run_bash', { command: 'make' }, { argsHash: 'other' }), astro(), once).effect).toBe('ask');
    expect(judge(run('vim x'), astro(), once).effect).toBe('deny');
  });
});
