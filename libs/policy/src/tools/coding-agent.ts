/** The tools of the Coding Agent, as data. */
import { argumentsSchema, bookkeeping, fileReader, fileWriter, shell } from './entries.js';
import type { ToolEntry, ToolManifest } from './manifest.js';

/** The Coding Agent's tools by name. */
export const CODING_AGENT_TOOLS: ToolManifest = new Map<string, ToolEntry>([
  ['ReadFile', fileReader({ name: 'file_path' }, { schema: argumentsSchema({ file_path: 'string' }, ['file_path']) })],
  [
    'WriteFile',
    fileWriter(
      { name: 'file_path' },
      { content: ['content'], schema: argumentsSchema({ file_path: 'string', content: 'string' }, ['file_path']) },
    ),
  ],
  [
    'EditFile',
    fileWriter(
      { name: 'file_path' },
      {
        content: ['new'],
        schema: argumentsSchema({ file_path: 'string', old: 'string', new: 'string' }, ['file_path']),
      },
    ),
  ],
  ['Bash', shell('command', { schema: argumentsSchema({ command: 'string' }, ['command']) })],
  ['UpdatePlan', bookkeeping()],
]);
