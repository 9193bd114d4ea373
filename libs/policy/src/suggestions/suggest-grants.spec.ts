import type { Facts, PolicyInput, ResolvedPaths } from '@countersign/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EngineCall } from '../engine/analysis.js';
import { evaluate } from '../engine/evaluate.js';
import { bash, callOf, factsOf, policyOf, sessionOf } from '../engine/judge.fixture.js';
import { requiredPaths } from '../engine/required-paths.js';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { CALLS, RULES } from '../analysis/policy-pool.fixture.js';
import { suggestGrants } from './suggest-grants.js';
import type { Suggestion } from './suggestion.js';

function factsFor(call: EngineCall, policy: CompiledPolicy, base: Facts = factsOf()): Facts {
  const resolvedPaths: ResolvedPaths = {};
  for (const path of requiredPaths(call, policy, base.session)) resolvedPaths[path] = { real: path, exists: true };
  return { ...base, resolvedPaths };
}

function suggest(call: EngineCall, input: PolicyInput = {}, base: Facts = factsOf()): Suggestion[] {
  const policy = policyOf(input);
  const facts = factsFor(call, policy, base);
  return suggestGrants(call, evaluate(call, policy, facts), policy, facts);
}

const patterns = (...args: Parameters<typeof suggest>): string[] => suggest(...args).map((one) => one.pattern);

describe('commands', () => {
  it.each<[string, string[]]>([
    ['git push origin main', ['Bash(git push origin main)', 'Bash(git push origin *)', 'Bash(git push *)']],
    ['npm test', ['Bash(npm test)', 'Bash(npm test *)']],
    [
      'npm run build -- --watch',
      ['Bash(npm run build -- --watch)', 'Bash(npm run build -- *)', 'Bash(npm run build *)'],
    ],
    ['jest --coverage', ['Bash(jest --coverage)', 'Bash(jest *)']],
    [
      'gh pr create --title x',
      ['Bash(gh pr create --title x)', 'Bash(gh pr create --title *)', 'Bash(gh pr create *)'],
    ],
    ['git commit -m "a b"', ['Bash(git commit -m "a b")', 'Bash(git commit -m *)', 'Bash(git commit *)']],
    [
      './gradlew build -x test',
      ['Bash(./gradlew build -x test)', 'Bash(./gradlew build -x *)', 'Bash(./gradlew build *)'],
    ],
    ['cd sub && npm test', ['Bash(cd sub && npm test)', 'Bash(npm test)', 'Bash(npm test *)']],
    ['timeout 60 npm test', ['Bash(timeout 60 npm test)', 'Bash(npm test)', 'Bash(npm test *)']],
    ['npm test && tsc -b', ['Bash(npm test && tsc -b)']],
    [
      'aws s3api list-buckets --profile x',
      [
        'Bash(aws s3api list-buckets --profile x)',
        'Bash(aws s3api list-buckets --profile *)',
        'Bash(aws s3api list-buckets *)',
      ],
    ],
  ])('%s', (command, expected) => {
    expect(patterns(bash(command))).toEqual(expected);
  });

  it.each([
    'rm -r build', 'python3 manage.py migrate', 'node server.js', 'bash setup.sh', 'npx jest', 'curl https://x.example', 'git -C other push', 'git clean -fd', 'docker run -it x',
    'npm install left-pad', 'kubectl delete pod x', './setup.sh', 'aws s3 rm s3://x', 'mv a b', 'find . -name x -exec make {} +', 'terraform apply', 'make install', 'sed -i s/a/b/ f',
    'python3.12 x.py', '/usr/bin/python3 x.py', 'go run .', 'env make x', 'xargs make',
  ])('%s is offered as a whole or not at all', (command) => {
    const offered = patterns(bash(command));
    expect(offered.every((pattern) => !pattern.includes('*'))).toBe(true);
  }); // prettier-ignore

  it.each(['$x y', 'cat .env', 'echo hi > .git/config', 'curl x | sh', 'sudo make'])(
    '%s is not to be answered for good',
    (command) => {
      expect(patterns(bash(command))).toEqual([]);
    },
  );

  it('answers the question of a rule', () => {
    expect(patterns(bash('git push origin main'), { ask: ['Bash(git push *)'] })).toEqual([
      'Bash(git push origin main)',
      'Bash(git push origin *)',
      'Bash(git push *)',
    ]);
  });

  it('offers the file for a redirect', () => {
    expect(patterns(bash('echo hi > out/notes.txt'))).toEqual([
      'Bash(echo hi > out/notes.txt)',
      'Edit(//work/app/out/notes.txt)',
      'Edit(//work/app/out/**)',
    ]);
  });

  it('offers nothing where nothing is asked', () => {
    expect(patterns(bash('ls'))).toEqual([]);
    expect(patterns(bash('make x'), { deny: ['Bash(make *)'] })).toEqual([]);
  });
});

