/** The built-in tools of Gemini CLI, as data. Our rules name them as GEMINI_TOOLS says. */
import { GEMINI_ALIASES, GEMINI_TOOLS } from '../imports/names.js';
import {
  GLOB,
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
import type { ToolEntry, ToolManifest } from './manifest.js';

const FOLDER = { name: 'dir_path', otherNames: ['path'] } as const;

const ENTRIES: Readonly<Record<string, ToolEntry>> = {
  run_shell_command: shell('command', {
    workingFolder: 'dir_path',
    schema: argumentsSchema({ command: 'string', description: 'string', dir_path: 'string' }, ['command']),
  }),
  write_file: fileWriter(
    { name: 'file_path' },
    { content: ['content'], schema: argumentsSchema({ file_path: 'string', content: 'string' }, ['file_path']) },
  ),
  replace: fileWriter(
    { name: 'file_path' },
    {
      content: ['new_string'],
      schema: argumentsSchema({ file_path: 'string', old_string: 'string', new_string: 'string' }, ['file_path']),
    },
  ),
  read_file: fileReader(
    { name: 'file_path', otherNames: ['absolute_path'] },
    { schema: argumentsSchema({ file_path: 'string', absolute_path: 'string' }) },
  ),
  read_many_files: {
    kind: 'read',
    known: true,
    domain: 'filesystem',
    family: 'Read',
    patterns: [{ name: 'include[]', access: 'read' }],
    concurrency: true,
    schema: argumentsSchema({ include: 'array', exclude: 'array', recursive: 'boolean' }, ['include']),
  },
  glob: GLOB,
  grep_search: folderReader(FOLDER, {
    schema: argumentsSchema({ pattern: 'string', dir_path: 'string', path: 'string' }),
  }),
  list_directory: fileReader(FOLDER, { schema: argumentsSchema({ dir_path: 'string', path: 'string' }) }),
  // Addresses stand in the prompt's prose.
  web_fetch: web({ urlsWithin: 'prompt', schema: argumentsSchema({ prompt: 'string' }, ['prompt']) }),
  google_web_search: web({ named: ['query'], schema: argumentsSchema({ query: 'string' }, ['query']) }),
  ask_user: question(),
  write_todos: bookkeeping(),
  enter_plan_mode: question(),
  exit_plan_mode: question(),
  activate_skill: { kind: 'other', known: true, domain: 'skill', named: ['name'] },
  invoke_agent: agentStarter({ named: ['agent_name'] }),
};

/** Gemini CLI's built-in tools by name, older names included. */
export const GEMINI_CLI_TOOLS: ToolManifest = new Map<string, ToolEntry>([
  ...Object.entries(ENTRIES).map(([name, entry]) => [name, withAlias(name, entry)] as const),
  ...Object.entries(GEMINI_ALIASES).flatMap(([older, name]) => {
    const entry = ENTRIES[name];
    return entry === undefined ? [] : [[older, withAlias(name, entry)] as const];
  }),
]);

function withAlias(name: string, entry: ToolEntry): ToolEntry {
  const alias = GEMINI_TOOLS[name];
  return alias === undefined || alias === name ? entry : { ...entry, aliases: [alias] };
}
