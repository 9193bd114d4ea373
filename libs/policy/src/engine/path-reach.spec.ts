/** Wildcards and searches that name no folder: what they may reach counts, not only what they say. */
import { describe, expect, it } from '@jest/globals';
import type { PolicyInput } from '@countersign/contracts';
import { globMayReach } from './path-reach.js';
import { callOf, factsOf, judge, policyOf, sessionOf } from './judge.fixture.js';

const PRESETS: readonly Partial<PolicyInput>[] = [{ preset: 'standard' }, { preset: 'claude-code' }];

function effectOf(policy: Partial<PolicyInput>, cwd: string, command: string, folder = '/home/u/.countersign'): string {
  const session = sessionOf({ cwd, home: '/home/u', roots: [cwd] });
  const facts = factsOf({ protectedPaths: [folder], session });
  return judge(callOf('Bash', { command }, { cwd }), policyOf(policy), facts).effect;
}

describe('globMayReach', () => {
  it.each([
    ['/home/u/.co*/x', true],
    ['/home/u/.counter*', true],
    ['/home/u/*', false],
    ['/home/*', true],
    ['/hom[e]/u/.c*/x', true],
    ['/home/u/.[[:alpha:]]ountersign/x', true],
    ['/home/u/p/../.co*', true],
    ['/home/u/p/.*/.countersign', true],
    ['/home/u/p/.*', false],
    ['/home/u/p/*.ts', false],
    ['/home/u/\\*/x', false],
    ['/**/.countersign/x', true],
    ['/srv/*', false],
  ])('%s: %s', (glob, expected) => {
    expect(globMayReach(glob, '/home/u/.countersign')).toBe(expected);
  });
});

it('takes no time for a hostile wildcard', () => {
  expect(globMayReach(`${'/**'.repeat(2_000)}/x`, '/a/b/c/d/e/f')).toBe(true);
  expect(globMayReach(`/a${'/**'.repeat(2_000)}/x`, '/b/b/c/d/e/f')).toBe(false);
  expect(globMayReach(`/a${'/**'.repeat(2_000)}/x`, '/a/.b/c/d/e/f')).toBe(false);
});

describe.each(PRESETS)('a wildcard beside a protected folder, preset $preset', (policy) => {
  it.each([
    'cat .counter*/endpoints.json',
    'cat .*/endpoints.json',
    'cat < .co*/x',
    'cat ~/.co*/x',
    'cat $HOME/.co?ntersign/x',
    'cat .c[[:lower:]]*/x',
    'cd .counter* && cat endpoints.json',
    'for f in .c*; do cat "$f/x"; done',
    'foo .co*/x',
  ])('%s is not let through', (command) => {
    expect(effectOf(policy, '/home/u', command)).toBe('ask');
  });

  it('asks although a rule allows the program', () => {
    expect(effectOf({ ...policy, allow: ['Bash(foo *)'] }, '/home/u', 'foo .co*/x')).toBe('ask');
  });

  it.each([
    'grep -r x',
    'grep --directories=recurse x',
    'rg --hidden x',
    'rg -uu x',
    'ag --hidden x',
    'git grep --no-index x',
  ])('%s reads its own folder', (command) => {
    expect(effectOf(policy, '/home/u', command)).toBe(effectOf(policy, '/home/u', `${command} .`));
    expect(effectOf(policy, '/home/u', command)).not.toBe('allow');
  });
});

describe('a wildcard beside a protected folder, other presets', () => {
  const presets = ['standard', 'claude-code', 'astro-research', 'coding-agent', 'governed-runner'] as const;
  it.each(
    presets.flatMap((preset) =>
      (['default', 'bypassPermissions', 'auto'] as const).map((mode) => [preset, mode] as const),
    ),
  )('%s, mode %s: nobody but people lets it through', (preset, mode) => {
    const session = sessionOf({ cwd: '/home/u', home: '/home/u', roots: ['/home/u'], mode });
    const facts = factsOf({ protectedPaths: ['/home/u/.countersign'], session, classifier: 'safe' });
    const call = callOf('Bash', { command: 'cat .counter*/x' }, { cwd: '/home/u' });
    expect(judge(call, policyOf({ preset }), facts).effect).not.toBe('allow');
  });
});

