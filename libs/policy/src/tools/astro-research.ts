/** The 21 tools of AstroResearch, as data. The behaviour of each is stated by its own documents. */
import { argumentsSchema } from './entries.js';
import type { ToolEntry, ToolManifest } from './manifest.js';

/** Reads and may run beside others; stops at once when cancelled. */
function reader(domain: string, more: Partial<ToolEntry> = {}): ToolEntry {
  return { kind: 'read', known: true, domain, concurrency: true, ...more };
}

function file(more: Partial<ToolEntry>): ToolEntry {
  return { kind: 'write', known: true, domain: 'filesystem', family: 'Edit', ...more };
}

const PATH = { name: 'file_path' } as const;

/** AstroResearch's tools by name. `bg_task_run` is in no table of theirs, so everything about it is the default. */
export const ASTRO_RESEARCH_TOOLS: ToolManifest = new Map<string, ToolEntry>([
  ['search_papers', reader('astro/search')],
  ['get_paper_metadata', reader('astro/search')],
  ['get_paper_content', reader('astro/paper')],
  ['rag_search', reader('astro/rag')],
  ['query_target', reader('astro/target')],
  ['read_file', reader('filesystem', { family: 'Read', paths: [{ ...PATH, access: 'read' }] })],
  [
    'grep_files',
    reader('filesystem', {
      family: 'Read',
      paths: [{ name: 'path', access: 'read', recursive: true, defaultsToCwd: true }],
    }),
  ],
  ['glob_files', reader('filesystem', { family: 'Read', patterns: [{ name: 'pattern', access: 'read' }] })],
  ['load_skill', reader('skill')],
  ['download_paper', { kind: 'network', known: true, domain: 'astro/paper', url: 'url' }],
  ['parse_paper', { kind: 'other', known: true, domain: 'astro/paper' }],
  ['file_write', file({ paths: [{ ...PATH, access: 'write' }], content: ['content'] })],
  ['file_edit', file({ paths: [{ ...PATH, access: 'write' }], content: ['new'] })],
  ['save_note', { kind: 'write', known: true, domain: 'astro/note', content: ['text'] }],
  ['save_memory', { kind: 'write', known: true, domain: 'memory', content: ['text'], interrupt: 'block' }],
  [
    'run_bash',
    {
      kind: 'command',
      known: true,
      domain: 'filesystem',
      command: { name: 'command', shell: 'posix' },
      workingFolder: 'working_dir',
      interrupt: 'block',
      obligations: { timeoutSeconds: 60, maxTimeoutSeconds: 120, maxOutputCharacters: 4_000 },
      schema: argumentsSchema({ command: 'string', working_dir: 'string' }, ['command']),
    },
  ],
  ['ask_user', { kind: 'interaction', known: true, domain: 'ask_user', interrupt: 'block' }],
  ['todo_write', { kind: 'other', known: true, domain: 'todo' }],
  ['compress_context', { kind: 'other', known: true, domain: 'compress' }],
  ['subagent', { kind: 'agent', known: true, domain: 'subagent', interrupt: 'block' }],
  ['bg_task_run', { kind: 'other', known: true }],
]);
