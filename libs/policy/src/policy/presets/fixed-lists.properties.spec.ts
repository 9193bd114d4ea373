import { describe, expect, it } from '@jest/globals';
import type { Effect, PolicyInput } from '@countersign/contracts';
import fc from 'fast-check';
import type { EngineCall } from '../../engine/analysis.js';
import { callOf, factsOf, judge, policyOf, sessionOf } from '../../engine/judge.fixture.js';

const RANK: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/** The two presets that judge calls as a whole, with the names of their tools. */
const PRESETS = [
  { preset: 'astro-research', shell: 'run_bash', writer: 'file_write', reader: 'read_file', path: 'file_path' },
  { preset: 'governed-runner', shell: 'bash', writer: 'write_file', reader: 'read_file', path: 'path' },
] as const;
type Tools = (typeof PRESETS)[number];

const MODES = { 'astro-research': ['default', 'acceptEdits', 'dontAsk', 'bypassPermissions', 'auto'] as const };

const command = fc.constantFrom(
  'ls', 'ls -la src', 'cat a.md', 'vim a.md', 'python a.py', 'rm -rf build', 'sudo ls', 'curl x', 'echo $(date)', 'make', 'echo x > a.md', 'echo x > /etc/x', 'tee b',
  'find . -name x', 'sort a | uniq', 'reboot', '$X y', 'echo "x', 'dd of=/dev/sda', 'git push', 'xargs ls',
); // prettier-ignore
const path = fc.constantFrom('a.md', 'src/a.ts', '../x', '/etc/passwd', '~/x', '.env', '', 'secret/key');
const rules = (tools: Tools) =>
  fc.array(
    fc.constantFrom(
      '*',
      tools.shell,
      tools.writer,
      `${tools.shell}(rm *)`,
      `${tools.shell}(make)`,
      `${tools.reader}(secret/**)`,
      `${tools.reader}(.env)`,
      `${tools.writer}(src/*)`,
    ),
    { maxLength: 3 },
  );
const calls = (tools: Tools) =>
  fc.oneof(
    command.map((text) => callOf(tools.shell, { command: text })),
    path.map((text) => callOf(tools.reader, { [tools.path]: text })),
    path.map((text) => callOf(tools.writer, { [tools.path]: text, content: 'x' })),
    fc.constantFrom(callOf('deploy', {}), callOf(tools.shell, null), callOf(tools.reader, {})),
  );

function rankOf(call: EngineCall, input: Partial<PolicyInput>, over: Parameters<typeof sessionOf>[0] = {}): number {
  const policy = policyOf(input);
  const session = sessionOf({ mode: policy.document.mode, ...over });
  return RANK[judge(call, policy, factsOf({ session })).effect];
}

describe.each(PRESETS)('$preset', (tools) => {
  const { preset } = tools;
  const mode = fc.constantFrom(...(preset === 'astro-research' ? MODES[preset] : (['default'] as const)));

  it.each(['deny', 'ask'] as const)('is never loosened by one more rule to %s', (effect) => {
    fc.assert(
      fc.property(calls(tools), mode, rules(tools), rules(tools), (call, judged, before, added) => {
        const input = { preset, mode: judged, [effect]: before };
        const tighter = { ...input, [effect]: [...before, ...added] };
        expect(rankOf(call, tighter)).toBeGreaterThanOrEqual(rankOf(call, input));
      }),
      { numRuns: 300 },
    );
  });

  it('is never loosened by silence, a cancel, fewer tools, no roots, or a limit that is reached', () => {
    fc.assert(
      fc.property(calls(tools), mode, (call, judged) => {
        const input = { preset, mode: judged };
        const before = rankOf(call, input);
        const progress = { step: 99, repeat: Number.NaN, tokens: 1e9, diminishingReturns: true };
        const changes = [{ silent: true }, { cancelled: true }, { tools: [] }, { roots: [] }, { progress }];
        for (const over of changes) expect(rankOf(call, input, over)).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: 200 },
    );
  });

  it('is never loosened by wrapping or chaining a command', () => {
    const wrap = fc.constantFrom<(text: string) => string>(
      (text) => `sh -c '${text}'`,
      (text) => `env ${text}`,
      (text) => `ls; ${text}`,
      (text) => `ls && ${text}`,
      (text) => `( ${text} )`,
      (text) => `timeout 5 ${text}`,
      (text) => `if true; then ${text}; fi`,
      (text) => `echo $(${text})`,
    );
    fc.assert(
      fc.property(command, mode, wrap, (text, judged, wrapped) => {
        const rank = (line: string): number => rankOf(callOf(tools.shell, { command: line }), { preset, mode: judged });
        expect(rank(wrapped(text))).toBeGreaterThanOrEqual(rank(text));
      }),
      { numRuns: 300 },
    );
  });
});
