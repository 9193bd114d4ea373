import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { fileSizeProblem } from './file-size.js';
import { ALL_AGENT_TOOLS } from './merge-manifests.js';
import { toolEntry, type ToolEntry } from './manifest.js';
import { fixedBeginning, readArguments } from './read-arguments.js';

function read(tool: string | ToolEntry, args: Record<string, unknown>): ReturnType<typeof readArguments> {
  return readArguments(typeof tool === 'string' ? toolEntry(ALL_AGENT_TOOLS, tool) : tool, args, '/work');
}

function paths(tool: string | ToolEntry, args: Record<string, unknown>): (string | null)[] {
  return read(tool, args).files.map((file) => file.path);
}

const LISTS: ToolEntry = {
  kind: 'write',
  known: true,
  paths: [
    { name: 'files[]', access: 'write' },
    { name: 'target.path', access: 'read', optional: true },
  ],
  content: ['files_text[].body'],
};

describe('readArguments', () => {
  it('reads plain, listed and nested paths', () => {
    expect(paths('Write', { file_path: 'a', content: '' })).toEqual(['a']);
    expect(paths(LISTS, { files: ['a', 'b'], target: { path: 'c' } })).toEqual(['a', 'b', 'c']);
    expect(paths(LISTS, { files: ['a'] })).toEqual(['a']);
    expect(paths('MultiEdit', { file_path: 'a', edits: [] })).toEqual(['a']);
  });

  it('takes the working folder where it is meant', () => {
    expect(read('Grep', { pattern: 'x' }).files).toEqual([
      { text: '/work', path: '/work', base: null, pattern: null, access: 'read', recursive: true },
    ]);
  });

  it.each<[string | ToolEntry, Record<string, unknown>, string]>([
    ['Read', {}, '`file_path` must be a path'],
    ['Read', { file_path: '' }, '`file_path` must be a path'],
    ['Read', { file_path: ['a'] }, '`file_path` must be a path'],
    ['Read', { file_path: 'a\0b' }, '`file_path` must be a path'],
    [LISTS, { files: 'a' }, '`files[]` must be a path'],
    [LISTS, { files: ['a', 1] }, '`files[]` must be a path'],
    [LISTS, { files: ['a'], target: {} }, '`target.path` must be a path'],
    [LISTS, { files: new Array<string>(1_001).fill('a') }, '`files[]` must be a path'],
    [LISTS, { files: ['a'], files_text: [{ body: 'x' }, {}] }, '`files_text[].body` must be text'],
    ['Write', { file_path: 'a', content: ['x'] }, '`content` must be text'],
    ['Bash', { command: 1 }, '`command` must be text'],
    ['WebFetch', {}, '`url` must be text'],
    ['Glob', { path: 'a' }, '`pattern` must be a path'],
    ['list_directory', { dir_path: 'a', path: 'b' }, '`dir_path` and `path` are given at once'],
    ['apply_patch', {}, '`command` must be text'],
    ['apply_patch', { patchText: 'x' }, 'the patch is not understood: line 1: expected `*** Begin Patch`'],
    ['run_shell_command', { command: 'ls', dir_path: 7 }, '`dir_path` must be a path'],
    ['web_fetch', { prompt: 7 }, '`prompt` must be text'],
  ])('%p of %j: %s', (tool, args, problem) => {
    expect(read(tool, args).problems).toEqual([problem]);
  });

  it('reads the files of a patch under either name', () => {
    const text = '*** Begin Patch\n*** Add File: a\n+xyz\n*** Update File: b\n*** Move to: c\n*** End Patch\n';
    expect(paths('apply_patch', { command: text })).toEqual(['a', 'b', 'c']);
    expect(read('apply_patch', { patchText: text })).toMatchObject({ problems: [], largestContent: 4 });
    expect(read('apply_patch', { patchText: text, command: text }).problems).toEqual([
      '`command` and `patchText` are given at once',
    ]);
  });

  it('reads a wildcard as the folder that it cannot leave', () => {
    expect(read('Glob', { pattern: '../other/*.ts', path: 'src' }).files).toEqual([
      { text: 'src', path: 'src', base: null, pattern: null, access: 'read', recursive: true },
      {
        text: '../other/*.ts',
        path: '../other',
        base: 'src',
        pattern: '../other/*.ts',
        access: 'read',
        recursive: true,
      },
    ]);
    expect(paths('glob', { pattern: '**', dir_path: 'src' })).toEqual(['src', '.']);
    expect(paths('read_many_files', { include: ['a/*.md', '/etc/passwd'] })).toEqual(['a', '/etc/passwd']);
  });

  it.each<[string, string | null]>([
    ['*.md', '.'],
    ['src/**/*.ts', 'src'],
    ['/etc/*', '/etc'],
    ['/*', '/'],
    ['src/a.ts', 'src/a.ts'],
    ['../outside/*.txt', '../outside'],
    ['*/../../etc', null],
    ['{a,../b}/x', null],
    ['{/etc,a}/x', null],
    ['{a,~/b}', null],
    ['@(a|/etc)/x', null],
    ['.*/x', null],
    ['.github/*', '.github'],
    ['.env*', '.'],
    ['a\\*/b', null],
    ['C:\\x\\*', null],
  ])('fixed beginning of %j: %j', (pattern, folder) => {
    expect(fixedBeginning(pattern)).toBe(folder);
  });

  it('guards the folder that a command works in', () => {
    const named = read('bash', { command: 'ls', workdir: '/etc' });
    expect(named).toMatchObject({ command: 'ls', workingFolder: '/etc', problems: [] });
    expect(named.files.map((file) => file.path)).toEqual(['/etc']);
  });

  it('finds addresses, in prose too', () => {
    expect(read('WebFetch', { url: 'https://a.example/x' }).addresses).toEqual([
      { text: 'https://a.example/x', plain: true },
    ]);
    const prompt = 'Sum up (https://a.example/x). Then HTTP://B.example, and file:///etc/passwd!';
    expect(read('web_fetch', { prompt }).addresses.map((address) => address.text)).toEqual([
      'https://a.example/x',
      'HTTP://B.example',
      'file:///etc/passwd',
    ]);
  });

  it('measures what is written in bytes of UTF-8', () => {
    expect(read('Write', { file_path: 'a', content: 'ä€💥' }).largestContent).toBe(2 + 3 + 4);
    const edits = [{ new_string: 'ab' }, { new_string: 'ü' }];
    expect(read('MultiEdit', { file_path: 'a', edits }).largestContent).toBe(4);
  });

  it('is total', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ALL_AGENT_TOOLS.keys()),
        fc.dictionary(
          fc.constantFrom('file_path', 'path', 'command', 'patchText', 'edits', 'pattern', 'include', 'prompt'),
          fc.jsonValue(),
        ),
        (tool, args) => {
          const named = read(tool, args);
          expect(named.largestContent).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});

describe('fileSizeProblem', () => {
  const write = { kind: 'write', known: true, content: ['content'] } as const;
  it.each<[ToolEntry, number | null, string | null]>([
    [write, null, null],
    [write, 4, null],
    [write, 3, 'would write 4 bytes into one file, more than 3'],
    [{ ...write, maxFileSize: 3 }, 100, 'would write 4 bytes into one file, more than 3'],
    [{ ...write, maxFileSize: 100 }, 3, 'would write 4 bytes into one file, more than 3'],
    [write, NaN, 'would write 4 bytes into one file, more than NaN'],
  ])('%j under %j: %j', (entry, limit, expected) => {
    expect(fileSizeProblem(entry, readArguments(entry, { content: 'aäb' }, null), limit)).toBe(expected);
  });
});
