import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { CLAUDE_CODE_TOOLS } from './claude-code.js';
import { toolEntry } from './manifest.js';
import { restrictTools } from './restrict-tools.js';

describe('restrictTools', () => {
  it('leaves the named tools and nothing else', () => {
    const { manifest, unknown } = restrictTools(CLAUDE_CODE_TOOLS, ['Read', 'Grep', 'Read']);
    expect(unknown).toEqual([]);
    expect(toolEntry(manifest, 'Read')).toBe(CLAUDE_CODE_TOOLS.get('Read'));
    expect(['Grep', 'Write', 'Bash', 'mcp__a__b', 'nobody'].map((tool) => toolEntry(manifest, tool).known)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('gives a tool of an MCP server by its full name only', () => {
    const { manifest, unknown } = restrictTools(CLAUDE_CODE_TOOLS, ['mcp__a__b', 'mcp__*']);
    expect(unknown.map((one) => one.name)).toEqual(['mcp__*']);
    expect(toolEntry(manifest, 'mcp__a__b').known).toBe(true);
    expect(toolEntry(manifest, 'mcp__a__c').known).toBe(false);
  });

  it('reports unknown names with the nearest known one', () => {
    expect(restrictTools(CLAUDE_CODE_TOOLS, ['read', 'xyzzy', '']).unknown).toEqual([
      { name: 'read', suggestion: 'Read' },
      { name: 'xyzzy' },
      { name: '' },
    ]);
  });

  it('gives no other tool through an alias', () => {
    const { manifest } = restrictTools(CLAUDE_CODE_TOOLS, ['Bash', 'Task']);
    expect([toolEntry(manifest, 'Monitor').known, toolEntry(manifest, 'Agent').known]).toEqual([false, false]);
  });

  it('never gives more than it was given, twice over as well', () => {
    const names = fc.array(fc.constantFrom(...CLAUDE_CODE_TOOLS.keys(), 'mcp__a__b', 'mcp__c__d', 'nobody'));
    fc.assert(
      fc.property(names, names, (first, second) => {
        const once = restrictTools(CLAUDE_CODE_TOOLS, first);
        const twice = restrictTools(once.manifest, second);
        for (const tool of [...CLAUDE_CODE_TOOLS.keys(), 'mcp__a__b', 'mcp__c__d', 'mcp__e__f', 'nobody']) {
          const known = toolEntry(twice.manifest, tool).known;
          expect(known).toBe(first.includes(tool) && second.includes(tool) && toolEntry(CLAUDE_CODE_TOOLS, tool).known);
        }
      }),
    );
  });
});