describe('other tools', () => {
  it.each<[string, EngineCall, string[]]>([
    [
      'a file',
      callOf('Write', { file_path: '/work/app/src/a.ts' }),
      ['Write(//work/app/src/a.ts)', 'Write(//work/app/src/**)'],
    ],
    [
      'a file in the root',
      callOf('Edit', { file_path: '/work/app/a.ts' }),
      ['Edit(//work/app/a.ts)', 'Edit(//work/app/**)'],
    ],
    [
      'a file elsewhere',
      callOf('Read', { file_path: '/data/set/x.csv' }),
      ['Read(//data/set/x.csv)', 'Read(//data/set/**)'],
    ],
    ['a file of a top folder', callOf('Read', { file_path: '/data/x.csv' }), ['Read(//data/x.csv)']],
    ['a file at home', callOf('Read', { file_path: '/home/dev/notes.txt' }), ['Read(//home/dev/notes.txt)']],
    ['a file beside the root', callOf('Read', { file_path: '/work/x.csv' }), ['Read(//work/x.csv)']],
    [
      'a name with wildcards',
      callOf('Edit', { file_path: '/work/app/pages/[id].ts' }),
      ['Edit(//work/app/pages/\\[id\\].ts)', 'Edit(//work/app/pages/**)'],
    ],
    ['a secret', callOf('Read', { file_path: '/work/app/.env' }), []],
    ['an address', callOf('WebFetch', { url: 'https://docs.example/x?y' }), ['WebFetch(domain:docs.example)']],
    ['an address that readers read differently', callOf('WebFetch', { url: 'https://a@b.example/' }), []],
    ['an MCP tool', callOf('mcp__db__query', { sql: 'select 1' }), ['mcp__db__query']],
    ['a skill', callOf('Skill', { skill: 'deploy' }), ['Skill(deploy)']],
    ['a tool that nobody knows', callOf('run_anything', { command: 'make' }), []],
  ])('%s', (_name, call, expected) => {
    expect(patterns(call)).toEqual(expected);
  });

  it('offers nothing for a link that leads elsewhere', () => {
    const call = callOf('Write', { file_path: '/work/app/out.txt' });
    const policy = policyOf();
    const facts = factsOf({
      resolvedPaths: {
        '/work/app/out.txt': { real: '/srv/x', exists: true },
        '/work/app': { real: '/work/app', exists: true },
      },
    });
    expect(suggestGrants(call, evaluate(call, policy, facts), policy, facts)).toEqual([]);
  });
});

describe('other presets', () => {
  const push = { command: 'git push origin main' };
  const file = '/work/app/src/a.ts';
  it.each<[PolicyInput, EngineCall, string[]]>([
    [
      { preset: 'claude-code' },
      callOf('Bash', push),
      ['Bash(git push origin main)', 'Bash(git push origin *)', 'Bash(git push *)'],
    ],
    [
      { preset: 'claude-code' },
      callOf('Write', { file_path: file }),
      ['Edit(/' + file + ')', 'Edit(//work/app/src/**)'],
    ],
    [
      { preset: 'coding-agent' },
      callOf('Bash', push),
      ['Bash(git push origin main)', 'Bash(git push origin *)', 'Bash(git push *)'],
    ],
    [
      { preset: 'coding-agent' },
      callOf('WriteFile', { file_path: file, content: '' }),
      ['WriteFile(/' + file + ')', 'WriteFile(//work/app/src/**)'],
    ],
    [
      { preset: 'astro-research' },
      callOf('run_bash', push),
      ['run_bash(git push origin main)', 'run_bash(git push origin *)', 'run_bash(git push *)'],
    ],
    [
      { preset: 'astro-research', ask: ['file_write'] },
      callOf('file_write', { file_path: file, content: '' }),
      ['file_write(' + file + ')', 'file_write(/work/app/src/*)'],
    ],
    [
      { preset: 'astro-research', ask: ['download_paper'] },
      callOf('download_paper', { url: 'https://docs.example/x' }),
      ['download_paper(https://docs.example/*)'],
    ],
    [{ preset: 'governed-runner' }, callOf('bash', push), []],
  ])('%j', (input, call, expected) => {
    expect(patterns(call, input)).toEqual(expected);
  });
});

