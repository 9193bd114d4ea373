import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { validateManifest } from './validate-manifest.js';

function problems(input: unknown): [string, string, string?][] {
  const result = validateManifest(input);
  const found = result.ok ? result.warnings : result.problems;
  return found.map(({ path, message, suggestion }) =>
    suggestion === undefined ? [path, message] : [path, message, suggestion],
  );
}

describe('validateManifest', () => {
  it('reads a whole entry', () => {
    const result = validateManifest([
      {
        name: 'deploy',
        kind: 'command',
        domain: 'ops',
        command: { name: 'script' },
        workingFolder: 'dir',
        aliases: ['ship'],
        schema: { type: 'object', required: ['script'] },
        interrupt: 'block',
        concurrencySafe: { when: { arg: 'script', readOnlyShell: true } },
        causesSiblingAbort: true,
        requiresUserInteraction: true,
        timeoutSeconds: 30,
        maxOutputCharacters: 4_000,
        enabled: false,
      },
    ]);
    expect(result).toEqual({
      ok: true,
      warnings: [],
      manifest: new Map([
        [
          'deploy',
          {
            kind: 'command',
            known: true,
            enabled: false,
            domain: 'ops',
            command: { name: 'script', shell: 'posix' },
            workingFolder: 'dir',
            aliases: ['ship'],
            schema: { type: 'object', required: ['script'] },
            interrupt: 'block',
            concurrency: { when: { arg: 'script', readOnlyShell: true } },
            causesSiblingAbort: true,
            requiresUserInteraction: true,
            obligations: { timeoutSeconds: 30, maxOutputCharacters: 4_000 },
          },
        ],
      ]),
    });
  });

  it('fills in what the kind and the key argument say', () => {
    const result = validateManifest([
      { name: 'a', kind: 'read', keyArg: 'p' },
      { name: 'b', kind: 'write', keyArg: 'p', interrupt: 'block' },
      { name: 'c', kind: 'command', keyArg: 'x' },
      { name: 'd', kind: 'network', keyArg: 'u' },
      { name: 'e', kind: 'agent', keyArg: 't' },
      { name: 'f' },
      { name: 'mcp__*', kind: 'network' },
    ]);
    expect(result.ok && [...result.manifest.values()]).toEqual([
      { kind: 'read', known: true, family: 'Read', paths: [{ name: 'p', access: 'read' }] },
      { kind: 'write', known: true, family: 'Edit', paths: [{ name: 'p', access: 'write' }], interrupt: 'block' },
      { kind: 'command', known: true, command: { name: 'x', shell: 'posix' } },
      { kind: 'network', known: true, url: 'u' },
      { kind: 'agent', known: true, named: ['t'] },
      { kind: 'other', known: true },
      { kind: 'network', known: true },
    ]);
  });

  it.each<[unknown, [string, string, string?][]]>([
    [{}, [['', 'expected a list']]],
    [['x'], [['0', 'expected a table']]],
    [[{}], [['0.name', 'is missing']]],
    [[{ name: 7 }], [['0.name', 'expected text']]],
    [[{ name: 'a(b)' }], [['0.name', 'expected a name without blanks, brackets, commas and stars']]],
    [[{ name: 'a', kinde: 'read' }], [['0.kinde', 'unknown field `kinde`', 'kind']]],
    [
      [{ name: 'a', paths: [{ name: 'p', acces: 'read', access: 'read' }] }],
      [['0.paths.0.acces', 'unknown field `acces`', 'access']],
    ],
    [
      [{ name: 'a', kind: 'reed' }],
      [
        [
          '0.kind',
          'expected `read` or `write` or `command` or `network` or `interaction` or `agent` or `other`',
          'read',
        ],
      ],
    ],
    [
      [{ name: 'a', paths: [{ name: 'p..q', access: 'read' }] }],
      [['0.paths.0.name', 'expected the place of an argument, as `path` or `edits[].path`']],
    ],
    [[{ name: 'a', maxFileSize: 0 }], [['0.maxFileSize', 'expected more than 0']]],
    [[{ name: 'a', interrupt: 'stop' }], [['0.interrupt', 'expected `cancel` or `block`']]],
    [
      [{ name: 'a', schema: { properties: { x: { typ: 'string' } } } }],
      [['0.schema.properties.x.typ', '`typ` is not supported in schemas']],
    ],
    [
      [{ name: 'a', concurrencySafe: 'yes' }],
      [['0.concurrencySafe', 'expected `true`, `false` or a table with `when`']],
    ],
    [[{ name: 'a', concurrencySafe: { wen: {} } }], [['0.concurrencySafe.wen', 'unknown field `wen`', 'when']]],
    [
      [{ name: 'a', concurrencySafe: { when: { arg: 'x', readOnlyShell: 1 } } }],
      [['0.concurrencySafe.when.readOnlyShell', 'expected `true`']],
    ],
    [[{ name: 'a' }, { name: 'a' }], [['1.name', 'the tool `a` is listed twice']]],
    [[{ name: 'a', aliases: ['a'] }], [['0.aliases.0', "`a` is the tool's own name"]]],
    [
      [
        { name: 'a', kind: 'read', aliases: ['b'] },
        { name: 'b', kind: 'network' },
      ],
      [['0.aliases.0', '`b` is another tool, of kind `network`']],
    ],
  ])('refuses %j', (input, expected) => {
    expect(validateManifest(input).ok).toBe(false);
    expect(problems(input)).toEqual(expected);
  });

  it.each<[unknown, [string, string][]]>([
    [
      [{ name: 'a', kind: 'write', keyArg: 'p' }],
      [['a.interrupt', 'a writing tool that is stopped half-way may leave half a file: `block` lets it finish']],
    ],
    [
      [{ name: 'a', kind: 'write', interrupt: 'block' }],
      [['a.paths', 'a writing tool of which nobody knows the files']],
    ],
    [[{ name: 'a', kind: 'command' }], [['a.command', 'a command tool of which nobody knows the command line']]],
    [
      [{ name: 'a', kind: 'command', keyArg: 'c', concurrencySafe: true }],
      [['a.concurrencySafe', 'calls of a tool of kind `command` would always run beside others']],
    ],
    [
      [{ name: 'a', kind: 'network', keyArg: 'u', harmless: true }],
      [['a.harmless', 'a tool of kind `network` is allowed without a question']],
    ],
    [[{ name: 'a', maxFileSize: 5 }], [['a.maxFileSize', 'has no effect without `content`']]],
    [
      [{ name: 'a', kind: 'read', keyArg: 'p', schema: { properties: { q: true }, additionalProperties: false } }],
      [['a.schema', 'refuses `p`, which the manifest reads']],
    ],
    [
      [
        { name: 'read_file', kind: 'read', keyArg: 'p' },
        { name: 'ReadFile', kind: 'read', keyArg: 'p' },
      ],
      [['ReadFile', 'easily mixed up with `read_file`']],
    ],
    [
      [
        { name: 'a', kind: 'agent', aliases: ['b'] },
        { name: 'b', kind: 'agent', aliases: ['a'] },
      ],
      [],
    ],
  ])('warns of %j', (input, expected) => {
    expect(validateManifest(input).ok).toBe(true);
    expect(problems(input)).toEqual(expected);
  });

  it('bounds the number of tools', () => {
    const many = Array.from({ length: 501 }, (_, i) => ({ name: `t${String(i)}` }));
    expect(problems(many)).toEqual([['', 'more than 500']]);
  });

  it('is total', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.array(
            fc.record({
              name: fc.string(),
              paths: fc.jsonValue(),
              concurrencySafe: fc.jsonValue(),
              schema: fc.jsonValue(),
            }),
          ),
        ),
        (input) => {
          expect(typeof validateManifest(input).ok).toBe('boolean');
        },
      ),
    );
  });
});
