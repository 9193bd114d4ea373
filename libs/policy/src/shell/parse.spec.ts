import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { parseShell } from './parse.js';

const read = (source: string) => parseShell(source, 10_000);
const doubts = (source: string) => read(source).doubts;
const commands = (source: string) =>
  read(source).commands.map((command) => command.words.map((word) => word.value).join(' '));

describe('guard 1: an error in any nested script', () => {
  it.each([
    'echo "$(if)"',
    'echo `if`',
    'echo $(cat <(then))',
    'if',
    'a && ',
    'echo "unclosed',
    "echo 'unclosed",
    '((',
    '{ a',
    'case x in',
  ])('%s is not understood', (source) => {
    expect(doubts(source)).toContain('syntax');
  });
});

describe('guard 2: limits', () => {
  it('reads an over-long script for denies, but doubts it', () => {
    const script = parseShell(`true; ${'true; '.repeat(10)}rm x`, 20);
    expect(script.doubts).toContain('too_long');
    expect(script.commands).toHaveLength(12);
  });

  it('does not read over 64 KB, nor deep brackets, nor deep substitutions, nor too many nodes', () => {
    expect(read('a'.repeat(70_000))).toMatchObject({ commands: [], doubts: ['too_long'] });
    expect(doubts('('.repeat(200))).toEqual(['too_deep']);
    expect(doubts(`${'echo "$('.repeat(20)}x${')"'.repeat(20)}`)).toContain('too_deep');
    expect(parseShell('a;'.repeat(25_000), 65_536).doubts).toContain('too_many_parts');
  });

  const HOSTILE: [string, string][] = [
    ['backticks', '`'.repeat(9_999)],
    ['arithmetic', `echo ${'$(('.repeat(40)}1${'))'.repeat(40)}`],
    ['defaults', `echo ${'${a:-'.repeat(40)}${'}'.repeat(40)}`],
    ['here-documents', 'cat <<A\n'.repeat(1_200)],
    ['quotes', '"'.repeat(9_999)],
    ['globs', 'cat [a-'.repeat(1_400)],
    ['nots', `[[ ${'! '.repeat(4_000)}a ]]`],
    ['cases', 'case x in x) '.repeat(300)],
    ['functions', `${'f(){ '.repeat(40)}${'; }'.repeat(40)}`],
  ];
  it.each(HOSTILE)('%s are read in time', (_name, source) => {
    const start = performance.now();
    read(source);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe('guard 3: what shells read differently', () => {
  it('wants a here-document closed', () => {
    expect(doubts('cat <<EOF\nx')).toContain('syntax');
    expect(doubts('cat <<EOF\nx\nEOF')).toEqual([]);
  });

  it("takes an escaped newline in $'…' for dynamic, refuses NUL, asks about coproc", () => {
    expect(read("$'a\\\nb' x").commands[0]?.words[0]?.literal).toBe(false);
    expect(read('a\0b')).toMatchObject({ commands: [], doubts: ['control_character'] });
    expect(doubts('coproc cat')).toContain('coproc');
  });
});

describe('guard 4: a word is literal only if all of it is', () => {
  it.each(['$x', 'e${Z}vil', '$(echo evil)', '`echo evil`', 'r*', '{rm,x}', '"$x"', '<(x)', '~/bin/x'])(
    '%s is not',
    (name) => {
      expect(read(`${name} a`).commands[0]?.words[0]?.literal).toBe(false);
    },
  );

  it.each([
    ['"foo" build', 'foo build'],
    ["e'v'il x", 'evil x'],
    ["$'\\x65vil' x", 'evil x'],
    ['a\\\nb c', 'ab c'],
    ['\\rm x', 'rm x'],
  ])('%s is %s', (source, text) => {
    expect(commands(source)).toEqual([text]);
    expect(read(source).commands[0]?.words.every((word) => word.literal)).toBe(true);
  });
});

describe('guard 5: other shells', () => {
  it.each(['=ls x', 'echo ***', 'ls !(a)', 'echo ${ id; }', 'cat +(a|b)'])('%s asks', (source) => {
    expect(doubts(source)).toContain('other_shell');
  });

  it('leaves ~name to the machine', () => {
    expect(read('cat ~root/x').commands[0]?.words[1]?.pieces[0]).toMatchObject({ kind: 'dynamic' });
    expect(read('cat ~/x').commands[0]?.words[1]?.pieces[0]).toMatchObject({ kind: 'home' });
  });
});

describe('guard 6: text that is evaluated again', () => {
  it.each([
    "x='a[$(id)]'; echo $((x))",
    'for x in a b; do echo $((x)); done',
    '[[ -v a[$i] ]]',
    'read x; [[ $x -eq 1 ]]',
    'echo ${!x}',
    'echo ${x@P}',
    'echo $((a[0]))',
    'echo $(( $(cat f) + 1 ))',
    'printf -v x y; (( x ))',
    'a[x]=1; x=b',
    "let 'a[$(id)]=1'",
    "test -v 'a[$(id)]'",
  ])('%s is beyond us', (source) => {
    expect(doubts(source)).toContain('indirect_expansion');
  });

  it.each([
    'i=0; i=$((i+1)); echo $((i))',
    'for i in 1 2 3; do echo $((i*2)); done',
    'echo $((1+2))',
    '[[ $n -eq 1 ]]',
  ])('%s is plain', (source) => {
    expect(doubts(source)).toEqual([]);
  });

  it('finds functions and characters that nobody sees', () => {
    expect(read('f() { x; }; f')).toMatchObject({ functions: ['f'], doubts: ['function'] });
    expect(doubts('echo \u202Egnp.x')).toContain('invisible_character');
    expect(doubts('echo a\rb')).toContain('control_character');
    expect(doubts("echo 'café ☃'")).toEqual([]);
  });
});

describe('walking', () => {
  it.each([
    ['a && b || c; d & e | f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while a; do b; done; until c; do d; done', ['a', 'b', 'c', 'd']],
    ['for x in $(a); do b; done', ['a', 'b']],
    ['case $(a) in b) c;; esac', ['a', 'c']],
    ['( a ); { b; }', ['a', 'b']],
    ['echo "$(a `b`)" <(c)', ['echo $(a `b`) <(c)', 'a `b`', 'b', 'c']],
    ['x=$(a) y=(1 $(b))', ['', 'a', 'b']],
    ['cat <<E\n$(a)\nE', ['cat', 'a']],
    ["cat <<'E'\n$(a)\nE", ['cat']],
    ['(( $(a) )); [[ $(b) ]]; echo $(( $(c) ))', ['a', 'b', 'echo $(( $(c) ))', 'c']],
    ['echo ${x:-$(a)}', ['echo ${x:-$(a)}', 'a']],
    ['! time a', ['a']],
    ['# only a comment', []],
  ])('%s holds %j', (source, expected) => {
    expect(commands(source)).toEqual(expected);
  });

  it('tells what a command is fed', () => {
    expect(read('a | { b; }').commands[1]?.input).toEqual({ kind: 'pipe', from: 0 });
    expect(read('sh <<< "rm x"').commands[0]?.input).toEqual({ kind: 'text', text: 'rm x' });
    expect(read('{ sh; } < f').commands[1]?.input).toEqual({ kind: 'unknown' });
  });

  it('knows reads, writes and descriptors', () => {
    const redirects = read('a < r > w 2>&1 >| w &> w <> w >&2 2>&-').commands[0]?.redirects ?? [];
    expect(redirects.map((redirect) => redirect.access)).toEqual([
      'read',
      'write',
      null,
      'write',
      'write',
      'write',
      null,
      null,
    ]);
  });
});

describe('against bash itself', () => {
  const SCRIPTS = [
    'a; b',
    'if',
    'fi',
    'a &&',
    'for x in; do y; done',
    'case a in b) c; esac',
    '{ a; }',
    '{ a }',
    '( a',
    'a )',
    'a <<E\nE',
    'f() { x; }',
    '[[ a ]]',
    '[[ a',
    '$(',
    '`a`',
    '"',
    "'x'",
    'a | | b',
    ';;',
    'while a; do b; done',
    'while a; b; done',
    'a > ',
    '> f',
    '!',
    '((1))',
    '((1)',
    'echo ${x',
    'select x in a; do b; done',
  ];
  it.each(SCRIPTS)('refuses %j when bash does', (source) => {
    const bash = spawnSync('bash', ['-n', '-c', source], { encoding: 'utf8' });
    if (bash.status !== 0) expect(doubts(source)).not.toEqual([]);
    else expect(doubts(source)).not.toContain('syntax');
  });
});
