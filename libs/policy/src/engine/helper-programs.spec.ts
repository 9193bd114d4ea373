/** Commands that other programs run, by their words, their input or a variable, are held against denies. */
import { describe, expect, it } from '@jest/globals';
import { bash, judge, policyOf } from './judge.fixture.js';

const policy = policyOf({ deny: ['Bash(rm -rf *)'], allow: ['Bash'] });
const effectOf = (command: string) => judge(bash(command), policy).effect;

describe('a denied command behind another program', () => {
  it.each([
    "git grep -O'rm -rf x' foo",
    "git grep --open-files-in-pager='rm -rf x' foo",
    "git -c core.gitProxy='rm -rf x' fetch",
    "git -c filter.x.clean='rm -rf x' add .",
    "git -c filter.x.process='rm -rf x' checkout .",
    "git -c uploadpack.packObjectsHook='rm -rf x' fetch .",
    "git send-email --to-cmd='rm -rf x' y",
    "git send-email --sendmail-cmd 'rm -rf x' y",
    "git clone -u 'rm -rf x;' a b",
    "git clone --upload-pa='rm -rf x' a b",
    "git fetch --upload-pack 'rm -rf x' o",
    "git push --receive-pack='rm -rf x' o",
    "git archive --remote=o --exec='rm -rf x' HEAD",
    "git ls-remote 'ext::rm -rf x'",
    "git clone 'ext::sh -c rm% -rf% x'",
    "git config --global core.pager 'rm -rf x'",
    "GIT_PROXY_COMMAND='rm -rf x' git fetch",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='rm -rf x' git log",
    `GIT_CONFIG_PARAMETERS="'core.pager=rm -rf x'" git log`,
    "export GIT_PAGER='rm -rf x'; git log",
    "env PAGER='rm -rf x' git log",
    "scp -S 'rm -rf x' a h:b",
    "rsync --rsync-path='rm -rf x' a h:b",
    "sed '1e rm -rf x' f",
    "sed 's/a/rm -rf x/e' f",
    "flock l -c 'rm -rf x'",
    'ls | entr rm -rf x',
    "less +'!rm -rf x' f",
    "man -P 'rm -rf x' ls",
    "gdb -ex 'shell rm -rf x'",
    "psql -c '\\! rm -rf x'",
    "complete -C 'rm -rf x' foo",
    "expect -c 'spawn rm -rf x'",
    `perl -e 'exec "rm","-rf","x"'`,
    "perl -e 'system qw(rm -rf x)'",
    `node -e 'require("child_process").spawnSync("rm",["-rf","x"])'`,
    `python3 -c "import os; os.execvp('rm',['rm','-rf','x'])"`,
  ])('%s is not allowed', (command) => {
    expect(effectOf(command)).not.toBe('allow');
  });

  it.each([
    "make -f - <<'EOF'\na:\n\trm -rf x\nEOF",
    "ed <<< '!rm -rf x'",
    "at now <<< 'rm -rf x'",
    "echo 'rm -rf x' | at now",
    "echo '* * * * * rm -rf x' | crontab -",
    `echo 'import os; os.system("rm -rf x")' | python3`,
    "ssh h bash -s <<< 'rm -rf x'",
    "cat <<'E' | ssh h bash -s\nrm -rf x\nE",
    'docker exec -i c sh <<EOF\nrm -rf x\nEOF',
    ". /dev/stdin <<< 'rm -rf x'",
    "bash //dev/./stdin <<< 'rm -rf x'",
    "bash -s x <<< 'rm -rf x'",
    "bash -o pipefail <<< 'rm -rf x'",
    "bash /dev/fd/3 3<<< 'rm -rf x'",
    'cat x | . /dev/stdin',
  ])('%j, fed to it, is not allowed', (command) => {
    expect(effectOf(command)).not.toBe('allow');
  });

  it.each([
    'git grep -n foo',
    'git push origin main',
    'git archive HEAD',
    // Subcommands that would be names of what every object has.
    'git constructor x',
    'git __proto__ x',
    'git config core.editor vim',
    'export PAGER=less',
    "sed -e 's/rm -rf x/e/' f",
    'make -f - <<< "a: b"',
    'bash script.sh',
    'bash -s x <<< "ls"',
    'echo "print(1)" | python3',
  ])('%s is', (command) => {
    expect(effectOf(command)).toBe('allow');
  });
});
