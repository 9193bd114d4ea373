/** A manifest as people write it in a policy document: a list of tools, with short forms for what is usual. */
import { toolKindSchema } from '@countersign/contracts';
import { z } from 'zod';
import { isPlace } from './argument-places.js';
import { checkPredicate } from './check-predicate.js';
import { checkSchema, type JsonSchema, type SchemaProblem } from './json-schema.js';
import type { ConcurrencyRule, ToolEntry, ToolFamily, ToolManifest } from './manifest.js';
import type { ArgumentPredicate } from './predicate.js';

const MAX_TOOLS = 500;
/** INVARIANT: a name that rules can write: no brackets, commas or blanks; a star only in `mcp__*`. */
const TOOL_NAME = /^(?:mcp__\*|[^\s(),*]{1,200})$/;

/** Checks a value by a function of our own and keeps it as it is. */
function checkedBy<T>(check: (value: unknown) => readonly SchemaProblem[]): z.ZodType<T> {
  return z.unknown().superRefine((value, context) => {
    for (const { path, message } of check(value)) {
      context.addIssue({ code: 'custom', message, path: path === '' ? [] : path.split('.') });
    }
  }) as unknown as z.ZodType<T>;
}

const placeSchema = z
  .string()
  .max(500)
  .refine(isPlace, 'expected the place of an argument, as `path` or `edits[].path`');
const nameSchema = z.string().regex(TOOL_NAME, 'expected a name without blanks, brackets, commas and stars');
const argumentName = z.string().min(1).max(200);
const accessSchema = z.enum(['read', 'write']);
const count = z.number().int().positive();

/** One path argument. */
export const pathArgumentSchema = z.strictObject({
  name: placeSchema,
  access: accessSchema,
  recursive: z.literal(true).exactOptional(),
  defaultsToCwd: z.literal(true).exactOptional(),
  optional: z.literal(true).exactOptional(),
  otherNames: z.array(placeSchema).max(10).exactOptional(),
});
/** One wildcard argument. */
export const patternArgumentSchema = z.strictObject({
  name: placeSchema,
  access: accessSchema,
  base: placeSchema.exactOptional(),
  baseOtherNames: z.array(placeSchema).max(10).exactOptional(),
  optional: z.literal(true).exactOptional(),
});
/** The argument that holds an `apply_patch` text. */
export const patchArgumentSchema = z.strictObject({
  name: placeSchema,
  otherNames: z.array(placeSchema).max(10).exactOptional(),
});
/** The argument that holds a command line. */
export const commandArgumentSchema = z.strictObject({
  name: argumentName,
  shell: z.enum(['posix', 'powershell']).default('posix'),
});

/**
 * One tool as written. `keyArg` is the short form of the one argument that counts: the path of a reader or writer, the command
 * line, the address, or for the other kinds what `Tool(text)` rules compare. `maxFileSize` is in bytes of UTF-8.
 */
export const toolInputSchema = z.strictObject({
  name: nameSchema,
  kind: toolKindSchema.default('other'),
  enabled: z.boolean().default(true),
  domain: z.string().min(1).max(200).exactOptional(),
  keyArg: argumentName.exactOptional(),
  paths: z.array(pathArgumentSchema).max(20).exactOptional(),
  patterns: z.array(patternArgumentSchema).max(20).exactOptional(),
  patch: patchArgumentSchema.exactOptional(),
  command: commandArgumentSchema.exactOptional(),
  workingFolder: placeSchema.exactOptional(),
  url: argumentName.exactOptional(),
  urlsWithin: placeSchema.exactOptional(),
  content: z.array(placeSchema).max(20).exactOptional(),
  maxFileSize: count.exactOptional(),
  named: z.array(argumentName).max(20).exactOptional(),
  aliases: z.array(nameSchema).max(20).exactOptional(),
  harmless: z.boolean().default(false),
  schema: checkedBy<JsonSchema>(checkSchema).exactOptional(),
  interrupt: z.enum(['cancel', 'block']).exactOptional(),
  concurrencySafe: z
    .union([z.boolean(), z.strictObject({ when: checkedBy<ArgumentPredicate>(checkPredicate) })])
    .default(false),
  causesSiblingAbort: z.boolean().default(false),
  requiresUserInteraction: z.boolean().default(false),
  timeoutSeconds: count.exactOptional(),
  maxTimeoutSeconds: count.exactOptional(),
  maxOutputCharacters: count.exactOptional(),
});
/** A tool with its defaults filled in. */
export type ToolInput = z.infer<typeof toolInputSchema>;

/** A manifest as written. */
export const toolManifestSchema = z.array(toolInputSchema).max(MAX_TOOLS);

/** The manifest that the engine reads. Of two tools with one name the last stays; `validateManifest` refuses them before. */
export function buildManifest(inputs: readonly ToolInput[]): ToolManifest {
  return new Map(inputs.map((input) => [input.name, buildEntry(input)]));
}

function buildEntry(input: ToolInput): ToolEntry {
  const places = { ...placesOfKey(input), ...defined(pick(input, PLACES)) };
  const entry: ToolEntry = {
    kind: input.kind,
    known: true,
    ...places,
    ...defined(pick(input, PLAIN)),
    ...flags(input),
    ...defined({ concurrency: concurrencyOf(input) }),
  };
  const family = familyOf(entry);
  const obligations = defined(pick(input, OBLIGATIONS));
  return {
    ...entry,
    ...(family === null ? {} : { family }),
    ...(Object.keys(obligations).length === 0 ? {} : { obligations }),
  };
}

const PLACES = ['paths', 'patterns', 'patch', 'command', 'url', 'named'] as const;
const PLAIN = [
  'domain',
  'workingFolder',
  'urlsWithin',
  'content',
  'maxFileSize',
  'aliases',
  'schema',
  'interrupt',
] as const;
const OBLIGATIONS = ['timeoutSeconds', 'maxTimeoutSeconds', 'maxOutputCharacters'] as const;

/** A tool of a kind that governs files also obeys `Read(…)` or `Edit(…)` rules. */
function familyOf(entry: ToolEntry): ToolFamily | null {
  if (entry.paths === undefined && entry.patterns === undefined && entry.patch === undefined) return null;
  if (entry.kind === 'read') return 'Read';
  return entry.kind === 'write' ? 'Edit' : null;
}

function placesOfKey(input: ToolInput): Partial<ToolEntry> {
  const name = input.keyArg;
  if (name === undefined) return {};
  switch (input.kind) {
    case 'read':
    case 'write':
      return { paths: [{ name, access: input.kind }] };
    case 'command':
      return { command: { name, shell: 'posix' } };
    case 'network':
      return { url: name };
    case 'interaction':
    case 'agent':
    case 'other':
      return { named: [name] };
    default:
      return unreachable(input.kind);
  }
}

function unreachable(kind: never): Partial<ToolEntry> {
  return { named: [String(kind)] };
}

function flags(input: ToolInput): Partial<ToolEntry> {
  return {
    ...(input.enabled ? {} : { enabled: false }),
    ...(input.harmless ? { harmless: true } : {}),
    ...(input.causesSiblingAbort ? { causesSiblingAbort: true } : {}),
    ...(input.requiresUserInteraction ? { requiresUserInteraction: true } : {}),
  };
}

function concurrencyOf(input: ToolInput): ConcurrencyRule | undefined {
  const { concurrencySafe } = input;
  if (typeof concurrencySafe === 'object') return concurrencySafe;
  return concurrencySafe ? true : undefined;
}

function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>;
}

/** The members that have a value. */
type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(from: T): Defined<T> {
  return Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined)) as Defined<T>;
}
