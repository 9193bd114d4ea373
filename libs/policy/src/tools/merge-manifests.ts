/** Puts the tools of several agents into one manifest, for policies that serve them all. */
import { CLAUDE_CODE_TOOLS } from './claude-code.js';
import { CODEX_TOOLS } from './codex.js';
import { CURSOR_TOOLS } from './cursor.js';
import { GEMINI_CLI_TOOLS } from './gemini-cli.js';
import type { ToolEntry, ToolManifest } from './manifest.js';
import { OPENCODE_TOOL_MANIFEST } from './opencode.js';

/** One manifest, and the names whose entries differ: there the earlier manifest's stands. */
export interface MergedManifest {
  readonly manifest: ToolManifest;
  readonly conflicts: readonly string[];
}

/** Merges manifests, the first strongest. Equal entries of one name are no conflict. */
export function mergeManifests(manifests: readonly ToolManifest[]): MergedManifest {
  const merged = new Map<string, ToolEntry>();
  const conflicts = new Set<string>();
  for (const [name, entry] of manifests.flatMap((manifest) => [...manifest])) {
    const known = merged.get(name);
    if (known === undefined) merged.set(name, entry);
    else if (JSON.stringify(known) !== JSON.stringify(entry)) conflicts.add(name);
  }
  return { manifest: merged, conflicts: [...conflicts] };
}

/** Shipped manifests of agents, by the agent's name. */
export const AGENT_MANIFESTS = {
  'claude-code': CLAUDE_CODE_TOOLS,
  codex: CODEX_TOOLS,
  'gemini-cli': GEMINI_CLI_TOOLS,
  opencode: OPENCODE_TOOL_MANIFEST,
  cursor: CURSOR_TOOLS,
} as const satisfies Readonly<Record<string, ToolManifest>>;

/** The tools of all agents that we know: what `standard` judges by. */
export const ALL_AGENT_TOOLS: ToolManifest = mergeManifests(Object.values(AGENT_MANIFESTS)).manifest;
