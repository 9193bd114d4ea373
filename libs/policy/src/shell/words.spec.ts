import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { expandBraces } from './braces.js';
import { parseShell } from './parse.js';
import { decomposePowerShell } from './powershell.js';
import { hasGlob, pathsOfWord, plainPath } from './word-paths.js';

describe('braces', () => {
  it.each(['{a,b}', 'x{a,b}y', '{a,{b,c}}d', '{1..4}', '{3..1}', 'a{b}c', '{a,b}{c,d}', '{a,b', 'a,b', '{}', 'x{a,}'])(
    '%s expands as in bash',
    (text) => {
      const bash = spawnSync('bash', ['-c', `printf '%s\\n' ${text}`], { encoding: 'utf8' });
      const out = expandBraces(text);
      // No answer is fine where nothing is expanded: the word then counts as dynamic.
      if (out !== null) expect(out).toEqual(bash.stdout.replace(/\n$/, '').split('\n'));
      else expect(['a{b}c', '{}']).toContain(text);
    },
  );

  it('gives up on quotes and floods', () => {
    expect(expandBraces('{"a",b}')).toBeNull();
    expect(expandBraces('{1..100000}')).toBeNull();
    expect(expandBraces('{a,b}'.repeat(12))).toBeNull();
  });
});

describe('paths of words', () => {
  const paths = (word: string) => {
    const shellWord = parseShell(`x ${word}`, 1_000).commands[0]?.words[1];
    return shellWord === undefined ? [] : pathsOfWord(shellWord, '/h');
  };
  it.each([
    ['~/a', ['/h/a']],
    ['"$HOME"/a', ['/h/a']],
    ['${HOME}/a', ['/h/a']],
    ['"~/a"', ['~/a']],
    ['~/{a,b}.c', ['/h/a.c', '/h/b.c']],
    ['$x/a', [null]],
    ['a*', ['a*']],
    ["'a*'", ['a\\*']],
  ])('%s', (word, expected) => {
    expect(paths(word)).toEqual(expected);
  });

  it('tells wildcards from escaped ones', () => {
    expect([hasGlob('a*'), hasGlob('a\\*'), hasGlob('[x')]).toEqual([true, false, true]);
    expect(plainPath('a\\*')).toBe('a*');
  });
});

describe('PowerShell', () => {
  const read = (source: string) => decomposePowerShell(source, 10_000);
  it('splits plain commands and folds aliases', () => {
    const plan = read('ri -Recurse \'C:\\my x\'; Write-Host "ok" | out-file y\n# c\nrm-cache.cmd --all');
    expect(plan.doubts).toEqual([]);
    expect(plan.calls.map((call) => call.text)).toEqual([
      'ri -Recurse C:\\my x',
      'Write-Host ok',
      'out-file y',
      'rm-cache.cmd --all',
    ]);
    expect(plan.calls[0]?.spellings).toContain('Remove-Item -Recurse C:\\my x');
    expect(plan.calls[2]?.spellings).toContain('Out-File y');
    expect(plan.calls[3]?.spellings).not.toContain('Remove-Item --all');
  });

  it.each(['Get-Item $x', '& x', 'a `b', 'if (1) { x }', 'x > y', '"a$(x)"', "'unclosed", 'x @args', 'x {y}'])(
    '%s is not understood',
    (source) => {
      expect(read(source).doubts).toContain('syntax');
    },
  );

  it('doubts what runs text', () => {
    expect(read('iex x').calls[0]?.doubt).toBe('dynamic_script');
  });
});
