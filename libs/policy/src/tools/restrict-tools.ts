/** Leaves a subagent only the tools that it was given. */
import { nearest } from '../documents/suggest.js';
import { ANY_MCP_TOOL, toolEntry, type ToolEntry, type ToolManifest } from './manifest.js';

/** A name that the manifest does not list, with the nearest that it does. */
export interface UnknownTool {
  readonly name: string;
  readonly suggestion?: string;
}

/** The smaller manifest, and the names that give nothing. */
export interface Restriction {
  readonly manifest: ToolManifest;
  readonly unknown: readonly UnknownTool[];
}

const WITHHELD: ToolEntry = { kind: 'other', known: false };

/**
 * The manifest with only the named tools. Names are whole and exact: an alias gives nothing, since it may be another tool's
 * name. A tool of an MCP server is given by its full name; all others of its kind become unknown tools.
 */
export function restrictTools(manifest: ToolManifest, names: readonly string[]): Restriction {
  const left = new Map<string, ToolEntry>();
  const unknown: UnknownTool[] = [];
  for (const name of new Set(names)) {
    const entry = name === ANY_MCP_TOOL ? WITHHELD : toolEntry(manifest, name);
    if (entry.known) left.set(name, entry);
    else unknown.push(withSuggestion(name, manifest));
  }
  left.set(ANY_MCP_TOOL, WITHHELD);
  return { manifest: left, unknown };
}

function withSuggestion(name: string, manifest: ToolManifest): UnknownTool {
  const suggestion = nearest(
    name,
    [...manifest.keys()].filter((one) => one !== ANY_MCP_TOOL),
  );
  return suggestion === undefined ? { name } : { name, suggestion };
}
