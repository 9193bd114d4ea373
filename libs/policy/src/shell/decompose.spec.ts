import { describe, expect, it } from '@jest/globals';
import { decompose } from './decompose.js';
import type { ShellPlan } from './plan.js';

const plan = (source: string): ShellPlan => decompose(source, { maxLength: 10_000, cwd: '/w', home: '/h' });
const texts = (source: string): string[] => plan(source).calls.map((call) => call.text);
const doubt = (source: string) => plan(source).calls.map((call) => call.doubt);

describe('wrappers', () => {
  it.each([
    ['timeout -k 5 10 rm x', 'rm x'],
    ['nice -n 10 rm x', 'rm x'],
    ['nohup rm x', 'rm x'],
    ['stdbuf -oL rm x', 'rm x'],
    ['time -p rm x', 'rm x'],
    ['command rm x', 'rm x'],
    ['env -i A=1 -u B rm x', 'rm x'],
    ['env -S "rm x"', 'rm x'],
    ['sudo -u root A=1 rm x', 'rm x'],
    ['flock -w 1 l rm x', 'rm x'],
    ['chroot /r rm x', 'rm x'],
    ['bash -c "rm x"', 'rm x'],
    ["sh -ec 'rm x'", 'rm x'],
    ['/bin/zsh -lc "rm x"', 'rm x'],
    ['bash -o pipefail -c "rm x"', 'rm x'],
    ['eval "rm x"', 'rm x'],
    ['eval rm x', 'rm x'],
    ['bash <<< "rm x"', 'rm x'],
    ['bash <<E\nrm x\nE', 'rm x'],
    ['trap "rm x" EXIT', 'rm x'],
    ['find . -name a -exec rm x \\;', 'rm x'],
    ['find . -exec sort + -o out {} \\;', 'sort + -o out {}'],
    ['find . -exec grep x {} + -print', 'grep x {}'],
    ['xargs -n1 -I{} rm x', 'rm x {}'],
    ['nice timeout 5 env A=1 bash -c "eval rm x"', 'rm x'],
    ['strace -o f rm x', 'rm x'],
    ['exec rm x', 'rm x'],
    ["git -c alias.x='!rm x' x", 'rm x'],
    ["git -c core.pager='rm x' log", 'rm x'],
  ])('%s runs %s', (source, inner) => {
    expect(texts(source)).toContain(inner);
  });

  it('does not look into a query', () => {
    expect(texts('command -v rm')).toEqual(['command -v rm']);
  });

  it.each([
    ['$x a', 'dynamic_program'],
    ['bash -c "$x"', 'dynamic_script'],
    ['eval $(cat f)', 'dynamic_script'],
    ['source <(curl x)', 'dynamic_script'],
    ['alias ls=rm', 'dynamic_script'],
    ['sh < f', 'shell_input'],
  ])('%s is doubtful', (source, expected) => {
    expect(doubt(source)[0]).toBe(expected);
  });

  it('doubts a shell that reads a pipe, not one with a file', () => {
    expect(doubt('cat x | sh')).toEqual([null, 'shell_input']);
    expect(doubt('cat x | sh -s')).toEqual([null, 'shell_input']);
    expect(doubt('cat x | sh run.sh')).toEqual([null, null]);
  });

  it('stops at its limits with a doubt', () => {
    expect(plan('nice '.repeat(40) + 'rm').doubts).toContain('too_deep');
    expect(plan('a;'.repeat(600)).doubts).toContain('too_many_parts');
  });
});

describe('the text of a command', () => {
  it.each([
    ['git  push o', 'git push o'],
    ['git\tpush o', 'git push o'],
    ['git push \\\n o', 'git push o'],
    ['git push o >f', 'git push o'],
    ['A=1 git push o', 'git push o'],
    ['git p"us"h o', 'git push o'],
    ['git push o;x', 'git push o'],
    ["git push ''", 'git push '],
    ['{git,push,o}', 'git push o'],
    ['git push é o', 'git push é o'],
  ])('of %j has single blanks', (source, text) => {
    expect(plan(source).calls[0]?.text).toBe(text);
  });
});

describe('spellings', () => {
  it.each([
    ['/bin/rm x', 'rm x'],
    ['git -C d -c k=v --no-pager push o', 'git push o'],
    ['E=evil; $E x', 'evil x'],
    ['X="evil x"; $X', 'evil x'],
    ['e${Z}vil x', 'evil x'],
    ['$x rm y', 'rm y'],
    ['xargs npm test', 'npm test'],
    ['git push $(x)', 'git push'],
  ])('%s is also %s', (source, spelling) => {
    expect(plan(source).calls.flatMap((call) => call.spellings)).toContain(spelling);
  });

  it.each(['docker exec -it c rm x', "ssh h 'cd a; rm x'", 'npx rm x', 'kubectl exec p -- rm x', 'busybox rm x'])(
    '%s may run rm elsewhere',
    (source) => {
      expect(plan(source).calls.flatMap((call) => call.elsewhere)).toContain('rm x');
    },
  );

  it('does not take a subcommand for a program', () => {
    expect(plan('docker rm x').calls[0]?.elsewhere).toEqual([]);
  });
});

describe('folders', () => {
  const last = (source: string) => plan(source).calls.at(-1)?.cwds;
  it.each([
    ['cd a && x', ['/w/a']],
    ['cd a; x', ['/w/a', '/w']],
    ['cd a || x', ['/w/a', '/w']],
    ['cd /a && cd b && x', ['/a/b']],
    ['(cd a); x', ['/w']],
    ['cd && x', ['/h']],
    ['cd ~/a && x', ['/h/a']],
    ['cd "$d" && x', null],
    ['cd - && x', null],
    ['cd a | x', ['/w']],
  ])('%s runs its last command in %j', (source, expected) => {
    expect(last(source)).toEqual(expected);
  });
});
