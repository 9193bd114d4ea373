/** OpenCode permissions: both forms, order, and that nothing comes out looser. */
import { describe, expect, it } from '@jest/globals';
import { policyDocumentSchema, type RuleSource } from '@countersign/contracts';
import fc from 'fast-check';
import { commandMatches, compileCommandPattern } from '../rules/command-pattern.js';
import { globHolds, globsMeet } from './globs.js';
import type { ImportResult } from './import-report.js';
import { importOpenCodePermissions } from './opencode-permissions.js';

function run(config: object | string, source: RuleSource = 'user'): ImportResult {
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  return importOpenCodePermissions([{ fileName: 'o.json', text, source }]);
}

function rulesOf(result: ImportResult): string[] {
  policyDocumentSchema.parse(result.policy);
  return (['deny', 'ask', 'allow'] as const).flatMap((list) =>
    (result.policy[list] ?? []).map((rule) => `${list} ${typeof rule === 'string' ? rule : rule.rule}`),
  );
}

const EDITS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'apply_patch'];

describe('the documented example', () => {
  const result = run({
    permission: {
      '*': 'ask',
      edit: { '*': 'ask', 'docs/**': 'allow' },
      bash: { '*': 'ask', 'git status *': 'allow', 'git push *': 'deny' },
      webfetch: 'ask',
      external_directory: { '~/work/**': 'allow' },
    },
  });
  it('allows what it allows, denies what it denies, and asks otherwise', () => {
    expect(rulesOf(result).filter((rule) => !rule.startsWith('ask'))).toEqual([
      'deny Bash(git push *)',
      'allow Edit(/docs/**)',
      'allow Bash(git status *)',
    ]);
    expect(rulesOf(result)).not.toContain('ask *');
    expect(rulesOf(result)).not.toContain('ask Bash');
    expect(rulesOf(result)).toContain('ask Read');
    expect(result.policy.mode).toBe('custom');
    expect(result.policy.additionalDirectories).toEqual(['~/work']);
  });
});

describe('first form', () => {
  const rows: [string, object, string[]][] = [
    ['one effect for all', { bash: 'deny', edit: 'allow' }, ['deny Bash', ...EDITS.map((tool) => `allow ${tool}`)]],
    ['deny of commands', { bash: { 'rm *': 'deny', 'git *': 'allow' } }, ['deny Bash(rm *)', 'allow Bash(git *)']],
    [
      'a later deny stays over an allow',
      { bash: { 'git *': 'allow', 'git push *': 'deny' } },
      ['deny Bash(git push *)', 'allow Bash(git *)'],
    ],
    [
      'a later allow cannot lift a deny',
      { bash: { '*': 'deny', 'git *': 'allow' } },
      ['deny Bash', 'allow Bash(git *)'],
    ],
    ['dead before a catch-all', { bash: { 'git *': 'deny', '*': 'allow' } }, ['allow Bash']],
    ['colon and star', { bash: { 'npm run test:*': 'deny' } }, ['deny Bash(npm run test:**)']],
    ['question mark, allow', { bash: { 'l?': 'allow' } }, []],
    ['question mark, deny', { bash: { 'l?': 'deny' } }, ['deny Bash(l*)']],
    ['quotes, allow', { bash: { 'echo "a"': 'allow' } }, []],
    ['home, deny', { bash: { '~/bin/x *': 'deny' } }, ['deny Bash(~/bin/x *)', 'deny Bash(*/bin/x *)']],
    ['all as double star', { bash: { '**': 'deny' } }, ['deny Bash']],
    ['folder', { edit: { 'a/b/**': 'deny' } }, ['deny Edit(a/b/**)', 'deny Edit(//**/a/b/**)']],
    ['absolute folder', { read: { '/etc/*': 'deny' } }, ['deny Read(//etc/**)']],
    ['home folder', { read: { '$HOME/.ssh/**': 'deny' } }, ['deny Read(~/.ssh/**)']],
    [
      'name',
      { read: { '*.env': 'deny', '**/.env': 'deny' } },
      ['deny Read(.env)', 'deny Read(//**/.env)', 'deny Read(*.env)', 'deny Read(//**/*.env)'],
    ],
    ['name, allow', { read: { '*.md': 'allow' } }, []],
    [
      'wildcard between folders, deny',
      { edit: { 'src/*/x.ts': 'deny' } },
      ['deny Edit(src/**)', 'deny Edit(//**/src/**)'],
    ],
    ['wildcard between folders, allow', { edit: { 'src/*/x.ts': 'allow' } }, []],
    ['wildcard at the start, deny', { edit: { '*a*b': 'deny' } }, ['deny Edit']],
    ['climbing, allow', { edit: { '../x/**': 'allow' } }, []],
    ['subagents', { task: { reviewer: 'allow', 'x-*': 'deny' } }, ['deny Agent', 'allow Agent(reviewer)']],
    ['patterns on searches, deny', { grep: { 'secret*': 'deny' } }, ['ask Grep']],
    [
      'addresses',
      { webfetch: { 'https://x.io/*': 'deny', 'https://y.io*': 'ask', 'https://z.io/*': 'allow' } },
      ['deny WebFetch(domain:x.io)', 'ask WebFetch'],
    ],
    [
      'MCP tool',
      { github_create_issue: 'allow' },
      ['allow github_create_issue', 'allow mcp__github__create_issue', 'allow mcp__github_create__issue'],
    ],
    ['MCP server, allow', { 'github_*': 'allow' }, ['allow mcp__github__*']],
    ['MCP server, deny', { 'github_*': 'deny' }, ['deny github_*', 'deny mcp__github**']],
    ['foreign name that is ours', { Bash: 'allow', apply_patch: 'allow', mcp__a__b: 'allow' }, []],
    ['all', { '*': 'deny' }, []],
    ['unknown word', { bash: 'never' }, ['ask Bash']],
    ['unknown word in patterns', { bash: { 'rm *': 'Deny' } }, ['ask Bash(rm *)']],
    [
      'folder outside, deny',
      { external_directory: { '~/x/**': 'deny', '*': 'ask' } },
      ['deny Read(~/x/**)', 'deny Edit(~/x/**)'],
    ],
    ['loops', { doom_loop: 'ask' }, []],
  ];
  it.each(rows.filter(([name]) => name !== 'all'))('%s', (_name, permission, expected) => {
    expect(rulesOf(run({ permission }))).toEqual(expected);
  });
  it('a deny of all denies all', () => {
    const result = run({ permission: { '*': 'deny' } });
    expect(rulesOf(result)).toContain('deny *');
    expect(result.policy.unknownTool).toBe('deny');
    expect(rulesOf(run({ permission: 'deny' }))).toContain('deny *');
  });
  it('comments and commas at ends are taken', () => {
    expect(rulesOf(run('{ // c\n "permission": { "bash": "deny", }, }'))).toEqual(['deny Bash']);
  });
});

