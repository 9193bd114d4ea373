/** Checks of how rules name their tools: unknown names, and path rules of a tool that others can stand in for. */
import { nearest } from '../documents/suggest.js';
import type { ToolPattern } from '../rules/compiled-rule.js';
import { toolEntry } from '../tools/manifest.js';
import { matchesWildcard } from '../rules/wildcard.js';
import { judgeOn, matchesAlone, specimensFor, type Bench, type ListedRule } from './bench.js';
import { pathsUnder } from './path-specimens.js';
import type { Claim } from './report.js';
import { STRICTNESS, type SampleCall } from './scene.js';
import { namedTools, pathCall, wholeCalls } from './specimens.js';

/** A name that no manifest knows: calls of the tool that was probably meant are not matched. */
export function unknownTool(bench: Bench, rule: ListedRule): Claim | null {
  const written = rule.rule.pattern.split('(')[0]?.trim() ?? '';
  if (isKnown(bench, rule.compiled.tool, written)) return otherAgents(bench, rule, written);
  const meant = meantName(bench, written);
  if (meant === undefined) {
    return {
      kind: 'unknown-tool',
      grade: 'unproven',
      witness: specimensFor(bench, rule)[0] ?? wholeCalls(bench.maker, written)[0] ?? null,
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

/** `bash` is a tool of one agent and `Bash` of others: a rule about the first leaves the second alone, but not the other way round. */
function otherAgents(bench: Bench, rule: ListedRule, written: string): Claim | null {
  const twin = toolEntry(bench.maker.tools, written).aliases?.find(
    (name) => name !== written && name.toLowerCase() === written.toLowerCase(),
  );
  const [witness] = twin === undefined ? [] : wholeCalls(bench.maker, twin);
  if (twin === undefined || witness === undefined) return null;
  const spec = rule.rule.pattern.trim().slice(written.length);
  return {
    kind: 'unknown-tool',
    grade: 'unproven',
    witness,
    explanation: `\`${written}\` is the tool of another agent; \`${twin}\` is not matched`,
    fix: `write \`${twin}${spec}\`, which governs both`,
  };
}

function isKnown(bench: Bench, tool: ToolPattern, written: string): boolean {
  switch (tool.kind) {
    case 'server':
      return true;
    case 'name':
      return toolEntry(bench.maker.tools, tool.name).known;
    case 'wildcard':
      return written.startsWith('mcp__') || names(bench).some((name) => matchesWildcard(tool.pattern, name));
  }
}

/** `mcp_server_tool` lacks underscores; any other name is compared with those that are known. */
function meantName(bench: Bench, written: string): string | undefined {
  const flat = /^mcp_([^_]+)_+(.+)$/.exec(written);
  return flat === null ? nearest(written, names(bench)) : `mcp__${flat[1] ?? ''}__${flat[2] ?? ''}`;
}

function names(bench: Bench): string[] {
  return namedTools(bench.maker.tools);
}

/** `Write(x)` as a deny leaves `Edit` on the same file. */
export function narrowPathTool(bench: Bench, rule: ListedRule): Claim | null {
  const { tool, spec } = rule.compiled;
  const { effect } = rule.rule;
  if (effect === 'allow' || tool.kind !== 'name' || spec.kind !== 'path') return null;
  const { family } = toolEntry(bench.maker.tools, tool.name);
  if (family === undefined || family === tool.name) return null;
  const callOf = (name: string, path: string): SampleCall => pathCall(name, toolEntry(bench.maker.tools, name), path);
  for (const path of pathsUnder(bench.maker, spec.path)) {
    const witness = callOf(family, path);
    const slips = STRICTNESS[judgeOn(bench, witness).effect] < STRICTNESS[effect];
    if (!slips || !matchesAlone(bench, rule, callOf(tool.name, path))) continue;
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
