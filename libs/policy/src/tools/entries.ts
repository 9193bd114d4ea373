/** Short ways to write manifest entries that many agents share: searching folders, reading and writing files, running commands. */
import type { JsonSchema, SchemaType } from './json-schema.js';
import type { PathArgument, ToolEntry } from './manifest.js';

/** A schema that checks the types of known arguments and lets others pass: agents add arguments with every version. */
export function argumentsSchema(
  types: Readonly<Record<string, SchemaType | JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const [name, type] of Object.entries(types)) properties[name] = typeof type === 'string' ? { type } : type;
  return { type: 'object', properties, required };
}

type More = Partial<ToolEntry>;

/** A tool that reads the file at `path`. */
export function fileReader(path: Omit<PathArgument, 'access'>, more: More = {}): ToolEntry {
  return {
    kind: 'read',
    known: true,
    domain: 'filesystem',
    family: 'Read',
    paths: [{ ...path, access: 'read' }],
    concurrency: true,
    ...more,
  };
}

/** A tool that reads everything below the folder at `path`; without one, below the working folder. */
export function folderReader(path: Omit<PathArgument, 'access'>, more: More = {}): ToolEntry {
  return fileReader({ ...path, recursive: true, defaultsToCwd: true }, more);
}

/** A tool that writes the file at `path`. Stopped half-way it might leave half a file, so it finishes. */
export function fileWriter(path: Omit<PathArgument, 'access'>, more: More = {}): ToolEntry {
  return {
    kind: 'write',
    known: true,
    domain: 'filesystem',
    family: 'Edit',
    paths: [{ ...path, access: 'write' }],
    interrupt: 'block',
    ...more,
  };
}

/** A tool that runs the POSIX command line in `name`. Command lines that only read may run beside others. */
export function shell(name: string, more: More = {}): ToolEntry {
  return {
    kind: 'command',
    known: true,
    domain: 'shell',
    command: { name, shell: 'posix' },
    interrupt: 'block',
    concurrency: { when: { arg: name, readOnlyShell: true } },
    ...more,
  };
}

/** A tool that fetches or searches the web. */
export function web(more: More): ToolEntry {
  return { kind: 'network', known: true, domain: 'web', concurrency: true, ...more };
}

/** A tool that starts another agent. */
export function agentStarter(more: More): ToolEntry {
  return { kind: 'agent', known: true, domain: 'agent', interrupt: 'block', ...more };
}

/** A tool that is a question to the user. */
export function question(more: More = {}): ToolEntry {
  return {
    kind: 'interaction',
    known: true,
    domain: 'conversation',
    interrupt: 'block',
    requiresUserInteraction: true,
    ...more,
  };
}

/** A tool that touches nothing outside of the agent's own conversation. */
export function bookkeeping(more: More = {}): ToolEntry {
  return { kind: 'other', known: true, domain: 'conversation', harmless: true, ...more };
}

/** The `apply_patch` of Codex (`command`) and of OpenCode (`patchText`): one text that names its files itself. */
export const APPLY_PATCH: ToolEntry = {
  kind: 'write',
  known: true,
  domain: 'filesystem',
  family: 'Edit',
  patch: { name: 'command', otherNames: ['patchText'] },
  interrupt: 'block',
  schema: argumentsSchema({ command: 'string', patchText: 'string' }),
};

/** The file search of Gemini CLI (`dir_path`) and of OpenCode (`path`). */
export const GLOB: ToolEntry = folderReader(
  { name: 'path', otherNames: ['dir_path'] },
  {
    aliases: ['Glob'],
    patterns: [{ name: 'pattern', access: 'read', base: 'path', baseOtherNames: ['dir_path'] }],
    schema: argumentsSchema({ pattern: 'string', path: 'string', dir_path: 'string' }, ['pattern']),
  },
);

/** The `Bash` of Claude Code, and of Codex, which sends a part of its arguments. */
export const BASH: ToolEntry = shell('command', {
  schema: argumentsSchema(
    {
      command: 'string',
      description: 'string',
      timeout: 'number',
      run_in_background: 'boolean',
      dangerouslyDisableSandbox: 'boolean',
    },
    ['command'],
  ),
});
