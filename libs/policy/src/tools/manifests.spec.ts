import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { GEMINI_TOOLS, OPENCODE_TOOLS } from '../imports/index.js';
import { ASTRO_RESEARCH_TOOLS } from './astro-research.js';
import { CODING_AGENT_TOOLS } from './coding-agent.js';
import { GOVERNED_RUNNER_TOOLS } from './governed-runner.js';
import { checkSchema } from './json-schema.js';
import { toolEntry, type ToolManifest } from './manifest.js';
import { AGENT_MANIFESTS, ALL_AGENT_TOOLS, mergeManifests } from './merge-manifests.js';
import { readArguments } from './read-arguments.js';
import { traitsOf } from './traits.js';
import { lintManifest } from './validate-manifest.js';
import { validateArguments } from './validate-arguments.js';

const DATA = new URL('../../../../test/data/', import.meta.url);

interface TraitRow {
  readonly id: string;
  readonly tool: string;
  readonly toolKind: string;
  readonly args: Record<string, unknown>;
  readonly expected: {
    readonly traits: { domain?: string; concurrencySafe: boolean; interrupt: string; causesSiblingAbort?: boolean };
  };
}

const rows = readFileSync(new URL('acceptance/A-traits.jsonl', DATA), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as TraitRow);

describe('the tools of AstroResearch', () => {
  it('are the 21 of its tables', () => {
    expect(rows).toHaveLength(21);
    expect([...ASTRO_RESEARCH_TOOLS.keys()].sort()).toEqual(rows.map((row) => row.tool).sort());
  });

  it.each(rows.map((row) => [row.id, row] as const))('%s', (_id, row) => {
    const traits = traitsOf(row.tool, row.args, ASTRO_RESEARCH_TOOLS);
    const { interrupt, ...others } = row.expected.traits;
    expect(traits).toMatchObject({ ...others, kind: row.toolKind, interrupt: interrupt.toLowerCase() });
    const named = readArguments(toolEntry(ASTRO_RESEARCH_TOOLS, row.tool), row.args, '/work');
    expect(named.problems).toEqual([]);
  });
});

const SHIPPED: [string, ToolManifest][] = [
  ...Object.entries(AGENT_MANIFESTS),
  ['astro-research', ASTRO_RESEARCH_TOOLS],
  ['coding-agent', CODING_AGENT_TOOLS],
  ['governed-runner', GOVERNED_RUNNER_TOOLS],
];

describe.each(SHIPPED)('the manifest of %s', (name, manifest) => {
  it('has schemas that can be read', () => {
    for (const [tool, entry] of manifest) expect([tool, checkSchema(entry.schema ?? true)]).toEqual([tool, []]);
  });

  it('gives no warning but those that its own documents ask for', () => {
    const stated = [
      'file_write.interrupt',
      'file_edit.interrupt',
      'save_note.interrupt',
      'save_note.paths',
      'save_memory.paths',
    ];
    expect(lintManifest(manifest).map((finding) => finding.path)).toEqual(name === 'astro-research' ? stated : []);
  });

  it('lets no writer or command run beside others unconditionally, and no writer stop half-way', () => {
    if (name === 'astro-research') return;
    for (const [tool, entry] of manifest) {
      if (entry.kind !== 'write' && entry.kind !== 'command') continue;
      expect([tool, entry.concurrency === true, entry.interrupt]).toEqual([tool, false, 'block']);
    }
  });
});

describe('the names that rules use', () => {
  it('are those of the imports', () => {
    const gemini = AGENT_MANIFESTS['gemini-cli'];
    for (const [name, ours] of Object.entries(GEMINI_TOOLS)) {
      expect([name, gemini.get(name)?.aliases?.[0] ?? name]).toEqual([name, ours]);
    }
    const opencode = AGENT_MANIFESTS.opencode;
    for (const [key, [ours]] of Object.entries(OPENCODE_TOOLS)) {
      if (key === 'lsp') continue;
      expect([key, opencode.get(key)?.aliases?.[0]]).toEqual([key, ours]);
    }
  });

  it('lead to entries of the same kind', () => {
    for (const [tool, entry] of ALL_AGENT_TOOLS) {
      for (const alias of entry.aliases ?? []) {
        expect([tool, alias, toolEntry(ALL_AGENT_TOOLS, alias).kind]).toEqual([tool, alias, entry.kind]);
      }
    }
  });
});

describe('all agents together', () => {
  it('have no tool of one name that means two things', () => {
    expect(mergeManifests(Object.values(AGENT_MANIFESTS)).conflicts).toEqual([]);
  });

  it('reports a conflict, and the first manifest stands', () => {
    const read = new Map([['x', { kind: 'read', known: true } as const]]);
    const write = new Map([['x', { kind: 'write', known: true } as const]]);
    const merged = mergeManifests([read, write]);
    expect([merged.conflicts, merged.manifest.get('x')?.kind]).toEqual([['x'], 'read']);
  });
});

interface Payload {
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
}

const payloads = readdirSync(new URL('payloads/', DATA))
  .filter((file) => /^\d\d-(?:claude|codex|gemini|cursor)-/.test(file))
  .map((file) => [file, JSON.parse(readFileSync(new URL(`payloads/${file}`, DATA), 'utf8')) as Payload] as const)
  .filter(([, payload]) => typeof payload.tool_name === 'string' && typeof payload.tool_input === 'object');

describe('the payloads of real agents', () => {
  it('are many', () => {
    expect(payloads.length).toBeGreaterThan(15);
  });

  it.each(payloads)('%s fits its manifest', (_file, payload) => {
    const entry = toolEntry(ALL_AGENT_TOOLS, payload.tool_name as string);
    const args = payload.tool_input as Record<string, unknown>;
    expect(entry.known || String(payload.tool_name).startsWith('mcp_')).toBe(true);
    expect(validateArguments(entry.schema ?? true, args)).toEqual([]);
    expect(readArguments(entry, args, '/work').problems).toEqual([]);
  });
});
