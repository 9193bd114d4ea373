/** Checks of how rules name their tools: unknown names, and path rules of a tool that others can stand in for. */
import { nearest } from '../documents/suggest.js';
import { toolEntry } from '../tools/manifest.js';
import { matchesWildcard } from '../rules/wildcard.js';
import { judgeOn, matchesAlone, specimensFor, type Bench, type ListedRule } from './bench.js';
import type { Claim } from './report.js';
import { STRICTNESS } from './scene.js';
import { pathCall, wholeCalls } from './specimens.js';

/** A name that no manifest knows: calls of the tool that was probably meant are not matched. */
export function unknownTool(bench: Bench, rule: ListedRule): Claim | null {
  const { tool } = rule.compiled;
  const { tools } = bench.maker;
  const written = rule.rule.pattern.split('(')[0]?.trim() ?? '';
  if (tool.kind === 'server') return null;
  if (tool.kind === 'name' && toolEntry(tools, tool.name).known) return null;
  const { kind } = tool;
  if (kind === 'wildcard' && (written.startsWith('mcp__') || names(bench).some((name) => matchesWildcard(tool.pattern, name))))
    return null;
  const meant = /^mcp_+[^_]/.test(written) ? `mcp__${written.slice(4).replace(/^_/, '').replace(/_+/, '__')}` : nearest(written, names(bench));
  if (meant === undefined) {
    return {
      kind: 'unknown-tool',
      grade: 'unproven',
      witness: specimensFor(bench, rule)[0] ?? null,
      explanation: `no manifest knows a tool \`${written}\`; the rule works only if an agent brings a tool of that very name`,
      fix: 'check the name; tools of MCP servers are written `mcp__server__tool`',
    };
  }
  const [witness] = wholeCalls(bench.maker, meant);
  if (witness === undefined || matchesAlone(bench, rule, witness)) return null;
  const spec = rule.rule.pattern.trim().slice(written.length);
  return {
    kind: 'unknown-tool',
    witness,
    explanation: `no manifest knows a tool \`${written}\`; \`${meant}\` is not matched`,
    fix: `write \`${meant}${spec}\``,
  };
}

function names(bench: Bench): string[] {
  return [...bench.maker.tools.keys()];
}

/** `Write(x)` as a deny leaves `Edit` on the same file. */
export function narrowPathTool(bench: Bench, rule: ListedRule): Claim | null {
  const { tool, spec } = rule.compiled;
  const { effect } = rule.rule;
  if (effect === 'allow' || tool.kind !== 'name' || spec.kind !== 'path') return null;
  const { family } = toolEntry(bench.maker.tools, tool.name);
  if (family === undefined || family === tool.name) return null;
  for (const specimen of specimensFor(bench, rule)) {
    const path = Object.values(specimen.args)[0];
    const witness = pathCall(family, toolEntry(bench.maker.tools, family), typeof path === 'string' ? path : '');
    const slips = STRICTNESS[judgeOn(bench, witness).effect] < STRICTNESS[effect];
    if (!slips || !matchesAlone(bench, rule, specimen)) continue;
    const better = rule.rule.pattern.trim().replace(tool.name, family);
    return {
      kind: 'narrow-path-tool',
      witness,
      explanation: `holds \`${tool.name}\` only: \`${family}\` may still have the same file`,
      fix: `write \`${better}\`, which governs every tool that ${family === 'Edit' ? 'writes' : 'reads'}`,
    };
  }
  return null;
}
