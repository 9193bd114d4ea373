/** Writes Gemini CLI's tool names and patterns as tool names of our rules. */
import type { Effect } from '@countersign/contracts';
import { GEMINI_TOOLS, MAX_PARTS, mcpNames } from './names.js';

/** Rules for a whole tool, or for the tools that a pattern names; none when an allow cannot be said. */
export function wholePatterns(name: string, effect: Effect): string[] {
  if (Object.hasOwn(GEMINI_TOOLS, name)) return [GEMINI_TOOLS[name] ?? name];
  return effect === 'allow' ? allowPatterns(name) : strictPatterns(name);
}

/** An allow names one tool, or all tools of one server. */
function allowPatterns(name: string): string[] {
  if (/[\s(),?]/u.test(name)) return [];
  if (/^mcp__[^*]+__(?:\*|[^*]+)$/.test(name)) return [name];
  const server = /^mcp_([^*_][^*]*)_\*$/.exec(name)?.[1];
  if (server !== undefined) return [`mcp__${server}__*`];
  if (name.includes('*') || name.startsWith('mcp__')) return [];
  if (name.startsWith('mcp_')) return mcpNames(name.slice('mcp_'.length));
  // INVARIANT: our own tool names start with a capital, so that a foreign name never frees one of them.
  return /^[a-z][a-z0-9_-]*$/.test(name) ? [name] : [];
}

/** A deny or ask may cover more: where a name can be read in several ways, all of them. */
function strictPatterns(name: string): string[] {
  const plain = name.replace(/[\s(),]+/gu, '*');
  if (plain.startsWith('mcp__')) return [plain];
  if (!plain.startsWith('mcp_')) return plain.includes('__') ? [plain, `mcp__${plain}`] : [plain];
  const flat = plain.slice('mcp_'.length);
  return flat.includes('*') || flat.split('_').length > MAX_PARTS
    ? [`mcp__${flat.replace(/_+/g, '*')}`]
    : [...mcpNames(flat), `mcp__${flat}`];
}
