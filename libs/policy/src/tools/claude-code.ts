/** The built-in tools of Claude Code, as data. */
import {
  BASH,
  agentStarter,
  argumentsSchema,
  bookkeeping,
  fileReader,
  fileWriter,
  folderReader,
  question,
  shell,
  web,
} from './entries.js';
import type { JsonSchema } from './json-schema.js';
import type { ToolEntry, ToolManifest } from './manifest.js';

const AGENT: ToolEntry = agentStarter({
  named: ['subagent_type'],
  schema: argumentsSchema({
    description: 'string',
    prompt: 'string',
    subagent_type: 'string',
    model: 'string',
    run_in_background: 'boolean',
    name: 'string',
    team_name: 'string',
    mode: 'string',
    isolation: 'string',
  }),
});

const EDITS: JsonSchema = argumentsSchema(
  {
    file_path: 'string',
    edits: {
      type: 'array',
      maxItems: 1_000,
      items: argumentsSchema({ old_string: 'string', new_string: 'string', replace_all: 'boolean' }),
    },
  },
  ['file_path'],
);

/** Claude Code's built-in tools by name. */
export const CLAUDE_CODE_TOOLS: ToolManifest = new Map<string, ToolEntry>([
  ['Bash', BASH],
  [
    'Monitor',
    shell('command', {
      aliases: ['Bash'],
      schema: argumentsSchema({ description: 'string', timeout_ms: 'number', command: 'string' }),
    }),
  ],
  ['PowerShell', powershell()],
  [
    'Read',
    fileReader(
      { name: 'file_path' },
      {
        schema: argumentsSchema({ file_path: 'string', offset: 'number', limit: 'number', allow_large: 'boolean' }, [
          'file_path',
        ]),
      },
    ),
  ],
  ['Glob', searcher({ pattern: 'string', path: 'string' })],
  ['Grep', grep()],
  ['LS', fileReader({ name: 'path', defaultsToCwd: true }, { schema: argumentsSchema({ path: 'string' }) })],
  ['NotebookRead', fileReader({ name: 'notebook_path' })],
  [
    'Write',
    fileWriter(
      { name: 'file_path' },
      { content: ['content'], schema: argumentsSchema({ file_path: 'string', content: 'string' }, ['file_path']) },
    ),
  ],
  ['Edit', edit()],
  ['MultiEdit', fileWriter({ name: 'file_path' }, { content: ['edits[].new_string'], schema: EDITS })],
  ['NotebookEdit', notebookEdit()],
  [
    'WebFetch',
    web({ url: 'url', schema: argumentsSchema({ url: 'string', prompt: 'string', offset: 'number' }, ['url']) }),
  ],
  [
    'WebSearch',
    web({
      named: ['query'],
      schema: argumentsSchema({ query: 'string', allowed_domains: 'array', blocked_domains: 'array' }),
    }),
  ],
  ['Agent', { ...AGENT, aliases: ['Task'] }],
  ['Task', { ...AGENT, aliases: ['Agent'] }],
  ['Skill', other('skill', { named: ['skill', 'command'] })],
  ['SlashCommand', other('skill', { named: ['command'] })],
  ['AskUserQuestion', question({ schema: argumentsSchema({ questions: { type: 'array', maxItems: 20 } }) })],
  ['EnterPlanMode', question()],
  ['ExitPlanMode', question()],
  ['EnterWorktree', other('filesystem', { interrupt: 'block' })],
  ['ExitWorktree', other('filesystem', { interrupt: 'block' })],
  ['ReadMcpResourceTool', other('mcp', { concurrency: true })],
  ['TodoWrite', bookkeeping()],
  ['TodoRead', bookkeeping({ concurrency: true })],
  ['TaskCreate', bookkeeping()],
  ['TaskGet', bookkeeping({ concurrency: true })],
  ['TaskList', bookkeeping({ concurrency: true })],
  ['TaskUpdate', bookkeeping()],
  ['TaskOutput', bookkeeping({ concurrency: true })],
  ['TaskStop', bookkeeping({ schema: argumentsSchema({ task_id: 'string' }) })],
  ['BashOutput', bookkeeping({ concurrency: true })],
  ['KillShell', bookkeeping()],
  ['KillBash', bookkeeping()],
  ['ToolSearch', bookkeeping({ concurrency: true })],
  ['ListMcpResourcesTool', bookkeeping({ concurrency: true })],
  ['StructuredOutput', bookkeeping()],
]);

function other(domain: string, more: Partial<ToolEntry>): ToolEntry {
  return { kind: 'other', known: true, domain, ...more };
}

/** Which PowerShell commands only read is not known well enough to run them beside others. */
function powershell(): ToolEntry {
  return {
    kind: 'command',
    known: true,
    domain: 'shell',
    command: { name: 'command', shell: 'powershell' },
    interrupt: 'block',
    schema: BASH.schema ?? true,
  };
}

function searcher(types: Parameters<typeof argumentsSchema>[0]): ToolEntry {
  return folderReader(
    { name: 'path' },
    { patterns: [{ name: 'pattern', access: 'read', base: 'path' }], schema: argumentsSchema(types, ['pattern']) },
  );
}

function grep(): ToolEntry {
  const types = { pattern: 'string', path: 'string', glob: 'string', output_mode: 'string', type: 'string' } as const;
  const numbers = { head_limit: 'number', offset: 'number', multiline: 'boolean' } as const;
  return folderReader(
    { name: 'path' },
    {
      schema: argumentsSchema({ ...types, ...numbers }),
      patterns: [{ name: 'glob', access: 'read', base: 'path' }],
    },
  );
}

function edit(): ToolEntry {
  const types = { file_path: 'string', old_string: 'string', new_string: 'string', replace_all: 'boolean' } as const;
  return fileWriter({ name: 'file_path' }, { content: ['new_string'], schema: argumentsSchema(types, ['file_path']) });
}

function notebookEdit(): ToolEntry {
  const types = { notebook_path: 'string', cell_id: 'string', new_source: 'string' } as const;
  const choices = { cell_type: 'string', edit_mode: 'string' } as const;
  return fileWriter(
    { name: 'notebook_path' },
    { content: ['new_source'], schema: argumentsSchema({ ...types, ...choices }, ['notebook_path']) },
  );
}
