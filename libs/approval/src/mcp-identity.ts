/** Tools of MCP servers under their real names: what rules name must be the very server that the call goes to. */
import type { ToolCall, ToolCheck } from '@countersign/contracts';

/**
 * Agents make tool names out of server names and lose some of them on the way: `foo.bar` and `foo_bar` look alike. Where the client
 * says which server it means, a name that is not exactly that server's asks, whatever rules allow it. A server whose own name
 * holds the separator could pass for another one, and asks too.
 */
export function mcpChecks({ tool, mcpServer }: Pick<ToolCall, 'tool' | 'mcpServer'>): ToolCheck[] {
  if (mcpServer === undefined || !tool.startsWith('mcp__')) return [];
  if (mcpServer.includes('__'))
    return [asks(`the MCP server \`${mcpServer}\` has a name that could stand for another one`)];
  if (tool.startsWith(`mcp__${mcpServer}__`)) return [];
  return [asks(`the tool is one of the MCP server \`${mcpServer}\`, which its name does not say`)];
}

function asks(reason: string): ToolCheck {
  return { effect: 'ask', reason, kind: 'safety' };
}
