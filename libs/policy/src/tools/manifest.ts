/** What the engine knows of tools by name: their kind, and where paths, commands and addresses stand in their arguments. */
import type { ToolKind } from '@countersign/contracts';
import type { JsonSchema } from './json-schema.js';
import type { ArgumentPredicate } from './predicate.js';

/**
 * Where a value stands in the arguments: `file_path` at the top, `target.path` below, `edits[].new_string` in every item
 * of a list. A plain name is the usual case.
 */
export type ArgumentPlace = string;

/** One path argument: its name, what happens to the file, and whether everything below it is touched. */
export interface PathArgument {
  readonly name: ArgumentPlace;
  readonly access: 'read' | 'write';
  readonly recursive?: true;
  /** Used when the argument is absent: the working folder is meant. */
  readonly defaultsToCwd?: true;
  /** May be absent; then no file is meant. */
  readonly optional?: true;
  /** Other spellings of the same argument, of other versions of the tool. At most one of all may be given. */
  readonly otherNames?: readonly ArgumentPlace[];
}

/** A wildcard over files. `base` is the path argument that it starts from; absent: the working folder. */
export interface PatternArgument {
  readonly name: ArgumentPlace;
  readonly access: 'read' | 'write';
  readonly base?: ArgumentPlace;
  readonly baseOtherNames?: readonly ArgumentPlace[];
  readonly optional?: true;
}

/** A patch in one text that names several files itself, in the form of `apply_patch`. At most one spelling may be given. */
export interface PatchArgument {
  readonly name: ArgumentPlace;
  readonly otherNames?: readonly ArgumentPlace[];
}

/** The rule family whose path rules also govern this tool: `Edit(…)` all writers, `Read(…)` all readers. */
export type ToolFamily = 'Edit' | 'Read';

/** What a running tool does when its user cancels: stop at once, or finish first. */
export type InterruptBehaviour = 'cancel' | 'block';

/** May calls of this tool run beside others? True: always; `when`: if the arguments say so. Absent in an entry: never. */
export type ConcurrencyRule = true | { readonly when: ArgumentPredicate };

/** What whoever runs the tool must keep to. Seconds, and characters of output. */
export interface ToolObligations {
  readonly timeoutSeconds?: number;
  readonly maxTimeoutSeconds?: number;
  readonly maxOutputCharacters?: number;
}

/** One tool. `known` is false for a name that no manifest lists. */
export interface ToolEntry {
  readonly kind: ToolKind;
  readonly known: boolean;
  /** False: listed, but switched off. */
  readonly enabled?: false | undefined;
  /** Where the tool belongs, for people: `filesystem`, `astro/paper`. */
  readonly domain?: string | undefined;
  readonly family?: ToolFamily | undefined;
  readonly paths?: readonly PathArgument[] | undefined;
  readonly patterns?: readonly PatternArgument[] | undefined;
  readonly patch?: PatchArgument | undefined;
  readonly command?: { readonly name: string; readonly shell: 'posix' | 'powershell' } | undefined;
  /** The folder that a command starts in; absent in the arguments: the session's. */
  readonly workingFolder?: ArgumentPlace | undefined;
  readonly url?: string | undefined;
  /** Prose that may hold addresses. */
  readonly urlsWithin?: ArgumentPlace | undefined;
  /** The text that would be written; all places together are one file's. */
  readonly content?: readonly ArgumentPlace[] | undefined;
  /** Most bytes of UTF-8 that one file may be given. */
  readonly maxFileSize?: number | undefined;
  /** Arguments that `Tool(text)` rules compare: an agent's type, a skill's name. */
  readonly named?: readonly string[] | undefined;
  /** Touches nothing outside of the agent's own conversation. */
  readonly harmless?: true | undefined;
  /** Other names of the same tool, which rules may use. */
  readonly aliases?: readonly string[] | undefined;
  /** What the arguments must look like. */
  readonly schema?: JsonSchema | undefined;
  readonly interrupt?: InterruptBehaviour | undefined;
  readonly concurrency?: ConcurrencyRule | undefined;
  /** When a call fails, the calls that run beside it are stopped. */
  readonly causesSiblingAbort?: true | undefined;
  /** Cannot run without a person, whatever the mode. */
  readonly requiresUserInteraction?: true | undefined;
  readonly obligations?: ToolObligations | undefined;
}

/** A set of tools by name. An entry named ANY_MCP_TOOL stands for every tool of an MCP server without one of its own. */
export type ToolManifest = ReadonlyMap<string, ToolEntry>;

/** The name under which a manifest describes MCP tools that it does not list. */
export const ANY_MCP_TOOL = 'mcp__*';

/** The same entry with every field named, so that all entries are alike to whoever reads them often. */
function uniformEntry(entry: ToolEntry): ToolEntry {
  return {
    kind: entry.kind,
    known: entry.known,
    enabled: entry.enabled,
    domain: entry.domain,
    family: entry.family,
    paths: entry.paths,
    patterns: entry.patterns,
    patch: entry.patch,
    command: entry.command,
    workingFolder: entry.workingFolder,
    url: entry.url,
    urlsWithin: entry.urlsWithin,
    content: entry.content,
    maxFileSize: entry.maxFileSize,
    named: entry.named,
    harmless: entry.harmless,
    aliases: entry.aliases,
    schema: entry.schema,
    interrupt: entry.interrupt,
    concurrency: entry.concurrency,
    causesSiblingAbort: entry.causesSiblingAbort,
    requiresUserInteraction: entry.requiresUserInteraction,
    obligations: entry.obligations,
  };
}

/** The manifest with all its entries alike. */
export function uniformManifest(manifest: ToolManifest): ToolManifest {
  return new Map([...manifest].map(([name, entry]) => [name, uniformEntry(entry)]));
}

const UNKNOWN = uniformEntry({ kind: 'other', known: false });
const MCP = uniformEntry({ kind: 'other', known: true });

/** The entry of a tool; never absent: an MCP tool and an unknown one have generic entries. */
export function toolEntry(manifest: ToolManifest, tool: string): ToolEntry {
  const own = manifest.get(tool);
  if (own !== undefined) return own;
  return tool.startsWith('mcp__') ? (manifest.get(ANY_MCP_TOOL) ?? MCP) : UNKNOWN;
}

/** The argument that says most about a call of this tool, for people and short rules; null when none does. */
export function keyArgument(entry: ToolEntry): ArgumentPlace | null {
  const files = [...(entry.paths ?? []), entry.patch, ...(entry.patterns ?? [])];
  const places = [entry.command?.name, ...files.map((file) => file?.name), entry.url, entry.urlsWithin];
  return [...places, ...(entry.named ?? [])].find((place) => place !== undefined) ?? null;
}
