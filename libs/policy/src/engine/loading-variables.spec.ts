/** Variables that decide which programs run, set in ways that look like no assignment. */
import { describe, expect, it } from '@jest/globals';
import { bash, judge, policyOf } from './judge.fixture.js';

const reading = policyOf();
const broad = policyOf({
  allow: ['read', 'printf', 'mapfile', 'let', 'exec', 'ls', 'echo', 'getopts'].map((name) => `Bash(${name} *)`),
});

describe('a variable that decides what runs', () => {
  it.each([
    'for PATH in .; do ls .; done',
    'set -- .; for PATH; do ls .; done',
    'for NODE_OPTIONS in x; do ls .; done',
    'for GIT_PAGER in x; do git log; done',
    'select PATH in .; do ls .; done',
    '((PATH=1)); ls .',
    '((x=1, PATH+=2)); ls .',
    '((PATH++)); ls .',
    '((++PATH)); ls .',
    'x=PATH; ((${x}=1)); ls .',
    'for ((PATH=1;PATH<2;PATH++)); do ls .; done',
    'echo $((PATH=1)); ls .',
    'echo $[PATH=1]; ls .',
    'x=y; echo ${x:PATH=1}; ls .',
    'a[PATH=1]=2; ls .',
    "test -v 'a[PATH=1]'; ls .",
    '[[ 1 -eq PATH=1 ]]; ls .',
    'let PATH=1; ls .',
    "let 'x=1,PATH=2'; ls .",
    ': ${PATH:=.}; ls .',
    ': "${LD_PRELOAD:=x.so}"; ls .',
    ': ${PATH=.}; ls .',
    'cat <<X\n${PATH:=.}\nX\nls .',
    'read PATH <<< .; ls .',
    'read -r PATH <<< .; ls .',
    'read -ra PATH <<< .; ls .',
    'read -aPATH <<< .; ls .',
    "read 'PATH[0]' <<< .; ls .",
    'read -p x PATH; ls .',
    'command read PATH <<< .; ls .',
    'builtin printf -v PATH .; ls .',
    '\\read PATH <<< .; ls .',
    'while read PATH; do ls .; done < f',
    'x=PATH; read $x <<< .; ls .',
    'printf -v PATH .; ls .',
    'printf -vPATH .; ls .',
    "printf -v 'PATH[0]' .; ls .",
    'x=PATH; printf -v $x .; ls .',
    'x=PATH; printf -v$x .; ls .',
    'getopts a PATH; ls .',
    'mapfile PATH < f; ls .',
    'readarray -t PATH < f; ls .',
    'wait -p PATH; ls .',
    'wait -n -p PATH; ls .',
    'coproc PATH { ls; }; ls .',
    'exec {PATH}<f; ls .',
    'ls . {PATH}<f; ls .',
    'declare -n r=PATH; r=.; ls .',
    'bash -c "read PATH <<< .; ls ."',
  ])('%j asks, whatever is allowed', (command) => {
    expect(judge(bash(command), reading).effect).toBe('ask');
    expect(judge(bash(command), broad).effect).toBe('ask');
  });

  it.each(['declare -x', 'declare', 'typeset -x', 'local -x', 'export', 'readonly', 'readonly -x'])(
    '%s leaves nothing behind it that only reads',
    (setter) => {
      const allowed = policyOf({ allow: [`Bash(${setter} *)`] });
      for (const name of [
        'LD_PRELOAD',
        'PATH',
        'GIT_PAGER',
        'LUA_INIT',
        'PERL5LIB',
        'BASH_ENV',
        'RIPGREP_CONFIG_PATH',
      ]) {
        expect(judge(bash(`${setter} ${name}=./x; ls .`), allowed).effect).toBe('ask');
        expect(judge(bash(`${setter} ${name}+=./x; ls .`), allowed).effect).toBe('ask');
      }
      expect(judge(bash(`x=PATH; ${setter} $x=.; ls .`), allowed).effect).toBe('ask');
      expect(judge(bash(`${setter} CI=1; ls .`), allowed).effect).toBe('allow');
    },
  );

  it.each([
    'for f in a b; do ls $f; done',
    'for path in a b; do ls $path; done',
    'for ENV in dev prod; do echo "$ENV"; done',
    'echo "${ENV:=dev}"',
    '((i=1)); ls .',
    '((PATH==1)); ls .',
    'echo $((i+1)); ls .',
    'x=${y:=1}; ls .',
    'while IFS= read -r line; do echo "$line"; done < f',
    'while getopts "ab:" opt "$@"; do echo "$opt"; done',
    'read -rp "$PWD? " x; echo $x',
    "printf '%s\\n' PATH",
    'printf "PATH is %s" "$PATH"',
    'printf -v x .; echo $x',
    'mapfile -t lines < f; ls .',
    'test -n "$PATH"; ls .',
    'ls . {fd}<f',
  ])('%j is none', (command) => {
    expect(judge(bash(command), broad).ruleId).not.toBe('shell.loading_variable');
    expect(judge(bash(command), broad).effect).toBe('allow');
  });
});
