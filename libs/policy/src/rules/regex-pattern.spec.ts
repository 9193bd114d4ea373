import { describe, expect, it } from '@jest/globals';
import type { PolicyInput, Rule } from '@countersign/contracts';
import { bash, callOf, factsOf, judge, policyOf, sessionOf } from '../engine/judge.fixture.js';
import { compilePolicy } from '../policy/compile.js';
import { parsePolicyDocument } from '../policy/parse-document.js';
import { compileRegex, matchesRegex } from './regex-pattern.js';

const effect = (call: ReturnType<typeof bash>, policy: Partial<PolicyInput>): string =>
  judge(call, policyOf(policy)).effect;

function problemsOf(input: unknown): string[] {
  const parsed = parsePolicyDocument(input);
  if (!parsed.ok) throw new Error('unreadable');
  const compiled = compilePolicy(parsed.document);
  const found = compiled.ok ? compiled.policy.warnings : compiled.problems;
  return found.map(({ path, message }) => `${path}: ${message}`);
}

describe('expressions', () => {
  it('must match the whole text, line breaks too', () => {
    const regex = compileRegex('git (push|pull).*');
    if (!regex.ok) throw new Error(regex.message);
    const matched = ['git push', 'git pull a\nb', 'xgit push', 'git pus'].map((text) =>
      matchesRegex(regex.regex, text),
    );
    expect(matched).toEqual([true, true, false, false]);
    expect(regex.regex.program).toBe('git');
  });

  it.each([
    ['git (push', 'missing closing ) at character 10'],
    ['a(?=b)', 'invalid or unsupported Perl syntax at character 2: `(?=`'],
    ['(a)\\1', 'invalid escape sequence at character 4: `\\1`'],
    ['', 'the expression behind `re:` is empty'],
    ['a'.repeat(1_001), 'an expression may have 1000 characters at most'],
    ['(?:[a-z]{30}){30}[^x]{900}(?:\\pL{9}){90}', 'the expression repeats too much'],
  ])('%s is refused, with the place', (source, message) => {
    const result = compileRegex(source);
    expect(result.ok ? 'ok' : result.message).toContain(message);
  });

  it('takes no time for a hostile expression', () => {
    const policy = policyOf({ deny: ['Bash(re:(a+)+b)', 'Bash(re:(x|x|x|x)*(y|y)*z)'] });
    const started = process.hrtime.bigint();
    judge(bash('a'.repeat(9_000)), policy);
    judge(bash('x'.repeat(9_000)), policy);
    expect(Number(process.hrtime.bigint() - started) / 1e9).toBeLessThan(2);
  });

  it('are problems of the policy where they tighten, and warnings where they allow', () => {
    expect(problemsOf({ deny: ['Bash(ls)', 'Bash(re:a[)'] })).toEqual([
      'deny.1: rule `Bash(re:a[)`: missing closing ] at character 2: `[`',
    ]);
    expect(problemsOf({ allow: ['Bash(re:a**)'] })[0]).toMatch(/^allow\.0: rule .* at character 2/);
  });
});

describe('rules about commands', () => {
  it.each([
    ['git push', 'deny'],
    ["g'i't push origin", 'deny'],
    ['ls && git push', 'deny'],
    ['echo $(git push)', 'deny'],
    ['sudo git push', 'deny'],
    ["git push $'a\\nb'", 'deny'],
    ['git status', 'allow'],
  ])('deny: %s is %s', (command, expected) => {
    expect(effect(bash(command), { deny: ['Bash(re:git (push|pull)( .*)?)'] })).toBe(expected);
  });

  it.each([
    ['npm run build:web', 'allow'],
    ['npm run build:web && npm run build:app', 'allow'],
    ['npm run build:web && make', 'ask'],
    ['npm run build:web -- x', 'ask'],
    ['npm run "$X"', 'ask'],
    ['npm run build:web > /etc/x', 'ask'],
    ['xargs npm run build:web', 'ask'],
  ])('allow: %s is %s', (command, expected) => {
    expect(effect(bash(command), { allow: ['Bash(re:npm run build:[a-z]+)'] })).toBe(expected);
  });

  it('knows nothing of words that only the shell knows', () => {
    expect(effect(bash('make $X'), { allow: ['Bash(re:make .X)'] })).toBe('ask');
  });

  it('is found by its first word among many', () => {
    const deny = Array.from({ length: 50 }, (_one, n) => `Bash(re:tool${String(n)} [a-z]+)`);
    expect(judge(bash('tool7 abc'), policyOf({ deny })).ruleId).toBe('deny:Bash(re:tool7 [a-z]+)');
    expect(effect(bash('tool77 abc'), { deny: [...deny, 'Bash(re:.*77.*)'] })).toBe('deny');
  });
});

