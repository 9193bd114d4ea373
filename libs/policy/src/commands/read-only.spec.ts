import { describe, expect, it } from '@jest/globals';
import { decompose } from '../shell/decompose.js';
import { isReadOnly } from './read-only.js';

const readOnly = (source: string): boolean => {
  const plan = decompose(source, { maxLength: 10_000, cwd: '/work/app', home: '/home/dev' });
  return plan.calls.every((call) => call.program === '' || isReadOnly(call, plan));
};

describe('read-only commands', () => {
  // prettier-ignore
  it.each([
    'ls -la src', 'cat a b', 'git status', 'git --no-pager log -p -1', 'git diff HEAD~1 -- a', 'git branch -a', 'git tag -l', 'git stash list',
    'git remote -v', 'find . -name "*.ts" -type f', 'sort -rn f', 'date +%s', 'date', 'hostname', 'uniq -c f', "sed -n '1,80p' f",
    "sed -n '/a/,/b/p;$p' f", 'node --version', 'rg -n foo src', 'test -f a', '[ -d a ]', 'echo hi | wc -l', 'echo $HOME', 'ls *.ts', 'jq . f',
    'docker ps -a', 'command -v node', 'printf "%s" a', 'for f in a b; do cat "$f"; done',
    'git -C x status', 'git -c color.ui=never -P diff', 'git branch --contains HEAD', 'git config user.email', 'git symbolic-ref --short HEAD', 'git help -a', 'git help log', 'git help -g rev-parse',
    'git stash show -p stash@{0}', 'git reflog -5', 'git config --list --name-only', 'git var GIT_EDITOR', 'man ls', 'man 5 passwd', 'ip -br a', 'ip route get 8.8.8.8', "sed 's/[^/]*$//' f", 'git format-patch --stdout HEAD~1', 'git hash-object f', 'git remote get-url origin',
    'tar tzvf a.tgz', 'tar -tf a.tar', 'gunzip -c a.gz', 'gzip -l a.gz', 'unzip -l a.zip', 'unzip -p a.zip f', 'ar t lib.a', 'xzcat f',
    'bc', 'xxd -l 8 f', 'diff -r a b', 'shuf -n 1 f', 'iconv -f a -t b f', 'base64 -d f', 'openssl dgst -sha256 f', 'openssl x509 -in c -noout -text',
    'date -d "1 day ago" +%F', 'printenv PATH', 'set -euo pipefail', 'ulimit -n', 'mount -l', 'ps aux', 'ps -ef', 'ps -eo pid,comm', 'top -bn1', 'pgrep -fl x',
    'npm ls --depth=0', 'pip list', 'go env GOPATH', 'cargo --version', 'tee --version', 'gcc -v', 'bash --version', 'docker images', 'kubectl version --client',
    'yq .a f.yaml', 'jq ".env" f', 'xmllint --xpath //a f', 'fd -e ts', 'bat -p f', 'nm -D a.so', 'objdump -d a.o', 'ls | tee /dev/stderr', 'ctags -f - a.c', 'ctags -x a.c',
    '/usr/bin/grep -rn a src', '\\ls', '{ls,-la}', 'GIT_PAGER=cat git log', 'LC_ALL=C sort f',
    '[ "$x" = b ] && ls', 'i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done', 'for ((i=0;i<3;i++)); do echo "$i"; done', '[ "$a" -gt 1 -o -f "$b" ]',
    'while IFS= read -r line; do echo "$line"; done', 'mapfile -t a < f; echo "${#a[@]}"', 'local x=1', 'export NODE_ENV=test',
    'find . -exec grep -l x {} +', 'find . -print0 | xargs -0 -n1 wc -l', 'ls | xargs -I{} echo {}', 'ls | xargs -P4 -n 1 cat', 'find . -print0 | xargs -0 sort',
    'bash -c "grep a f | head"', 'sh -ec ls', 'nice -n 5 ls', 'ionice -c 3 du -sh .', 'timeout 5 ls', 'time ls', 'env LC_ALL=C ls', 'comm <(sort a) <(sort b)',
    'jobs -l', 'jobs %1', 'ss -tulpn', 'tar --list -f a.tar', 'tar -tf a --exclude=x', 'diff -rq a b', 'strings -n 8 f', 'ar t a', '7z l a', 'xmllint --noout a.xml',
    'more f', 'more -5 f', 'alias', 'shopt', 'split --help', 'nohup --help', 'xargs --version', 'ls $(dirname src/a.ts)', 'cat "$(basename src/a.ts)"', 'ls $(dirname "$(pwd)/a")',
    'git log --pretty=format:%an',
  ])('%s reads', (source) => {
    expect(readOnly(source)).toBe(true);
  });

  // prettier-ignore
  it.each([
    'rm x', './cat x', '/tmp/ls', '/home/dev/bin/cat f', 'git push', 'git -p status', "git -c core.pager='sh -c id' log", 'git diff --output=x', 'git show --ext-diff',
    'git branch x', 'git tag v1', 'git stash', 'git config a b', 'git var -l', 'git config --list', 'git config -l', 'git config list', 'git config --get-regexp .', 'git config --get http.extraheader', 'git config credential.helper', 'ip link set eth0 down', 'ip -batch f', 'ip netns exec x sh', "sed 's/[/]/w x/' f", 'git config --get-urlmatch', 'git grep -O x',
    'find . -delete', 'find . -exec rm {} +', 'find . -fprint x', 'find . -fls x', 'sort -o f f', 'sort -oa f', 'sort --out=f f', 'sort --compress-program=x f',
    'date -s2026-01-01', 'date --set=x', 'date 01010000', 'hostname evil', 'uniq a b', "sed 'w x' f", "sed -n '1e id' f", 'sed -i s/a/b/ f', 'sed -f x f',
    'rg --pre=x a', 'tree -o f', 'node x.js', 'node --version x', 'echo $SECRET', 'echo ${SECRET:0:3}', 'test -v a', 'printf -v a b', 'find . $x', 'docker -H x ps',
    'env', 'printenv', 'printenv AWS_SECRET_ACCESS_KEY', 'less f', 'man ./x', 'man -P id ls', 'man -Hx ls', 'history -c', '$x', 'xargs rm', 'unknown', 'unknown --version', 'jq -f x', 'ss -K',
    'git -c alias.x=!id x', 'git -c core.fsmonitor=id status', 'git --exec-path=x status', 'git --git-dir=x log', 'git branch -D x', 'git branch --contains HEAD -D x',
    'git symbolic-ref HEAD refs/heads/x', 'git symbolic-ref -d HEAD', 'git config --unset a.b', 'git config -e', 'git config user.email x', 'git reflog expire --all',
    'git stash drop', 'git worktree add x', 'git remote show origin', 'git remote add a b', 'git ls-remote x', 'git fetch', 'git hash-object -w f', 'git notes add',
    'git submodule foreach id', 'git bisect run x', 'git apply f', 'git help -w add', 'git archive HEAD', 'git credential fill', 'git fsck --lost-found',
    'tar xf a', 'tar cf a b', 'tar tf a --to-command=id', 'tar tf a --checkpoint-action=exec=id', 'tar tf host:a', 'tar -I id -tf a', 'tar tfx a', 'tar tf a -x',
    'gunzip a.gz', 'gzip f', 'unzip a.zip', 'unzip -l a.zip -d x', 'ar r a b', 'xxd a b', 'xxd -r a b', 'shuf -o f f', 'iconv -o f f', 'base64 -o f f', 'diffstat -o f',
    'openssl enc -in a', 'openssl dgst -sign k f', 'openssl x509 -in a -out b', 'openssl s_client', 'ps eww', 'ps auxe', 'ps -E', 'top', 'stty -echo', 'mount a b',
    'npm install', 'npm run build', 'npm config get _authToken', 'npm outdated', 'pip list -o', 'pip install x', 'go env -w A=b', 'go list', 'cargo build', 'rustup update',
    'docker run x', 'docker inspect x', 'docker exec x ls', 'docker ps --host x', 'kubectl get pods', 'jq -n env', "jq '$ENV.X' f", 'yq -i .a f', "yq 'load(\"x\")' f", 'xmllint --output f g',
    'fd -x rm', 'fd -tf --exec rm', 'bat --pager=id f', 'nm --plugin x a', 'ls | tee f', 'set', 'set -a', 'export PATH=x', 'export A', 'local PATH=x', 'declare -x A=1', 'declare -n a=b', 'read PATH',
    'mapfile -C id -c 1 a', 'mapfile PATH', 'ulimit -n 5', 'umask 0', 'yes', 'GIT_PAGER=id git log', 'PAGER="sh -c id" git log', 'X=1 ls', 'LD_PRELOAD=x ls', 'IFS=x ls',
    '[ $x = b ]', 'x="-v a[0]"; [ $x = b ]', '[ "$a" "$b" ]', '[ "$a" "$b" c ]', 'find . -exec sh {} +', 'find . -ok cat {} +', 'find . -exec cat {} + -delete', 'ls | xargs sort', 'ls | xargs -I{} sh -c {}',
    'xargs -a f cat -- x -p; rm', 'bash -c "$x"', 'bash -ic ls', 'bash --rcfile x -c ls', 'bash -c', 'bash x.sh', 'env PATH=x ls', 'env -S "rm x"', 'env X=1 ls', 'sudo ls', 'nice rm x', 'command time -o f ls', 'time -o f ls',
    'watch ls', 'strace ls', 'eval ls', 'exec rm', 'ctags src', 'ctags -f x src', 'cloc --out=f src', 'dc', 'ed f', 'perl -ne print f', 'sdiff -o f a b', 'wc --files0-from=x', 'du --files0-from=x', 'git branch --sort=x new', 'git tag -n1 -d v1', 'fd --exec-batch rm',
    'jobs -x rm a', 'ss -D f', 'ss --diag=f', 'tar tf a -T f', 'tar tfX a f', 'tar tf a --files-from=f', 'diff --fr=f b', 'strings @f', 'nm @f', 'objdump @f', 'size --plugin=x a', 'ar t @f', '7z l @f', '7z l a -i@f',
    'more +!id f', 'more -o x f', 'alias x=y', 'alias -p', 'shopt -s x', 'split f', 'split --filter=id f', 'cat $(basename "$X")', 'ls "$(dirname "$X")"',
    'git log --show-signature', 'git log --format=%G?', 'git log --pretty=format:%h%GS', 'git log --format %GK', 'git show -s --format=%G?', "git for-each-ref --format='%(signature)'",
    'xmllint http://x/', 'git cat-file --filters HEAD:a', 'bash <(echo ls)',
  ])('%s may do more', (source) => {
    expect(readOnly(source)).toBe(false);
  });
});
