import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { readPatchPaths } from './patch-paths.js';

function patch(...lines: string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
}

function files(text: string): string[] {
  const reading = readPatchPaths(text);
  return reading.ok
    ? reading.files.map((file) => `${file.action} ${file.path}`)
    : [`line ${String(reading.line)}: ${reading.message}`];
}

describe('readPatchPaths', () => {
  it('reads every file of a patch as Codex sends it', () => {
    const url = new URL('../../../../test/data/payloads/22-codex-pretooluse-apply-patch-unicode.json', import.meta.url);
    const payload = JSON.parse(readFileSync(url, 'utf8')) as { tool_input: { command: string } };
    expect(files(payload.tool_input.command)).toEqual([
      'update src/lagerhaus/größe.ts',
      'add docs/説明.md',
      'delete src/old/legacy.ts',
    ]);
  });

  it('reads moves, several chunks and the end-of-file mark, and counts what is added', () => {
    const text = patch(
      '*** Update File: a.ts',
      '*** Move to: b/a.ts',
      '@@ function f()',
      ' same',
      '',
      '-old',
      '+neü',
      '@@',
      '+*** Add File: only.text',
      '-*** Delete File: also.text',
      '*** End of File',
      '*** Add File: c d.ts',
      '+',
      '*** Delete File: ../up.ts',
    );
    const reading = readPatchPaths(text);
    expect(reading.ok && reading.files).toEqual([
      { path: 'a.ts', action: 'update', addedBytes: 0 },
      { path: 'b/a.ts', action: 'move', addedBytes: 5 + 24 },
      { path: 'c d.ts', action: 'add', addedBytes: 1 },
      { path: '../up.ts', action: 'delete', addedBytes: 0 },
    ]);
  });

  it('reads Windows line ends and blank lines around', () => {
    expect(files(`\n${patch('*** Add File: a', '+x')}\n\n`.replaceAll('\n', '\r\n'))).toEqual(['add a']);
  });

  it.each<[string, string, string]>([
    ['nothing', '', 'line 1: expected `*** Begin Patch`'],
    ['no frame', '*** Add File: a\n+x', 'line 1: expected `*** Begin Patch`'],
    ['a heredoc', `<<'EOF'\n${patch('*** Add File: a')}EOF`, 'line 1: expected `*** Begin Patch`'],
    ['no end', '*** Begin Patch\n*** Add File: a\n+x', 'line 3: expected `*** End Patch`'],
    ['no file', patch(), 'line 3: the patch names no file'],
    ['text behind', `${patch('*** Add File: a')}x`, 'line 4: text after `*** End Patch`'],
    ['a second patch', patch('*** Add File: a') + patch('*** Add File: b'), 'line 4: text after `*** End Patch`'],
    ['a frame in a frame', patch('*** Add File: a', '*** Begin Patch'), 'line 3: an unknown marker'],
    ['an unknown marker', patch('*** Copy File: a'), 'line 2: an unknown marker'],
    ['a marker without blank', patch('*** Add File:a'), 'line 2: an unknown marker'],
    ['another environment', patch('*** Environment ID: x', '*** Add File: a'), 'line 2: an unknown marker'],
    ['an indented marker', patch('*** Update File: a', '@@', ' *** Delete File: b'), 'line 4: an indented marker'],
    ['a tab before a marker', patch('*** Add File: a', '\t*** Delete File: b'), 'line 3: an indented marker'],
    ['a move alone', patch('*** Move to: b'), 'line 2: a move that does not follow its update'],
    [
      'a move of an added file',
      patch('*** Add File: a', '*** Move to: b'),
      'line 3: a move that does not follow its update',
    ],
    [
      'a late move',
      patch('*** Update File: a', '@@', '+x', '*** Move to: b'),
      'line 5: a move that does not follow its update',
    ],
    [
      'two moves',
      patch('*** Update File: a', '*** Move to: b', '*** Move to: c'),
      'line 4: a move that does not follow its update',
    ],
    ['a body before any file', patch('+x'), 'line 2: a line that belongs to no file'],
    ['context in an added file', patch('*** Add File: a', ' x'), 'line 3: a line that belongs to no file'],
    ['a blank in an added file', patch('*** Add File: a', ''), 'line 3: a line that belongs to no file'],
    ['a body of a deleted file', patch('*** Delete File: a', '+x'), 'line 3: a line that belongs to no file'],
    ['a stray line', patch('*** Update File: a', 'x'), 'line 3: a line that belongs to no file'],
    ['an empty path', patch('*** Add File: '), 'line 2: a path that is empty or has blanks at its ends'],
    ['blanks at the end', patch('*** Add File: a '), 'line 2: a path that is empty or has blanks at its ends'],
    ['a colon', patch('*** Add File: /etc/passwd:/../../work/a'), 'line 2: a path with a colon'],
    ['a tab', patch('*** Add File: a\tb'), 'line 2: a path with control characters'],
    [
      'a hidden line',
      patch('*** Add File: a', '+x\r*** Delete File: b'),
      'line 3: a character that may break the line',
    ],
    [
      'a line separator',
      patch('*** Add File: a', '+x\u2028*** Delete File: b'),
      'line 3: a character that may break the line',
    ],
    ['a NUL', patch('*** Add File: a\0b'), 'line 2: a character that may break the line'],
  ])('does not understand %s', (_name, text, expected) => {
    expect(files(text)).toEqual([expected]);
  });

  it('bounds the number of files', () => {
    const many = Array.from({ length: 501 }, (_, i) => `*** Delete File: f${String(i)}`);
    expect(files(patch(...many))).toEqual(['line 502: more than 500 files']);
  });

  it('finds every path that a header at the start of a line names', () => {
    const name = fc.stringMatching(/^[a-z][a-z/.]{0,8}[a-z]$/);
    const file = fc.oneof(
      fc.tuple(name, fc.array(fc.string())).map(([path, lines]) => ({
        paths: [path],
        lines: [`*** Add File: ${path}`, ...lines.map((line) => `+${line}`)],
      })),
      name.map((path) => ({ paths: [path], lines: [`*** Delete File: ${path}`] })),
      fc.tuple(name, name, fc.array(fc.string())).map(([from, to, lines]) => ({
        paths: [from, to],
        lines: [`*** Update File: ${from}`, `*** Move to: ${to}`, '@@', ...lines.map((line) => `-${line}`)],
      })),
    );
    fc.assert(
      fc.property(fc.array(file, { minLength: 1, maxLength: 5 }), (parts) => {
        const reading = readPatchPaths(patch(...parts.flatMap((part) => part.lines)));
        const expected = parts.flatMap((part) => part.paths);
        if (reading.ok) expect(reading.files.map((one) => one.path)).toEqual(expected);
      }),
    );
  });

  it('never misses a header, however the lines are mixed', () => {
    const line = fc.constantFrom(
      '*** Begin Patch',
      '*** End Patch',
      '*** Add File: a',
      '*** Update File: b',
      '*** Delete File: c',
      '*** Move to: d',
      '@@',
      '+x',
      ' x',
      '-x',
      '',
      '*** End of File',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const reading = readPatchPaths(['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));
        const headers = lines.filter((one) => /^\*\*\* (?:Add File|Update File|Delete File|Move to): /.test(one));
        if (reading.ok) expect(reading.files).toHaveLength(headers.length);
      }),
      { numRuns: 1_000 },
    );
  });
});
