/** Claude Code settings: layers, modes, rules that it never consults, and hostile files. */
import { describe, expect, it } from '@jest/globals';
import { policyDocumentSchema } from '@countersign/contracts';
import fc from 'fast-check';
import { importClaudeSettings, type ClaudeLayer, type ClaudeSettingsFile } from './claude-settings.js';
import type { ImportResult } from './import-report.js';

function file(source: ClaudeLayer, permissions: object, more: Partial<ClaudeSettingsFile> = {}): ClaudeSettingsFile {
  return { source, fileName: `${source}.json`, text: JSON.stringify({ permissions }), ...more };
}

function rulesOf(result: ImportResult): string[] {
  policyDocumentSchema.parse(result.policy);
  return (['deny', 'ask', 'allow'] as const).flatMap((list) =>
    (result.policy[list] ?? []).map((rule) =>
      typeof rule === 'string' ? rule : `${list} ${rule.rule} ${rule.source ?? ''}`,
    ),
  );
}

describe('layers', () => {
  it('join their lists with their sources, strongest first', () => {
    const result = importClaudeSettings([
      file('user', { allow: ['Bash(ls:*)'], deny: ['Read(./.env)'] }),
      file('managed', { deny: ['WebFetch(domain:*.internal)'], ask: ['Bash(git push *)'] }),
      file('project', { allow: ['mcp__github__get_*'] }),
    ]);
    expect(rulesOf(result)).toEqual([
      'deny WebFetch(domain:*.internal) managed',
      'deny Read(./.env) user',
      'ask Bash(git push *) managed',
      'allow mcp__github__get_* project',
      'allow Bash(ls:*) user',
    ]);
    expect(result.report.notMapped).toEqual([]);
    expect(result.report.mapped[0]).toEqual({
      where: 'managed.json:1:25',
      what: 'deny `WebFetch(domain:*.internal)`',
      as: ['deny WebFetch(domain:*.internal)'],
    });
  });
  it('take the mode of the strongest that sets one', () => {
    const result = importClaudeSettings([
      file('user', { defaultMode: 'acceptEdits' }),
      file('local', { defaultMode: 'plan' }),
    ]);
    expect(result.policy.mode).toBe('plan');
    expect(result.report.notMapped[0]?.why).toBe('a stronger layer sets it at local.json:1:17');
  });
  it('of an untrusted project count only to deny and ask', () => {
    const result = importClaudeSettings([
      file(
        'project',
        { allow: ['Bash'], deny: ['Edit'], defaultMode: 'acceptEdits', additionalDirectories: ['/x'] },
        { trusted: false },
      ),
    ]);
    expect(rulesOf(result)).toEqual(['deny Edit project']);
    expect(result.policy.mode).toBeUndefined();
    expect(result.policy.additionalDirectories).toBeUndefined();
    expect(result.report.notMapped).toHaveLength(3);
  });
  it('below managed-only rules may not allow', () => {
    const managed = {
      source: 'managed',
      fileName: 'm',
      text: '{"allowManagedPermissionRulesOnly": true, "permissions": {"allow": ["Read"]}}',
    } as const;
    const result = importClaudeSettings([file('user', { allow: ['Bash'], deny: ['Edit'] }), managed]);
    expect(rulesOf(result)).toEqual(['deny Edit user', 'allow Read managed']);
  });
});

describe('modes', () => {
  const rows: [string, ClaudeLayer, object, string | undefined][] = [
    ['manual is default', 'user', { defaultMode: 'manual' }, 'default'],
    ['bypass of the user', 'user', { defaultMode: 'bypassPermissions' }, 'bypassPermissions'],
    ['bypass of a project', 'project', { defaultMode: 'bypassPermissions' }, undefined],
    ['auto of a project', 'project', { defaultMode: 'auto' }, undefined],
    [
      'bypass disabled',
      'user',
      { defaultMode: 'bypassPermissions', disableBypassPermissionsMode: 'disable' },
      'default',
    ],
    ['auto disabled', 'user', { defaultMode: 'auto', disableAutoMode: 'disable' }, 'default'],
    ['unknown', 'user', { defaultMode: 'yolo' }, undefined],
    ['ours alone', 'user', { defaultMode: 'custom' }, undefined],
    ['no text', 'user', { defaultMode: 7 }, undefined],
    ['deny instead of prompting', 'user', { denyInsteadOfPrompting: true, defaultMode: 'acceptEdits' }, 'dontAsk'],
  ];
  it.each(rows)('%s', (_name, source, permissions, mode) => {
    expect(importClaudeSettings([file(source, permissions)]).policy.mode).toBe(mode);
  });
  it('an agent cannot leave dontAsk when denying replaces prompting', () => {
    expect(importClaudeSettings([file('user', { denyInsteadOfPrompting: true })]).policy.agentModes).toEqual([
      'dontAsk',
    ]);
  });
});

