/** What git reads, writes and reaches is judged by the rules about files and hosts, whatever allows the command. */
import { describe, expect, it } from '@jest/globals';
import type { PolicyInput } from '@countersign/contracts';
import { bash, factsOf, judge, policyOf, sessionOf } from './judge.fixture.js';

const allow = ['Bash(git *)'];
const effectOf = (input: Partial<PolicyInput>, command: string) =>
  judge(bash(command), policyOf({ allow, ...input })).effect;

describe('files that git writes', () => {
  it.each([
    'git checkout -- src/a.ts',
    'git checkout HEAD~1 src/a.ts',
    'git restore src',
    'git restore --source=HEAD~1 -- src/a.ts',
    'git rm src/a.ts',
    'git mv a.ts src/b.ts',
    'git -C src restore a.ts',
    'git archive -o src/a.tar HEAD',
    'git clone https://a.example/b src/c',
    'git worktree add src/c main',
    'git bundle create src/c HEAD',
    'git format-patch -o src HEAD~1',
  ])('%s is denied where they may not be edited', (command) => {
    expect(effectOf({ deny: ['Edit(src/**)'] }, command)).not.toBe('allow');
    expect(effectOf({}, command)).toBe('allow');
  });

  it.each([
    'git apply x.patch',
    'git stash pop',
    'git stash',
    'git checkout main',
    'git switch main',
    'git merge main',
    'git pull',
    'git rebase main',
    'git cherry-pick abc',
    'git reset --hard',
    'git clean -fd',
    'git am x.patch',
  ])('%s asks, since nobody knows which it writes', (command) => {
    expect(effectOf({ deny: ['Edit(src/**)'] }, command)).toBe('ask');
    expect(effectOf({ deny: ['Edit'] }, command)).not.toBe('allow');
    expect(effectOf({ deny: ['Edit(//opt/x/**)'] }, command)).toBe('allow');
    expect(effectOf({}, command)).toBe('allow');
  });

  it.each([
    'git commit -m x',
    'git push origin main',
    'git fetch',
    'git tag v1',
    'git reset HEAD~1',
    'git apply --stat x.patch',
    'git stash list',
    'git clean -n',
    'git add src/a.ts',
  ])('%s writes none', (command) => {
    expect(effectOf({ deny: ['Edit(src/**)'] }, command)).toBe('allow');
  });

  it.each([
    'git checkout HEAD -- src/a.ts',
    'git checkout HEAD src/a.ts',
    'git restore --source HEAD src',
    'git checkout @~1 src',
  ])('%s names no file besides', (command) => {
    expect(effectOf({}, command)).toBe('allow');
  });

  it.each([
    'git pull',
    'git checkout main',
    'git checkout -- src/a.ts',
    'git stash pop',
    'git rm src/a.ts',
    'git mv src/a.ts src/b.ts',
    'git rm --cached .env',
    'git restore --staged .',
    'git clone https://a.example/b src/c',
    'git diff HEAD~1 -- src/',
  ])('%s shows nothing of what may not be read', (command) => {
    expect(effectOf({ deny: ['Read(**/.env)'] }, command)).toBe('allow');
  });

  it.each(['git checkout -- .env', 'git checkout -- "*.env"', 'git mv .env x', 'git rm .env', 'git checkout .env'])(
    '%s names what may not be read',
    (command) => {
      expect(effectOf({ deny: ['Read(**/.env)'] }, command)).not.toBe('allow');
    },
  );

  it.each(['git checkout -b x', 'git switch -c x', 'git restore --staged src', 'git rm --cached src/a.ts'])(
    '%s leaves the files alone',
    (command) => {
      expect(effectOf({ deny: ['Edit(src/**)'] }, command)).toBe('allow');
    },
  );

  it.each([
    ['git checkout main', 'ask'],
    ['git checkout -b feature/x origin/main', 'ask'],
    ['git checkout src/a.ts', 'deny'],
    ['git checkout -- main', 'deny'],
    ['git checkout .', 'deny'],
  ])('in mode plan %s: %s', (command, effect) => {
    const facts = factsOf({ session: sessionOf({ mode: 'plan' }) });
    expect(judge(bash(command), policyOf(), facts).effect).toBe(effect);
  });

  it('leaves a protected folder below alone until it is named', () => {
    const facts = factsOf({ protectedPaths: ['/work/app/.countersign'] });
    const said = (command: string) => judge(bash(command), policyOf({ allow }), facts).effect;
    expect(said('git pull')).toBe('allow');
    expect(said('git checkout -- .countersign/x')).toBe('deny');
    expect(said('git checkout -- .')).toBe('deny');
  });

  it('asks about files that decide what runs, in every mode', () => {
    const facts = factsOf({ session: sessionOf({ mode: 'bypassPermissions' }) });
    const verdict = judge(bash('git checkout other -- .github/workflows/ci.yml'), policyOf(), facts);
    expect(verdict).toMatchObject({ effect: 'ask', ruleId: 'path.control' });
  });
});

describe('files that git shows', () => {
  it.each([
    'git show HEAD:secrets/a',
    'git show HEAD:./secrets/a',
    'git show :0:secrets/a',
    'git show ":(top)secrets/a"',
    'git diff -- secrets/',
    'git diff HEAD~1 -- secrets',
    'git grep x -- secrets/',
    "git grep x -- 'secr*'",
    "git grep x -- ':/secrets'",
    'git grep x HEAD -- secrets/a',
    'git grep x secrets',
    'git grep -e x secrets/',
    'git log -p -- secrets/a',
    'git blame secrets/a',
    'git cat-file -p HEAD:secrets/a',
    'git archive HEAD secrets',
    'git add secrets/a',
  ])('%s is not allowed where they may not be read', (command) => {
    expect(effectOf({ deny: ['Read(secrets/**)'] }, command)).not.toBe('allow');
  });

  it.each([
    'git show HEAD',
    'git show HEAD:src/a',
    'git diff',
    'git diff main src/a.ts',
    'git diff main..other',
    'git log -p',
    "git log -p -- src ':!secrets'",
    'git add src/a',
  ])('%s is', (command) => {
    expect(effectOf({ deny: ['Read(secrets/**)'] }, command)).toBe('allow');
  });
});
