/** The tools that Cursor's hooks report, as data. Those that it shares with Claude Code, whose hooks it also runs, are the same. */
import { CLAUDE_CODE_TOOLS } from './claude-code.js';
import { argumentsSchema, fileWriter, shell } from './entries.js';
import type { ToolEntry, ToolManifest } from './manifest.js';

const SHARED = ['Read', 'Write', 'Grep', 'Task'] as const;

/** Cursor's tools by name. */
export const CURSOR_TOOLS: ToolManifest = new Map<string, ToolEntry>([
  [
    'Shell',
    shell('command', {
      aliases: ['Bash'],
      workingFolder: 'working_directory',
      schema: argumentsSchema({ command: 'string', working_directory: 'string' }, ['command']),
    }),
  ],
  ['Delete', fileWriter({ name: 'file_path', otherNames: ['path', 'target_file'], recursive: true })],
  ...SHARED.flatMap((name) => {
    const entry = CLAUDE_CODE_TOOLS.get(name);
    return entry === undefined ? [] : [[name, entry] as const];
  }),
]);