describe('rules', () => {
  const rows: [string, ClaudeLayer, object, string[], number][] = [
    ['an allow that spans tools', 'user', { allow: ['*', 'mcp__*', 'B*'] }, [], 3],
    ['a deny that spans tools', 'user', { deny: ['*', 'mcp__*'] }, ['deny * user', 'deny mcp__* user'], 0],
    ['allow on paths of Write', 'user', { allow: ['Write(src/**)', 'NotebookEdit(x)', 'Glob(y)'] }, [], 3],
    ['deny on paths of Write', 'user', { deny: ['Write(src/**)'] }, ['deny Write(src/**) user'], 0],
    ['allow on a parameter', 'user', { allow: ['Agent(model:opus)'] }, [], 1],
    ['deny on a parameter', 'user', { deny: ['Agent(model:opus)'] }, ['deny Agent(model:opus) user'], 0],
    ['colon in a command', 'user', { allow: ['Bash(npm:run build)'] }, ['allow Bash(npm:run build) user'], 0],
    ['Cd', 'user', { deny: ['Cd(/x)'] }, [], 1],
    ['whole tool', 'user', { allow: ['Bash(*)'] }, ['allow Bash user'], 0],
    ['malformed allow', 'user', { allow: ['Bash(ls'] }, [], 1],
    ['malformed deny', 'user', { deny: ['Bash(rm', 'rm -rf'] }, ['ask Bash user'], 2],
    ['no text', 'user', { deny: [7, null, ['x']] }, [], 3],
    ['no list of denies', 'user', { deny: 'Bash' }, ['ask * user'], 1],
    ['no list of allows', 'user', { allow: 'Bash' }, [], 1],
    ['user anchor', 'user', { deny: ['Read(/x)'] }, ['deny Read(~/.claude/x) user'], 0],
    ['project anchor', 'project', { deny: ['Read(/x)'] }, ['deny Read(/x) project'], 0],
    ['absolute anchor', 'user', { deny: ['Read(//x)'] }, ['deny Read(//x) user'], 0],
    ['managed anchor, deny', 'managed', { deny: ['Read(/x)'] }, ['deny Read(//**/x) managed'], 1],
    ['managed anchor, allow', 'managed', { allow: ['Read(/x)'] }, [], 1],
    ['blocked outside', 'user', { blockReadsOutsideWorkingDirectories: true }, [], 1],
  ];
  it.each(rows)('%s', (...[, source, permissions, rules, reported]) => {
    const result = importClaudeSettings([file(source, permissions)]);
    expect(rulesOf(result)).toEqual(rules);
    expect(result.report.notMapped).toHaveLength(reported);
  });
  it('of a settings file given by flag start at its folder', () => {
    const result = importClaudeSettings([file('cli', { deny: ['Read(/x)'] }, { directory: '/etc/cc/' })]);
    expect(rulesOf(result)).toEqual(['deny Read(//etc/cc/x) cli']);
  });
});

describe('folders', () => {
  it('are absolute, under home, or joined to the project', () => {
    const permissions = { additionalDirectories: ['../shared', '/srv', '~/n', '~bob', '', 7] };
    const known = importClaudeSettings([file('user', permissions)], { projectDirectory: '/w/app' });
    expect(known.policy.additionalDirectories).toEqual(['/w/shared', '/srv', '~/n']);
    const unknown = importClaudeSettings([file('user', permissions)]);
    expect(unknown.policy.additionalDirectories).toEqual(['/srv', '~/n']);
    expect(unknown.report.notMapped).toHaveLength(4);
  });
});

describe('beside permissions', () => {
  it('the sandbox gives denies, and nothing that it opens', () => {
    const sandbox = {
      enabled: true,
      autoAllowBashIfSandboxed: true,
      filesystem: { denyRead: ['~/.ssh'], denyWrite: ['/etc'], allowWrite: ['/'] },
      network: { deniedDomains: ['x.io'], allowedDomains: ['*'] },
    };
    const result = importClaudeSettings([
      { source: 'user', fileName: 'u', text: JSON.stringify({ sandbox, model: 'x', hooks: {} }) },
    ]);
    expect(rulesOf(result)).toEqual([
      'deny Read(~/.ssh) user',
      'deny Edit(/etc) user',
      'deny Edit(//etc) user',
      'deny WebFetch(domain:x.io) user',
    ]);
    expect(result.report.notMapped).toHaveLength(8);
  });
  it.each(['', '{', '[]', '7', '{"permissions": 7}', '{"a":1,"a":2}', '{"permissions": {"deny": ["x"],}}'])(
    'an unreadable file asks about every call: %s',
    (text) => {
      const result = importClaudeSettings([{ source: 'user', fileName: 'u', text }]);
      expect(rulesOf(result)).toEqual(['ask * user']);
      expect(result.report.notMapped).toHaveLength(1);
    },
  );
  it('never throws, and always gives a policy that the schema takes', () => {
    const json = fc.json({ maxDepth: 4 });
    const keys = fc.constantFrom(
      'permissions',
      'sandbox',
      'allow',
      'deny',
      'ask',
      'defaultMode',
      'additionalDirectories',
      'filesystem',
      'denyRead',
      'hooks',
      'constructor',
      'toString',
    );
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        fc.string(),
        fc.constantFrom('Bash(', 'Bash', '*', 7, null, true, 'manual'),
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(keys, tie('node')),
      ),
    })).node;
    const text = fc.oneof(
      json,
      fc.string({ unit: 'binary' }),
      tree.map((value) => JSON.stringify(value)),
      tree.map((value) => JSON.stringify({ permissions: value })),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('managed', 'cli', 'local', 'project', 'user'), (value, source) => {
        rulesOf(importClaudeSettings([{ source, fileName: 'x', text: value }]));
      }),
      { numRuns: 1_000 },
    );
  });
});
