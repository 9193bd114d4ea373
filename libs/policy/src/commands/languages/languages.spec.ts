import { describe, expect, it } from '@jest/globals';
import { readsOnlyAwk } from './awk.js';
import { readsOnlySed } from './sed.js';

describe('awk programs', () => {
  it.each([
    '{print $1}',
    'NR==1{next} {print}',
    '{s+=$1} END {print s/NR}',
    '$2 > 5 && $3 < 2',
    '{ if ($1 > max) max=$1 } END { print max }',
    '/a|b/ {print}',
    '!seen[$0]++',
    '/start/,/end/',
    '{ print ($1 > 2) ? "a|b" : "c > d" }',
    'BEGIN { for (i = 1; i <= 3; ++i) printf "%d\\n", i }',
    '{gsub(/[ \\t]+$/, ""); print}',
    '{ x = $1 || $2; print x } # a > b | c',
    '{print a[$1]/2}',
    'function f(x) { return x > 1 } { print f($1) }',
  ])('%s only prints', (program) => {
    expect(readsOnlyAwk(program)).toBe(true);
  });

  it.each([
    '{print > "f"}',
    '{print $1, $2 >> "f"}',
    '{printf("%s", $1) > "f"}',
    '{print | "sh"}',
    '{print |& "sh"}',
    'BEGIN{system("id")}',
    'BEGIN{system ("id")}',
    'BEGIN{"id" | getline x; print x}',
    'BEGIN{while((getline l < "/etc/passwd")>0) print l}',
    'BEGIN{print ENVIRON["X"]}',
    'BEGIN{ARGV[1]="/etc/passwd";ARGC=2}{print}',
    '@include "x"',
    'BEGIN{f="system"; @f("id")}',
    '@load "x"',
    'BEGIN { x = y++ /a/ 1; print "a" > "f" }',
    'if (x) /"/; print "a" > "f"; /"/',
    'BEGIN{print PROCINFO["x"]}',
    '{print "unclosed}',
    '{print /unclosed}',
    "{print '",
    '{ print "a" \\\n > "f" }',
    'BEGIN { if (1) print "x" > "f" }',
    'BEGIN { print(1)(2) > "f" }',
  ])('%s may do more', (program) => {
    expect(readsOnlyAwk(program)).toBe(false);
  });
});

describe('sed scripts', () => {
  it.each([
    's/a/b/',
    's/a/b/g;s/c/d/2p',
    '1,80p',
    '$!d',
    '0~3p',
    '/a/,/b/{s/x/y/;p}',
    '/a/I,+3d',
    ':a;N;$!ba;s/\\n/ /g',
    'y/abc/ABC/',
    's;\\(http://[^/]*\\)/.*;\\1;p',
    's|/usr|/opt|',
    's/[^\\/]*$//',
    's/[/]/x/',
    's/\\/[^/]*$//',
    's/[^,]*,//2',
    '5q',
    '$=',
    '2i hello w there',
    'a\\\ntext\\\nmore',
    '\\,a,d',
    '/x/!s/y/z/',
    '# a comment w x',
    'n;d',
    '/^$/d; /^#/d',
  ])('%s only prints', (script) => {
    expect(readsOnlySed(script)).toBe(true);
  });

  it.each([
    'w f',
    '1w f',
    's/a/b/w f',
    's/a/b/e',
    's/a/b/gw f',
    'e id',
    '1e id',
    'e',
    'r /etc/passwd',
    'R f',
    'W f',
    '/a/w f',
    '{w f\n}',
    's/a/b/;w f',
    'y/a/b/;e id',
    's/[/]/w x/',
    's/[^/]/a/e/x/',
    's/a/b',
    's/a/b/q',
    'k',
    'p;e id',
    '\\',
    'ba;w f',
    'a text\nw f',
  ])('%s may do more', (script) => {
    expect(readsOnlySed(script)).toBe(false);
  });
});
