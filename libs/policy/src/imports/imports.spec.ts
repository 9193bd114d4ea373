/** Whole files: every import gives a policy that compiles, survives being written, and is accounted for line by line. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { policyDocumentSchema } from '@countersign/contracts';
import { readPolicyText } from '../documents/read-policy-text.js';
import { writePolicyText } from '../documents/write-policy-text.js';
import { callOf, factsOf, judge, policyOf, sessionOf } from '../engine/judge.fixture.js';
import { compilePolicy } from '../policy/compile.js';
import { importClaudeSettings } from './claude-settings.js';
import { importCodexRules } from './codex-rules.js';
import { importGeminiPolicy } from './gemini-policy.js';
import type { ImportResult } from './import-report.js';
import { importOpenCodePermissions } from './opencode-permissions.js';

function text(name: string): string {
  return readFileSync(new URL(`../../../../test/data/imports/${name}`, import.meta.url), 'utf8');
}

function named<S extends string>(name: string, source: S): { fileName: string; text: string; source: S } {
  return { fileName: name, text: text(name), source };
}

const IMPORTS: [string, () => ImportResult][] = [
  [
    'Claude Code',
    () =>
      importClaudeSettings(
        [
          named('claude-user.settings.json', 'user' as const),
          named('claude-managed.settings.json', 'managed' as const),
        ],
        { projectDirectory: '/srv/shop' },
      ),
  ],
  ['Codex', () => importCodexRules([named('codex.rules', 'project')])],
  ['Gemini CLI', () => importGeminiPolicy([{ ...named('gemini.toml', 'user'), tier: 'user' }])],
  ['OpenCode', () => importOpenCodePermissions([named('opencode.jsonc', 'project')])],
];

describe.each(IMPORTS)('%s', (_name, run) => {
  const { policy, report } = run();
  it('compiles without a warning', () => {
    const compiled = compilePolicy(policyDocumentSchema.parse(policy));
    expect(compiled.ok ? compiled.policy.warnings : compiled.problems).toEqual([]);
  });
  it('is read back as written', () => {
    for (const format of ['yaml', 'json', 'toml'] as const) {
      const read = readPolicyText(writePolicyText(policy, format), format, 'p');
      expect(read.ok ? read.document : read.problems).toEqual(policyDocumentSchema.parse(policy));
    }
  });
  it('is accounted for', () => {
    expect({ policy, report }).toMatchSnapshot();
  });
});

describe('one profile in three formats', () => {
  it('is one document', () => {
    const documents = (['yaml', 'json', 'toml'] as const).map((format) => {
      const read = readPolicyText(text(`profile.${format}`), format, 'p');
      return read.ok ? read.document : read.problems;
    });
    expect(documents[1]).toEqual(documents[0]);
    expect(documents[2]).toEqual(documents[0]);
    expect(documents[0]).toMatchObject({ mode: 'acceptEdits', breaker: { total: 10 } });
  });
});

describe('the engine on an imported policy', () => {
  const imported = new Map(IMPORTS.map(([name, run]) => [name, run().policy]));
  const rows: [string, string, string][] = [
    ['Claude Code', 'npm run test unit', 'allow'],
    ['Claude Code', 'git push origin', 'ask'],
    ['Claude Code', 'curl https://x.io', 'deny'],
    ['Codex', 'cargo test --all', 'allow'],
    ['Codex', 'git push origin main', 'ask'],
    ['Codex', 'rm -rf dist', 'deny'],
    ['Codex', 'cargo test && rm -fr dist', 'deny'],
    ['Codex', 'make', 'ask'],
    ['Gemini CLI', 'git status -s', 'allow'],
    ['Gemini CLI', 'git push', 'ask'],
    ['Gemini CLI', 'sudo rm -rf dist', 'deny'],
    ['OpenCode', 'git status', 'allow'],
    ['OpenCode', 'git push', 'deny'],
    ['OpenCode', 'npm install', 'ask'],
  ];
  it.each(rows)('%s: %s', (name, command, effect) => {
    const policy = policyOf(imported.get(name) ?? {});
    const session = sessionOf({ mode: policy.document.mode });
    expect(judge(callOf('Bash', { command }), policy, factsOf({ session })).effect).toBe(effect);
  });
});
