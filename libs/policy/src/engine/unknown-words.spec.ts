/** Words that only the running shell knows, and commands that git is told to run, against deny rules. */
import { describe, expect, it } from '@jest/globals';
import { bash, judge, policyOf } from './judge.fixture.js';

const policy = policyOf({
  deny: ['Bash(git push *)', 'Bash(npm publish *)', 'Bash(rm -rf *)'],
  allow: ['Bash(git *)', 'Bash(npm *)', 'Bash(bash *)', 'Bash(env *)', 'Bash(xargs *)', 'Bash(rm *)'],
});
const effectOf = (command: string): string => judge(bash(command), policy).effect;

describe('a deny rule and words that the shell fills in', () => {
  // prettier-ignore
  it.each([
    'git $X', 'git "$X"', 'git $(echo push)', 'git pu$(echo s)h', 'git pus?', 'git p*', 'git pus[h] origin', 'git -C . $X', 'git --no-pager "$(cat f)"',
    'echo push | xargs git', 'xargs -a f git', 'echo push | xargs -I{} git {}', 'read a < f; git $a', 'for a in pull push; do git $a; done', 'npm $X',
    'a=push; b=$a; git $b', 'git config alias.p push', 'rm $X', 'bash <(echo git push)', 'bash -x <(cat f)',
  ])('%s asks', (command) => {
    expect(effectOf(command)).toBe('ask');
  });

  // prettier-ignore
  it.each([
    'git {push,origin}', 'git p{ush,}', 'git pus{h..h}', 'git ${X:-push}', 'git "${X-push}"', 'env -vS"git push"', 'npm --registry x publish',
    'git bisect run git push', 'git rebase -x "git push" HEAD', 'git rebase --exec="git push"', 'git submodule foreach git push', 'git submodule --quiet foreach --recursive "git push"',
    'git -c alias.p=push p', 'git -c alias.p="!git push" p', 'git config alias.p "!git push"', 'git difftool --extcmd="git push"', 'git filter-branch --tree-filter "git push"',
    'git -c sequence.editor="git push" rebase -i',
  ])('%s is denied', (command) => {
    expect(effectOf(command)).toBe('deny');
  });

  // prettier-ignore
  it.each([
    'git commit -m "$X"', 'git pull $X', 'X=status; git $X', 'for b in main dev; do git checkout $b; done', 'git p{ull,}',
    'git rebase -x "npm test" main', 'git submodule foreach git status', 'for a in status fetch; do git $a; done',
  ])('%s keeps its allow', (command) => {
    expect(effectOf(command)).toBe('allow');
  });
});