describe('a wildcard, preset standard', () => {
  const standard: Partial<PolicyInput> = {};

  it.each(['cat *', 'cat */x', 'ls *', 'cat da?a/x'])(
    '%s asks above a protected folder that is not hidden',
    (command) => {
      expect(effectOf(standard, '/home/u', command, '/home/u/data')).toBe('ask');
    },
  );

  it('denies what surely lies inside', () => {
    expect(effectOf(standard, '/home/u', 'cat .countersign/*.json')).toBe('deny');
  });

  it('follows the folder that the wildcard lies in', () => {
    const session = sessionOf({ cwd: '/work/app', home: '/home/u' });
    const facts = factsOf({ protectedPaths: ['/home/u/.countersign'], session });
    const command = callOf('Bash', { command: 'cat link/.co*/x' });
    expect(judge(command, policyOf(), facts, { '/work/app/link/': '/home/u' }).matches).toContainEqual(
      expect.objectContaining({ ruleId: 'path.protected', effect: 'ask' }),
    );
  });

  it.each([
    'cat *.md',
    'cat *.ts',
    'ls *',
    'cat src/**',
    'grep -r x',
    'grep -rn x src',
    'rg x',
    'git grep x',
    'cat x | rg foo',
    'cat x | grep -a foo',
  ])('%s stays unasked in an ordinary project', (command) => {
    expect(effectOf(standard, '/home/u/project', command)).toBe('allow');
  });

  it.each(['cat *.md', 'ls *', 'cat x | rg foo', 'rg foo < x', 'git grep x'])(
    '%s stays unasked in the home of a hidden protected folder',
    (command) => {
      expect(effectOf(standard, '/home/u', command)).toBe('allow');
    },
  );

  it.each([
    ['/home/u/p', 'cat .env*'],
    ['/home/u/p', 'cat .en?'],
    ['/home/u/p', 'head config/*.pem'],
    ['/home/u', 'cat .ss*/id_*'],
    ['/etc', 'cat shado?'],
    ['/home/u/p', 'cat .en[[:lower:]]'],
  ])('in %s, %s may show secrets', (cwd, command) => {
    expect(effectOf(standard, cwd, command)).toBe('ask');
  });

  it.each([
    ['cp a .gi*/hooks/pre-commit', 'ask'],
    ['touch .g[i]t/config', 'ask'],
    ['touch */.git/config', 'ask'],
    ['touch src/*.ts', 'allow'],
    ['touch *', 'allow'],
  ])('in mode bypassPermissions, %s: %s', (command, effect) => {
    const session = sessionOf({ mode: 'bypassPermissions' });
    expect(judge(callOf('Bash', { command }), policyOf(), factsOf({ session })).effect).toBe(effect);
  });
});

describe('Glob and Grep, preset standard', () => {
  const facts = factsOf({ protectedPaths: ['/tmp/x/home'] });

  it.each([
    ['Glob', { pattern: '/tmp/x/h*/*' }, 'deny'],
    ['Glob', { pattern: '/tmp/y/h*/*' }, 'ask'],
    ['Glob', { pattern: '../x/*' }, 'ask'],
    ['Glob', { pattern: '*', path: '../x' }, 'ask'],
    ['Glob', { pattern: '{/tmp,a}/x' }, 'ask'],
    ['Glob', { pattern: 'src/**/*.ts' }, 'allow'],
    ['Grep', { pattern: 'x', path: '/tmp/x' }, 'deny'],
    ['Grep', { pattern: 'x', path: '..' }, 'ask'],
    ['Grep', { pattern: 'x' }, 'allow'],
  ])('%s %j: %s', (tool, args, effect) => {
    expect(judge(callOf(tool, args), policyOf(), facts).effect).toBe(effect);
  });
});

describe('processes without end', () => {
  it.each([
    "while true; do bash -c 'sleep 9999' & done",
    "while true; do bash -c 'sleep 9999 &'; done",
    'while true; do sleep 9 & done',
    'until false; do { sleep 9 & }; done',
    'for ((;;)); do if true; then sleep 1 & fi; done',
    'while true; do for i in a b; do (sleep 9 &); done; done',
    'while true; do true <(sleep 9); done',
    "bash -c 'while true; do sleep 9 & done'",
  ])('%s asks', (command) => {
    for (const policy of PRESETS) expect(effectOf(policy, '/work/app', command)).toBe('ask');
  });

  it.each(['for i in a b; do sleep 9 & done', 'sleep 3 &', 'while true; do sleep 9; done'])(
    '%s only reads',
    (command) => {
      expect(effectOf({}, '/work/app', command)).toBe('allow');
    },
  );
});

describe('making a file system', () => {
  it.each([
    ['mkfs.ext4 disk.img', 'ask'],
    ['mkfs.ext4 -F -L data ./disk.img', 'ask'],
    ['mkfs.ext4 /dev/sda1', 'deny'],
    ['cd /dev && mkfs.ext4 sda1', 'deny'],
    ['mkfs.vfat ../../dev/sdb', 'deny'],
    ['mkfs.ext4 $X', 'deny'],
    ['mkfs /srv/disk.img', 'deny'],
    ['mkfs.ext4', 'deny'],
    ['wipefs disk.img', 'deny'],
  ])('%s: %s', (command, effect) => {
    expect(effectOf({}, '/work/app', command)).toBe(effect);
  });

  it('asks in every mode when the file is a link to a device', () => {
    const session = sessionOf({ mode: 'bypassPermissions' });
    const call = callOf('Bash', { command: 'mkfs.ext4 disk.img' });
    expect(judge(call, policyOf(), factsOf({ session }), { '/work/app/disk.img': '/dev/sda1' }).effect).toBe('ask');
  });
});

describe("the user's own dialogs", () => {
  it.each([
    ['ExitPlanMode', { plan: 'x', planFilePath: '/home/dev/.claude/plans/x.md' }],
    ['ExitPlanMode', { plan: 'x' }],
    ['AskUserQuestion', { questions: [] }],
  ])('%s %j asks nobody else', (tool, args) => {
    for (const mode of ['default', 'plan'] as const) {
      expect(judge(callOf(tool, args), policyOf(), factsOf({ session: sessionOf({ mode }) })).effect).toBe('allow');
    }
  });
});
