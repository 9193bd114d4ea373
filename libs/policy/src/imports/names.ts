/** Names of other agents' tools as our rules write them. One tool there is one tool here, so that no allow frees a second one. */

/** Gemini CLI's built-in tools. Those without a counterpart keep their name: an unknown tool asks. */
export const GEMINI_TOOLS: Readonly<Record<string, string>> = {
  run_shell_command: 'Bash',
  write_file: 'Write',
  replace: 'Edit',
  read_file: 'Read',
  read_many_files: 'read_many_files',
  glob: 'Glob',
  grep_search: 'Grep',
  list_directory: 'LS',
  web_fetch: 'WebFetch',
  google_web_search: 'WebSearch',
  ask_user: 'AskUserQuestion',
  write_todos: 'TodoWrite',
  enter_plan_mode: 'EnterPlanMode',
  exit_plan_mode: 'ExitPlanMode',
  activate_skill: 'Skill',
  invoke_agent: 'Agent',
};

/** Older names of Gemini CLI's tools. */
export const GEMINI_ALIASES: Readonly<Record<string, string>> = { search_file_content: 'grep_search' };

/** OpenCode's permission keys and the tools that each governs. V2 names of actions stand beside the V1 keys. */
export const OPENCODE_TOOLS: Readonly<Record<string, readonly string[]>> = {
  read: ['Read'],
  edit: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'apply_patch'],
  glob: ['Glob'],
  grep: ['Grep'],
  list: ['LS'],
  bash: ['Bash'],
  task: ['Agent'],
  skill: ['Skill'],
  lsp: ['lsp'],
  todowrite: ['TodoWrite'],
  todoread: ['TodoRead'],
  question: ['AskUserQuestion'],
  webfetch: ['WebFetch'],
  websearch: ['WebSearch'],
};

/** V2 action -> V1 key. */
export const OPENCODE_ACTIONS: Readonly<Record<string, string>> = { shell: 'bash', subagent: 'task' };

/** Parts of a flat name beyond which its readings are not listed. */
export const MAX_PARTS = 16;

/** A flat MCP name with single underscores as every `mcp__server__tool` that it may stand for. `*` is taken along. */
export function mcpNames(flat: string): string[] {
  const parts = flat.split('_');
  const names: string[] = [];
  for (let cut = 1; cut < parts.length && cut < MAX_PARTS; cut += 1) {
    const server = parts.slice(0, cut).join('_');
    const tool = parts.slice(cut).join('_');
    if (server !== '' && tool !== '' && !server.includes('*')) names.push(`mcp__${server}__${tool}`);
  }
  return names;
}