describe('files', () => {
  const file = (source: RuleSource, permission: object): { fileName: string; source: RuleSource; text: string } => ({
    fileName: source,
    source,
    text: JSON.stringify({ permission }),
  });
  it('merge as objects do: a key keeps its place', () => {
    const result = importOpenCodePermissions([
      file('project', { bash: { 'git *': 'allow' } }),
      file('user', { bash: { 'git *': 'deny', 'git push *': 'ask' } }),
    ]);
    expect(rulesOf(result)).toEqual(['ask Bash(git push *)', 'allow Bash(git *)']);
  });
  it('patterns replace an allow of the whole key, but no deny', () => {
    const of = (effect: string): string[] =>
      rulesOf(
        importOpenCodePermissions([
          file('user', { '*': 'ask', bash: effect }),
          file('project', { bash: { 'rm *': 'deny' } }),
        ]),
      ).filter((rule) => rule.includes('Bash'));
    expect(of('allow')).toEqual(['deny Bash(rm *)', 'ask Bash']);
    expect(of('deny')).toEqual(['deny Bash(rm *)', 'deny Bash']);
  });
  it('that cannot be read ask about every call', () => {
    for (const text of [
      '{',
      '[]',
      '{"permission": 7',
      '{"permission": [1]}',
      '{"permissions": {}}',
      '{"permissions": [{}]}',
    ]) {
      expect(rulesOf(run(text))).toEqual(['ask *']);
    }
  });
});

describe('agents and tools', () => {
  it('of one agent only denies and asks count, for all, and they shadow nothing', () => {
    const result = run({
      permission: { bash: { '*': 'ask', 'rm *': 'deny' } },
      agent: { plan: { permission: { bash: 'ask', edit: 'deny', webfetch: 'allow' } } },
      tools: { write: false, websearch: false, read: true },
    });
    expect(rulesOf(result)).toEqual(
      expect.arrayContaining(['deny Bash(rm *)', 'ask Bash', 'deny Edit', 'deny WebSearch']),
    );
    expect(rulesOf(result).filter((rule) => rule.startsWith('allow'))).toEqual([]);
  });
});

describe('second form', () => {
  it('asks by default, the last match decides, names are those of the first', () => {
    const result = run({
      permissions: [
        { action: 'shell', resource: '*', effect: 'ask' },
        { action: 'shell', resource: 'git *', effect: 'allow' },
        { action: 'shell', resource: 'git push *', effect: 'deny' },
        { action: 'edit', effect: 'deny' },
        { action: 'subagent', resource: 'x', effect: 'odd' },
      ],
    });
    expect(rulesOf(result)).toEqual([
      ...EDITS.map((tool) => `deny ${tool}`),
      'deny Bash(git push *)',
      'ask Agent(x)',
      'allow Bash(git *)',
    ]);
    expect(result.policy.mode).toBe('custom');
  });
  it('beside the first form nothing is left to order', () => {
    const result = run({
      permission: { bash: { '*': 'ask' } },
      permissions: [{ action: 'shell', resource: 'git *', effect: 'allow' }],
    });
    expect(rulesOf(result)).toEqual(['ask Bash', 'allow Bash(git *)']);
  });
});

