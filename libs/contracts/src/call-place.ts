/** What a call comes with besides tool and arguments that says what it would do: its folder, its MCP server, the evidence of its paths. */
import { canonicalJson } from './canonical-json.js';
import type { CallArguments, ToolCall } from './tool-call.js';

/**
 * The text whose SHA-256 in hex is a call's `placeHash`; null: the call came with none of the three. Mode and words for people are
 * no part of it: they do not change what runs.
 */
export function placeText({ cwd, mcpServer, resolvedPaths }: CallPlace): string | null {
  if (cwd === null && mcpServer === undefined && Object.keys(resolvedPaths).length === 0) return null;
  return canonicalJson([cwd, mcpServer ?? null, resolvedPaths]);
}

export type CallPlace = Pick<ToolCall, 'cwd' | 'resolvedPaths' | 'mcpServer'>;

/**
 * What tells a call of a tool from another one of the same tool: its arguments, and the place that it came with. INVARIANT: what is
 * answered for one call is never the answer to a call of another hash.
 */
export function callHashOf({ args, placeHash }: { args: CallArguments; placeHash?: string | undefined }): string {
  return placeHash === undefined ? args.hash : `${args.hash}.${placeHash}`;
}
