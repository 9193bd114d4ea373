import { describe, expect, it } from '@jest/globals';
import { bash, judge, policyOf } from './judge.fixture.js';

const ALLOW = ['rm', 'git', 'docker', 'chmod', 'kubectl', 'ssh'].map((name) => `Bash(${name} *)`);
const effectOf = (rule: string, command: string, list: 'deny' | 'ask'): string =>
  judge(bash(command), policyOf({ allow: ALLOW, [list]: [rule] })).effect;

describe('a deny or ask that names flags', () => {
  it.each([
    ['Bash(rm -rf *)', 'rm -rf x'],
    ['Bash(rm -rf *)', 'rm -fr x'],
    ['Bash(rm -rf *)', 'rm -r -f x'],
    ['Bash(rm -rf *)', 'rm -R -f x'],
    ['Bash(rm -rf *)', 'rm -fvR x'],
    ['Bash(rm -rf *)', 'rm --recursive --force x'],
    ['Bash(rm -rf *)', 'rm --force --recurs x'],
    ['Bash(rm -rf *)', 'rm x -rf'],
    ['Bash(rm -rf *)', 'rm -r x -f'],
    ['Bash(rm -rf *)', 'rm -r -f -- x'],
    ['Bash(rm -rf *)', '/bin/rm -fr x'],
    ['Bash(rm -rf *)', 'bash -c "rm -fr x"'],
    ['Bash(rm -rf *)', 'a=-fr; rm $a x'],
    ['Bash(rm -rf *)', 'rm $NOTHING -fr x'],
    ['Bash(rm -rf src*)', 'rm -f -r src/a'],
    ['Bash(rm --recursive --force *)', 'rm -rf x'],
    ['Bash(rm -r *)', 'rm -rf x'],
    ['Bash(git push --force *)', 'git push -f'],
    ['Bash(git push --force *)', 'git push origin main --force'],
    ['Bash(git push --force *)', 'git push -uf origin main'],
    ['Bash(git push --force *)', 'git -C x push origin -f'],
    ['Bash(git push --force *)', 'git push -o x --force'],
    ['Bash(git push origin --delete *)', 'git push origin --delete x'],
    ['Bash(git push --delete *)', 'git push origin -d x'],
    ['Bash(git reset --hard *)', 'git reset HEAD~1 --hard'],
    ['Bash(git clean -fd *)', 'git clean -d --force'],
    ['Bash(git clean -fdx*)', 'git clean -xdf'],
    ['Bash(git commit --no-verify *)', 'git commit -m x -n'],
    ['Bash(git commit --no-verify *)', 'git commit -anm x'],
    ['Bash(git checkout -f *)', 'git checkout main --force'],
    ['Bash(docker rm -f *)', 'docker rm x --force'],
    ['Bash(docker rm -f *)', 'docker container rm --force x'],
    ['Bash(chmod -R *)', 'chmod 755 src --recursive'],
    ['Bash(kubectl delete --all *)', 'kubectl -n prod delete pods --all'],
  ])('%s holds for %s', (rule, command) => {
    expect(effectOf(rule, command, 'deny')).toBe('deny');
    expect(effectOf(rule, command, 'ask')).toBe('ask');
  });

  it('asks where it may be meant on another machine', () => {
    expect(effectOf('Bash(rm -rf *)', 'ssh host "rm -fr x"', 'deny')).toBe('ask');
  });

  it.each([
    ['Bash(rm -rf *)', 'rm -r x'],
    ['Bash(rm -rf *)', 'rm -f x'],
    ['Bash(rm -rf *)', 'rm -f -- -r'],
    ['Bash(rm -rf src*)', 'rm -f -r lib/a'],
    ['Bash(git push --force *)', 'git push origin main'],
    ['Bash(git push --force *)', 'git push --force-with-lease'],
    ['Bash(git commit --no-verify *)', 'git commit -m n'],
    ['Bash(git commit --no-verify *)', 'git commit -mn'],
    ['Bash(git commit --no-verify *)', 'git commit -m --no-verify'],
    ['Bash(git reset --hard *)', 'git reset --soft HEAD'],
  ])('%s does not hold for %s', (rule, command) => {
    expect(effectOf(rule, command, 'deny')).toBe('allow');
  });

  it('makes no allow wider', () => {
    const policy = policyOf({ allow: ['Bash(rm -rf build)', 'Bash(git push --force *)'] });
    for (const command of [
      'rm -fr build',
      'rm -r -f build',
      'rm build -rf',
      'git push -f',
      'git push origin --force',
    ]) {
      expect(judge(bash(command), policy).effect).toBe('ask');
    }
    expect(judge(bash('rm -rf build'), policy).effect).toBe('allow');
  });
});
