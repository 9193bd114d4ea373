/** The tools of the governed tool runner, as data. */
import { argumentsSchema, fileReader, fileWriter, shell } from './entries.js';
import type { ToolEntry, ToolManifest } from './manifest.js';

/** The governed runner's tools by name. Everything else is refused there, tools of MCP servers too. */
export const GOVERNED_RUNNER_TOOLS: ToolManifest = new Map<string, ToolEntry>([
  ['read_file', fileReader({ name: 'path' }, { schema: argumentsSchema({ path: 'string' }, ['path']) })],
  [
    'write_file',
    fileWriter(
      { name: 'path' },
      { content: ['content'], schema: argumentsSchema({ path: 'string', content: 'string' }, ['path']) },
    ),
  ],
  [
    'glob',
    {
      kind: 'read',
      known: true,
      domain: 'filesystem',
      family: 'Read',
      patterns: [{ name: 'pattern', access: 'read' }],
      concurrency: true,
      schema: argumentsSchema({ pattern: 'string' }, ['pattern']),
    },
  ],
  ['bash', shell('command', { schema: argumentsSchema({ command: 'string' }, ['command']) })],
  ['mcp__*', { kind: 'other', known: false }],
]);
