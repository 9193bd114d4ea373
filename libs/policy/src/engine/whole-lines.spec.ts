/** A deny that meets a line alone meets it wherever it stands: in brackets, in a longer line, behind a wrapper. */
import { describe, expect, it } from '@jest/globals';
import { WRAPPERS } from '../fuzz/scripts.js';
import { bash, factsOf, judge, policyOf, sessionOf } from './judge.fixture.js';

const facts = factsOf({ session: sessionOf({ mode: 'bypassPermissions' }) });
const effectOf = (deny: string, command: string) => judge(bash(command), policyOf({ deny: [deny] }), facts).effect;

/** What is told of a line holds for every way to wrap it: each row is denied alone, and by no other rule or check. */
const LINES = [
  ['Bash(re:cat [^/]+)', 'cat <<EOF\nEOF'],
  ['Bash(re:cat <<EOF\\nsecret\\nEOF)', 'cat <<EOF\nsecret\nEOF'],
  ['Bash(re:cat [^/]+)', 'cat <F'],
  ['Bash(re:cat [^/]+)', 'cat && ls'],
  ['Bash(re:cat [^/]+)', 'cat | wc'],
  ['Bash(re:cat [^/]+)', 'cat ;'],
  ['Bash(re:cat [^/]+)', 'cat &'],
  ['Bash(* main)', 'ls > main'],
  ['Bash(ls && pwd)', 'ls && pwd'],
  ['Bash(cat * | sort)', 'cat a | sort'],
  ['Bash(re:A=1 ls)', 'A=1 ls'],
  ['Bash(re:\\(.*\\))', '(ls)'],
  ['Bash(re:ls; pwd)', 'ls; pwd'],
  ['Bash(for *)', 'for f in a b; do ls; done'],
  ['Bash(time *)', 'time ls | wc'],
  ['Bash([[ *)', '[[ a == b ]]'],
  ['Bash(* note)', 'ls # note'],
] as const;

describe.each(WRAPPERS.filter((one) => one.simple !== true))('in $name', ({ wrap }) => {
  it.each(LINES)('%s meets %j', (deny, line) => {
    expect(effectOf(deny, line)).toBe('deny');
    expect(effectOf(deny, wrap(line))).not.toBe('allow');
    expect(effectOf('Bash(nothing-like-it)', line)).toBe('allow');
  });
});

describe.each(WRAPPERS.filter((one) => one.simple === true))('behind $name', ({ wrap }) => {
  it.each([
    ['Bash(make)', 'make -'],
    ['Bash(git push *)', 'git -C "a b" push'],
    ['Bash(npm publish *)', 'npm --prefix a publi'],
    ['Bash(git push *)', 'git send-pack origin'],
    ['Bash(re:cat [^/]+)', 'cat <F'],
    ['Bash(ls * b")', 'ls -1 "a b"'],
    ["Bash(ls 'a *)", "ls 'a b'"],
    ['Bash(\\ls *)', '\\ls a'],
  ])('%s meets %j', (deny, line) => {
    expect(effectOf(deny, line)).toBe('deny');
    expect(effectOf(deny, wrap(line))).not.toBe('allow');
  });
});

it.each([
  ['Bash(curl * | sort)', 'cd x && curl http://a.example/ | sort', 'deny'],
  ['Bash(curl * | sort)', '(pwd; curl http://a.example/ | sort) > out.txt', 'deny'],
  ['Bash(curl * | sort)', 'bash -c "curl http://a.example/ | sort"', 'deny'],
  ['Bash(curl * | sort)', 'curl http://a.example/ | wc; ls', 'allow'],
  ['Bash(git add . && git commit *)', 'cd x; git add . && git commit -m x; git status', 'deny'],
  ['Bash(git add . && git commit *)', 'git add .; git commit -m x', 'allow'],
])('%s and %s: %s', (deny, line, effect) => {
  expect(effectOf(deny, line)).toBe(effect);
});

it('takes no long time for a long line and a rule about whole lines', () => {
  const line = Array.from({ length: 400 }, (_, at) => `ls a${String(at)}`).join(' && ');
  const start = process.cpuUsage();
  expect(effectOf('Bash(re:.*--never.*)', line.slice(0, 9_000))).not.toBe('deny');
  expect((process.cpuUsage(start).user + process.cpuUsage(start).system) / 1_000).toBeLessThan(2_000);
});

describe('the forms of a command that another program runs somewhere else', () => {
  it.each([
    ['Bash(git push *)', 'docker exec c git -C x push'],
    ['Bash(git push *)', 'docker exec c /usr/bin/git push'],
    ['Bash(git push *)', "ssh host 'cd x; git -C y push'"],
    ['Bash(npm publish *)', 'npm exec npm publi'],
  ])('%s asks about %s', (deny, line) => {
    expect(effectOf(deny, line)).toBe('ask');
  });
});

describe('other names of a subcommand', () => {
  it.each([
    ['Bash(npm publish *)', 'npm publi'],
    ['Bash(npm publish *)', 'npm pub'],
    ['Bash(npm publish *)', 'npm --tag x publis --access public'],
    ['Bash(npm unpublish *)', 'npm unpubl a@1'],
    ['Bash(npm install *)', 'npm i a'],
    ['Bash(npm install *)', 'npm add a'],
    ['Bash(npm i *)', 'npm install a'],
    ['Bash(npm uninstall *)', 'npm unlink a'],
    ['Bash(npm uninstall *)', 'npm remov a'],
    ['Bash(npm run build)', 'npm run-script build'],
    ['Bash(npm run build)', 'npm runScript build'],
    ['Bash(npm exec *)', 'npm x a'],
    ['Bash(git push *)', 'git send-pack origin main'],
    ['Bash(git push *)', 'git subtree push --prefix=a origin main'],
    ['Bash(git pull *)', 'git subtree pull --prefix=a origin main'],
    ['Bash(git push *)', 'git lfs push origin main'],
    ['Bash(git add *)', 'git stage a'],
  ])('%s meets %s', (deny, line) => {
    expect(effectOf(deny, line)).toBe('deny');
  });

  it.each([
    ['Bash(npm publish *)', 'npm p'],
    ['Bash(npm publish *)', 'npm pack'],
    ['Bash(npm install *)', 'npm init'],
    ['Bash(npm install *)', 'pnpm i a'],
    ['Bash(git push *)', 'git lfs status'],
  ])('%s does not meet %s', (deny, line) => {
    expect(effectOf(deny, line)).not.toBe('deny');
  });
});