describe('a double star after a blank', () => {
  it('is no allow of the bare command, which it does not match there', () => {
    const result = run({ permission: { '*': 'ask', bash: { 'git **': 'allow' } } });
    expect(rulesOf(result)).not.toContain('allow Bash(git **)');
    expect(globHolds('  *', '')).toBe(false);
    expect(globHolds('a *', 'a')).toBe(true);
  });
});

describe('properties', () => {
  const rank: Record<string, number> = { allow: 0, ask: 1, deny: 2 };
  const pattern = fc
    .array(fc.constantFrom('git', ' ', '*', '?', 'push', 'rm', ':', '-x'), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.join(''));
  const command = fc
    .array(fc.constantFrom('git', 'push', 'rm', '-x', 'a:b', 'git:'), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(' '));
  const effect = fc.constantFrom('allow', 'ask', 'deny');
  const matches = (glob: string, text: string): boolean => {
    const body = glob
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    return new RegExp(`^${body.endsWith(' .*') ? `${body.slice(0, -3)}( .*)?` : body}$`, 's').test(text);
  };
  const here = (result: ImportResult, text: string): number => {
    const hits = (['deny', 'ask', 'allow'] as const).filter((list) =>
      rulesOf(result).some((rule) => covers(rule, list, text)),
    );
    return rank[hits[0] ?? 'ask'] ?? 1;
  };
  const covers = (rule: string, list: string, text: string): boolean => {
    if (rule === `${list} Bash` || rule === `${list} *`) return true;
    const spec = rule.startsWith(`${list} Bash(`) ? rule.slice(list.length + 6, -1) : undefined;
    return spec !== undefined && commandMatches(compileCommandPattern(spec.trim()), text);
  };
  it('no command comes out looser', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(pattern, effect), { maxLength: 6 }),
        fc.option(effect, { nil: undefined }),
        fc.array(command, { maxLength: 6 }),
        (list, whole, commands) => {
          const bash = Object.fromEntries(list);
          const result = run({ permission: { ...(whole === undefined ? {} : { '*': whole }), bash } });
          for (const text of commands) {
            const hit =
              Object.entries(bash)
                .filter(([glob]) => matches(glob, text))
                .pop()?.[1] ?? whole;
            if (hit !== undefined) expect(here(result, text)).toBeGreaterThanOrEqual(rank[hit] ?? 1);
          }
        },
      ),
      { numRuns: 3_000 },
    );
  });
  it('never throws', () => {
    const key = fc.constantFrom(
      'permission',
      'permissions',
      'bash',
      '*',
      'edit',
      'agent',
      'tools',
      'mode',
      'action',
      'resource',
      'effect',
      'constructor',
      'x_*',
      'external_directory',
      '~/x/**',
    );
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom('allow', 'ask', 'deny', '', 7, null, false),
        fc.string(),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(key, tie('node')),
      ),
    })).node;
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      tree.map((value) => JSON.stringify(value)),
      tree.map((value) => JSON.stringify({ permission: value, permissions: value })),
    );
    fc.assert(
      fc.property(text, (value) => rulesOf(run(value)).length >= 0),
      { numRuns: 1_500 },
    );
  });
  it('many patterns end soon', () => {
    const many = Object.fromEntries(
      Array.from({ length: 30_000 }, (_, i) => [`${String(i)}*a*b*c*`, i % 2 ? 'allow' : 'ask']),
    );
    expect(rulesOf(run({ permission: { '*': { ...many } } })).length).toBeGreaterThan(0);
    const some = Object.fromEntries(
      Array.from({ length: 950 }, (_, i) => [`${'*a'.repeat(100)}${String(i)}`, i % 2 ? 'allow' : 'ask']),
    );
    expect(rulesOf(run({ permission: { '*': some } })).length).toBeGreaterThan(0);
  }, 20_000);
  it('patterns meet whenever one text matches both', () => {
    const glob = fc.array(fc.constantFrom('a', 'b', '*', '?', ' '), { maxLength: 6 }).map((parts) => parts.join(''));
    const text = fc.array(fc.constantFrom('a', 'b', ' '), { maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(glob, glob, text, (a, b, value) => {
        if (matches(a, value) && matches(b, value)) expect(globsMeet(a, b)).toBe(true);
        if (globHolds(a, b) && matches(b, value)) expect(matches(a, value)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});
