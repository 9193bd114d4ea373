import { describe, expect, it } from '@jest/globals';
import { bash, judge, policyOf } from './judge.fixture.js';

const policy = policyOf({ allow: ['Bash'], deny: ['Read(**/.env)', 'Read(secrets.txt)'] });
const effect = (command: string): string => judge(bash(command), policy).effect;

describe('a deny of reading', () => {
  it.each([
    'git config -f .env -l',
    'git config --file=.env -l',
    'git -c include.path=.env config -l',
    'git commit -F .env',
    'git commit -aF .env',
    'git commit -F.env',
    'git commit --file .env',
    'git commit --fil=.env',
    'git commit -t .env',
    'git tag -F .env v1',
    'git notes add -F secrets.txt',
    'git add --pathspec-from-file=.env',
    'git log --pathspec-from-file=secrets.txt',
    'git ls-files -X .env',
    'git blame --contents .env x',
    'wc --files0-from=.env',
    'wc --files0-from secrets.txt',
    'du --files0-from=secrets.txt',
    'du -X .env',
    'sort --files0-from=secrets.txt',
    'anything --settings=.env',
  ])('refuses %s', (command) => {
    expect(effect(command)).not.toBe('allow');
    if (!command.startsWith('anything')) expect(effect(command)).toBe('deny');
  });

  it.each([
    'grep -r X .',
    'grep -rn X',
    'rg X',
    'rg -uu X',
    'rg --hidden --no-ignore X',
    'rg -. X .',
    'ag -u X',
    'ack X',
    'find . -name .env -exec cat {} +',
    "find . -name '.e*' -exec cat {} \\;",
    'find . -type f -exec grep X {} +',
    'find . -type f | xargs cat',
    'cat $(find . -name .env)',
    'cat `ls -a`',
    'cat .e*',
    'cat $PWD/.env',
    'for f in .*; do cat "$f"; done',
    'while read f; do cat $f; done < list',
    'tar c .',
    'tar czf x.tgz .',
    'zip -r x.zip .',
    'cp -r . /tmp/x',
    'rsync -a . out/',
    'diff -r . other',
    'git archive HEAD',
    'git grep --no-index X',
    'git bundle create x --all',
    'xargs -a .env echo',
    'bash -x .env',
    'node --env-file=.env -p process.env',
    'docker run --env-file .env alpine env',
    'python3 -c "print(open(\'.env\').read())"',
    "python3 <<'X'\nprint(open('secrets.txt').read())\nX",
    "node -e \"console.log(require('fs').readFileSync('secrets.txt','utf8'))\"",
    'php -r \'readfile(".env");\'',
    "perl -e 'open(F, q{./.env}); print <F>'",
    'awk \'BEGIN{while((getline l < ".env")>0)print l}\'',
    "sed -n 'r .env' x",
    "sed '1r secrets.txt' x",
    "sed -e '$R .env' x",
    "sed 's/a/b/;r.env' x",
    'sqlite3 x "select readfile(\'.env\')"',
    'sqlite3 x ".import .env t"',
    "vim -c ':r .env' -c ':w! /dev/stdout' -c q",
    "ex -s '+r .env' '+%p' '+q!' x",
    'git cat-file --batch <<< HEAD:.env',
    'echo HEAD:.env | git cat-file --batch',
    'git merge-file -p .env x y',
    'git interpret-trailers .env',
    'git mailsplit .env',
    'git unpack-file HEAD:.env',
    "jq -n --rawfile x .env '$x'",
  ])('lets none of these through: %s', (command) => {
    expect(effect(command)).not.toBe('allow');
  });

  it('grep -r --include=.env X . is surely about the file', () => {
    expect(effect('grep -r --include=.env X .')).toBe('deny');
    expect(effect("rg -g '.env' X")).toBe('deny');
  });

  it.each([
    'git commit -m "read .env first"',
    'git commit -am "F .env"',
    'git commit -mF',
    'git config -f other.cfg -l',
    'git tag -m x v1',
    'awk \'/".env"/{print $1}\' a.log',
    "sed 's/.env/x/' a.txt",
    'python3 -c "print(1)"',
    'node -e "require(\'./src/a.js\')"',
  ])('says nothing of %s', (command) => {
    expect(effect(command)).toBe('allow');
  });
});