describe('the preview', () => {
  const shown = (suggestion: Suggestion | undefined) => ({
    yes: suggestion?.preview.wouldMatch.map((one) => one.args['command']),
    no: suggestion?.preview.wouldNotMatch.map((one) => [one.args['command'], one.effect]),
  });

  it('shows how far each step reaches, by the engine', () => {
    const [exact, last, all] = suggest(bash('git push origin main'));
    expect(shown(exact)).toEqual({
      yes: ['git push origin main'],
      no: [
        ['git push origin sample1', 'ask'],
        ['git push origin main sample1', 'ask'],
        ['git push origin main --force', 'ask'],
        ['git push', 'ask'],
        ['git push sample1', 'ask'],
        ['git sample1', 'ask'],
      ],
    });
    expect(shown(last)).toEqual({
      yes: [
        'git push origin main',
        'git push origin sample1',
        'git push origin main sample1',
        'git push origin main --force',
      ],
      no: [
        ['git push', 'ask'],
        ['git push sample1', 'ask'],
        ['git sample1', 'ask'],
        ['sample1 push origin main', 'ask'],
        ['git push origin main && rm -rf sample1', 'ask'],
        ['git push origin main | sh', 'ask'],
      ],
    });
    expect(shown(all).yes).toContain('git push sample1');
  });

  it('shows that a deny stays', () => {
    const [, last] = suggest(bash('git push origin main'), { deny: ['Bash(git push * --force)'] });
    expect(shown(last).no).toContainEqual(['git push origin main --force', 'deny']);
  });

  it('shows hosts that only look alike', () => {
    const [host] = suggest(callOf('WebFetch', { url: 'https://docs.example/x' }));
    expect(host?.preview.wouldMatch.map((one) => one.args['url'])).toEqual([
      'https://docs.example/x',
      'https://docs.example/sample1',
    ]);
    expect(host?.preview.wouldNotMatch.map((one) => one.args['url'])).toEqual([
      'https://sample1.docs.example/',
      'https://docs.example.sample1.example/',
      'https://sample1.example/',
    ]);
  });
});

const calls = fc.constantFrom(...CALLS);
const rules = fc.array(fc.constantFrom(...RULES), { maxLength: 6 });
const policies: fc.Arbitrary<PolicyInput> = fc.record({ deny: rules, ask: rules, allow: rules });

describe('properties', () => {
  it('whatever is offered allows the call when it is granted, and lifts no deny', () => {
    fc.assert(
      fc.property(policies, calls, calls, (input, sample, other) => {
        const policy = policyOf(input);
        const call = callOf(sample.tool, sample.args);
        const facts = factsFor(call, policy);
        const verdict = evaluate(call, policy, facts);
        for (const { pattern, preview } of suggestGrants(call, verdict, policy, facts)) {
          const grant = {
            id: 'g', kind: 'always', tool: call.tool, argsHash: null, pattern, askId: 'a', personId: null, expiresAt: null,
            liftsRuleIds: verdict.matches.filter((match) => match.effect === 'ask').map((match) => match.ruleId),
          } as const; // prettier-ignore
          const granted = factsOf({ session: sessionOf({ grants: [grant] }) });
          expect(evaluate(call, policy, factsFor(call, policy, granted)).effect).toBe('allow');
          expect(preview.wouldMatch[0]).toMatchObject({ tool: call.tool, args: call.args, effect: 'allow' });
          const next = callOf(other.tool, other.args, { argsHash: 'other' });
          const before = evaluate(next, policy, factsFor(next, policy)).effect;
          const after = evaluate(next, policy, factsFor(next, policy, granted)).effect;
          if (before === 'deny') expect(after).toBe('deny');
        }
      }),
      { numRuns: 200 },
    );
  });
});
