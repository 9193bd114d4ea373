/** The tools of Codex CLI that its hooks report, as data. Tools of MCP servers come as `mcp__server__tool`. */
import { APPLY_PATCH, BASH, argumentsSchema, fileReader } from './entries.js';
import type { ToolEntry, ToolManifest } from './manifest.js';

/** Codex CLI's tools by name. */
export const CODEX_TOOLS: ToolManifest = new Map<string, ToolEntry>([
  ['Bash', BASH],
  ['apply_patch', APPLY_PATCH],
  ['view_image', fileReader({ name: 'path' }, { schema: argumentsSchema({ path: 'string' }, ['path']) })],
]);
