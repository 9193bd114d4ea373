/** The built-in tools of OpenCode, as data. Our rules name them as OPENCODE_TOOLS says. */
import { OPENCODE_TOOLS } from '../imports/names.js';
import {
  APPLY_PATCH,
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

const ENTRIES: Readonly<Record<string, ToolEntry>> = {
  bash: shell('command', {
    workingFolder: 'workdir',
    schema: argumentsSchema({ command: 'string', description: 'string', timeout: 'number', workdir: 'string' }, [
      'command',
    ]),
  }),
  read: fileReader(
    { name: 'filePath' },
    { schema: argumentsSchema({ filePath: 'string', offset: 'number', limit: 'number' }, ['filePath']) },
  ),
  write: fileWriter(
    { name: 'filePath' },
    {
      aliases: ['Write'],
      content: ['content'],
      schema: argumentsSchema({ filePath: 'string', content: 'string' }, ['filePath']),
    },
  ),
  edit: fileWriter(
    { name: 'filePath' },
    {
      content: ['newString'],
      schema: argumentsSchema({ filePath: 'string', oldString: 'string', newString: 'string', replaceAll: 'boolean' }, [
        'filePath',
      ]),
    },
  ),
  apply_patch: APPLY_PATCH,
  glob: GLOB,
  grep: folderReader(
    { name: 'path' },
    { schema: argumentsSchema({ pattern: 'string', path: 'string', include: 'string' }) },
  ),
  list: folderReader({ name: 'path' }, { schema: argumentsSchema({ path: 'string', ignore: 'array' }) }),
  webfetch: web({
    url: 'url',
    schema: argumentsSchema({ url: 'string', format: 'string', timeout: 'number' }, ['url']),
  }),
  websearch: web({ named: ['query'], schema: argumentsSchema({ query: 'string' }, ['query']) }),
  task: agentStarter({
    named: ['subagent_type'],
    schema: argumentsSchema({ description: 'string', prompt: 'string', subagent_type: 'string' }),
  }),
  todowrite: bookkeeping(),
  todoread: bookkeeping({ concurrency: true }),
  skill: { kind: 'other', known: true, domain: 'skill', named: ['name'] },
  question: question(),
};

/** OpenCode's built-in tools by name. */
export const OPENCODE_TOOL_MANIFEST: ToolManifest = new Map<string, ToolEntry>(
  Object.entries(ENTRIES).map(([name, entry]) => [name, withAlias(name, entry)]),
);

/** The permission key of a tool is its name; the first tool that the key governs here is the tool itself. */
function withAlias(name: string, entry: ToolEntry): ToolEntry {
  const alias = OPENCODE_TOOLS[name]?.[0];
  return entry.aliases !== undefined || alias === undefined ? entry : { ...entry, aliases: [alias] };
}