describe('rules about files', () => {
  const read = (path: string) => callOf('Read', { file_path: path });
  const policy = { deny: ['Read(re:.*/key-[0-9]+\\.dat)'] };
  it('hold the absolute path and its target, in any case', () => {
    expect([effect(read('a/key-12.dat'), policy), effect(read('a/KEY-1.DAT'), policy)]).toEqual(['deny', 'deny']);
    expect([effect(read('a/key-.dat'), policy), effect(bash('cat a/key-1.dat'), policy)]).toEqual(['allow', 'deny']);
    const link = judge(read('b'), policyOf(policy), factsOf(), { '/work/app/b': '/work/app/key-1.dat' });
    expect(link.effect).toBe('deny');
    expect(effect(callOf('Write', { file_path: 'key-1.dat', content: '' }), policy)).toBe('deny');
  });

  it('ask about a folder that may hold such a file, unless all of them lie elsewhere', () => {
    expect(effect(callOf('Grep', { pattern: 'x', path: '/work/app' }), policy)).toBe('ask');
    const away = { deny: ['Read(re:/opt/keys/.*)'] };
    expect(effect(callOf('Grep', { pattern: 'x', path: '/work/app' }), away)).toBe('allow');
    expect(effect(callOf('Grep', { pattern: 'x', path: '/opt' }), { ...away, roots: ['/opt'] })).toBe('ask');
  });

  it('allow only where path and target are matched, and no folder with all below it', () => {
    const allow = { allow: ['Edit(re:/work/app/src/.*\\.ts)'] };
    const edit = callOf('Write', { file_path: 'src/a.ts', content: '' });
    expect(effect(edit, allow)).toBe('allow');
    expect(judge(edit, policyOf(allow), factsOf(), { '/work/app/src/a.ts': '/work/app/b' }).effect).toBe('ask');
    const list = callOf('Grep', { pattern: 'x', path: '/opt' });
    expect(effect(list, { allow: ['Grep(re:/opt)', 'Read(re:/opt)'] })).toBe('ask');
  });
});

describe('rules about addresses', () => {
  const fetch = (url: string) => callOf('WebFetch', { url, prompt: 'x' });
  it('hold the host, or the whole address where one is spelled out', () => {
    const hosts = { allow: ['WebFetch(re:([a-z]+\\.)?docs\\.example)'] };
    expect(effect(fetch('https://a.docs.example/x'), hosts)).toBe('allow');
    expect(effect(fetch('https://evil.example/docs.example'), hosts)).toBe('ask');
    const pages = { allow: ['WebFetch(re:https://docs\\.example/v[0-9]/.*)'] };
    expect(effect(fetch('https://docs.example/v2/x'), pages)).toBe('allow');
    expect(effect(fetch('https://docs.example/x'), pages)).toBe('ask');
    expect(effect(fetch('https://docs.example\\@evil.example/v2/'), pages)).toBe('ask');
  });

  it('deny whatever some reader of the address might connect to', () => {
    const deny = { allow: ['WebFetch'], deny: ['WebFetch(re:(.*\\.)?evil\\.example)'] };
    expect(effect(fetch('https://EVIL.example/'), deny)).toBe('deny');
    expect(effect(fetch('https://docs.example\\@evil.example/'), deny)).toBe('deny');
    expect(effect(fetch('https://docs.example/'), deny)).toBe('allow');
  });
});

describe('rules about names and fields', () => {
  it('hold the name that a tool is called with', () => {
    const agent = (type: string) => callOf('Agent', { subagent_type: type, description: 'x', prompt: 'x' });
    const policy = { allow: ['Agent'], deny: ['Agent(re:deploy-(eu|us))'] };
    expect([effect(agent('deploy-eu'), policy), effect(agent('deploy-eux'), policy)]).toEqual(['deny', 'allow']);
  });

  it('hold any field of a call under a preset that reads contents', () => {
    const deny = { preset: 'astro-research' as const, deny: ['run_bash(re:ls -[a-z]*R[a-z]*)'] };
    const run = (command: string) => callOf('run_bash', { command });
    expect([effect(run('ls -lR'), deny), effect(run('pwd; ls -lR'), deny), effect(run('ls -l'), deny)]).toEqual([
      'deny',
      'deny',
      'allow',
    ]);
  });

  it('count as grants and as rules of a session', () => {
    const rule: Omit<Rule, 'id' | 'effect' | 'pattern'> = {
      source: 'session',
      reason: '',
      order: 0,
      match: [],
      notMatch: [],
    };
    const rules = [{ ...rule, id: 'x', effect: 'deny', pattern: 'Bash(re:ls.*)' } as const];
    expect(judge(bash('ls -l'), policyOf(), factsOf({ session: sessionOf({ rules }) })).ruleId).toBe('x');
    const broken = [{ ...rule, id: 'y', effect: 'deny', pattern: 'Bash(re:(ls)' } as const];
    expect(judge(bash('pwd'), policyOf(), factsOf({ session: sessionOf({ rules: broken }) })).effect).toBe('ask');
  });

  it('are checked by their examples', () => {
    const rule = { rule: 'Bash(re:git (push|pull).*)', match: ['git push x'], notMatch: ['git status'] };
    expect(problemsOf({ deny: [rule] })).toEqual([]);
    expect(problemsOf({ deny: [{ ...rule, match: ['git status'] }] })).toHaveLength(1);
  });
});
