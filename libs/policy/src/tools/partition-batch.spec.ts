import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ASTRO_RESEARCH_TOOLS } from './astro-research.js';
import { CLAUDE_CODE_TOOLS } from './claude-code.js';
import type { ToolManifest } from './manifest.js';
import { validateManifest } from './validate-manifest.js';
import { partitionBatch, siblingsToStop } from './partition-batch.js';
import { traitsOf } from './traits.js';

interface Call {
  readonly id: string;
  readonly tool: string;
  readonly args: unknown;
}

function calls(...tools: [tool: string, args?: unknown][]): Call[] {
  return tools.map(([tool, args], place) => ({ id: `c${String(place + 1)}`, tool, args: args ?? {} }));
}

function plan(list: readonly Call[], manifest: ToolManifest): [boolean, ...string[]][] {
  return partitionBatch(list, manifest).map((batch) => [batch.parallel, ...batch.calls.map((call) => call.id)]);
}

describe('partitionBatch', () => {
  it('runs reads together and the writes behind them one by one', () => {
    const step = calls(
      ['search_papers'],
      ['read_file'],
      ['glob_files'],
      ['file_write'],
      ['run_bash', { command: 'ls' }],
    );
    expect(plan(step, ASTRO_RESEARCH_TOOLS)).toEqual([
      [true, 'c1', 'c2', 'c3'],
      [false, 'c4'],
      [false, 'c5'],
    ]);
  });

  it('keeps the order: a write between reads splits them', () => {
    const step = calls(['read_file'], ['grep_files'], ['file_edit'], ['read_file'], ['rag_search'], ['save_memory']);
    expect(plan(step, ASTRO_RESEARCH_TOOLS)).toEqual([
      [true, 'c1', 'c2'],
      [false, 'c3'],
      [true, 'c4', 'c5'],
      [false, 'c6'],
    ]);
  });

  it('asks the arguments where the manifest says so, and takes unknown tools for unsafe', () => {
    const made = validateManifest([{ name: 'fetch_map', concurrencySafe: { when: { arg: 'mode', equals: 'read' } } }]);
    const manifest = made.ok ? made.manifest : new Map();
    const step = calls(
      ['fetch_map', { mode: 'read' }],
      ['fetch_map', { mode: 'read', n: 2 }],
      ['fetch_map', { mode: 'write' }],
      ['bg_task_run', { task: 'x' }],
    );
    expect(plan(step, manifest)).toEqual([
      [true, 'c1', 'c2'],
      [false, 'c3'],
      [false, 'c4'],
    ]);
  });

  it('lets command lines that only read run beside others', () => {
    const step = calls(
      ['Bash', { command: 'git status' }],
      ['Read', { file_path: 'a' }],
      ['Bash', { command: 'make' }],
    );
    expect(plan(step, CLAUDE_CODE_TOOLS)).toEqual([
      [true, 'c1', 'c2'],
      [false, 'c3'],
    ]);
  });

  const anyCall = fc.record({
    tool: fc.constantFrom(...CLAUDE_CODE_TOOLS.keys(), 'mcp__a__b', 'nobody', '__proto__'),
    args: fc.oneof(fc.jsonValue(), fc.record({ command: fc.constantFrom('ls', 'rm a', 'ls; rm a', 'cat a > b') })),
  });

  it('has every call once, in order, and no unsafe call beside another', () => {
    fc.assert(
      fc.property(fc.array(anyCall), (step) => {
        const batches = partitionBatch(step, CLAUDE_CODE_TOOLS);
        const flat = batches.flatMap((batch) => batch.calls);
        expect(flat).toHaveLength(step.length);
        flat.forEach((call, place) => expect(call).toBe(step[place]));
        for (const batch of batches) {
          expect(batch.calls.length).toBeGreaterThan(0);
          const safe = batch.calls.map((call) => traitsOf(call.tool, call.args, CLAUDE_CODE_TOOLS).concurrencySafe);
          expect(safe.every((one) => one === batch.parallel)).toBe(true);
          if (!batch.parallel) expect(batch.calls).toHaveLength(1);
        }
      }),
    );
  });

  it('splits no more than it must', () => {
    fc.assert(
      fc.property(fc.array(anyCall), (step) => {
        const batches = partitionBatch(step, CLAUDE_CODE_TOOLS);
        batches.slice(1).forEach((batch, place) => expect(batch.parallel && batches[place]!.parallel).toBe(false));
      }),
    );
  });
});

describe('siblingsToStop', () => {
  const made = validateManifest([
    { name: 'fetch_a', kind: 'read', concurrencySafe: true, causesSiblingAbort: true },
    { name: 'search', kind: 'read', concurrencySafe: true },
  ]);
  const manifest = made.ok ? made.manifest : new Map();
  const step = calls(['fetch_a', { n: 1 }], ['search'], ['search']);

  it('stops all others when such a tool fails, and none otherwise', () => {
    const [batch] = partitionBatch(step, manifest);
    expect(siblingsToStop(batch!, step[0]!, manifest)).toEqual([step[1], step[2]]);
    expect(siblingsToStop(batch!, step[1]!, manifest)).toEqual([]);
  });
});
