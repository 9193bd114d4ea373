/** Checks a manifest: can it be read, and does it say something that its author will hardly have meant? */
import type { ToolKind } from '@countersign/contracts';
import type { core } from 'zod';
import { nearest } from '../documents/suggest.js';
import { at, isTable } from './json-schema.js';
import { ANY_MCP_TOOL, type ToolEntry, type ToolManifest } from './manifest.js';
import {
  buildManifest,
  commandArgumentSchema,
  patchArgumentSchema,
  pathArgumentSchema,
  patternArgumentSchema,
  toolInputSchema,
  toolManifestSchema,
  type ToolInput,
} from './manifest-document.js';

/** A finding. `path` is dotted from the list of tools (`2.paths.0.name`), or begins with the tool's name in `lintManifest`. */
export interface ManifestFinding {
  readonly path: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** The manifest with its warnings, or why it cannot be used. */
export type ManifestResult =
  | { readonly ok: true; readonly manifest: ToolManifest; readonly warnings: readonly ManifestFinding[] }
  | { readonly ok: false; readonly problems: readonly ManifestFinding[] };

const MAX_FINDINGS = 100;

/** Reads a manifest as somebody wrote it (a decoded list). Total. */
export function validateManifest(input: unknown): ManifestResult {
  const parsed = toolManifestSchema.safeParse(input);
  if (!parsed.success) {
    const found = parsed.error.issues.flatMap((issue) => findingsOfIssue(input, issue));
    const problems = found.filter((one) => !isEcho(one, found));
    return { ok: false, problems: problems.slice(0, MAX_FINDINGS) };
  }
  const problems = overlaps(parsed.data);
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, MAX_FINDINGS) };
  const manifest = buildManifest(parsed.data);
  return { ok: true, manifest, warnings: lintManifest(manifest).slice(0, MAX_FINDINGS) };
}

/** A field that is missing because another one is misspelt is told once. */
function isEcho(finding: ManifestFinding, all: readonly ManifestFinding[]): boolean {
  const cut = finding.path.lastIndexOf('.');
  const parent = finding.path.slice(0, cut + 1);
  return (
    finding.suggestion === undefined &&
    all.some((one) => one.suggestion === finding.path.slice(cut + 1) && one.path.startsWith(parent))
  );
}

/** Names that two tools claim. Two tools may share an alias with each other only when they are of one kind. */
function overlaps(inputs: readonly ToolInput[]): ManifestFinding[] {
  const found: ManifestFinding[] = [];
  const places = new Map<string, number>();
  inputs.forEach(({ name }, place) => {
    if (places.has(name))
      found.push({ path: `${String(place)}.name`, message: `the tool \`${name}\` is listed twice` });
    else places.set(name, place);
  });
  inputs.forEach((input, place) => {
    (input.aliases ?? []).forEach((alias, number) => {
      const path = `${String(place)}.aliases.${String(number)}`;
      const other = inputs[places.get(alias) ?? -1];
      if (alias === input.name) found.push({ path, message: `\`${alias}\` is the tool's own name` });
      else if (other !== undefined && other.kind !== input.kind) {
        found.push({ path, message: `\`${alias}\` is another tool, of kind \`${other.kind}\`` });
      }
    });
  });
  return found;
}

/** Warnings about a manifest that can be used. `path` begins with the tool's name. */
export function lintManifest(manifest: ToolManifest): ManifestFinding[] {
  const found: ManifestFinding[] = [];
  for (const [name, entry] of manifest) {
    for (const [field, message] of warningsOf(name, entry)) found.push({ path: at(name, field), message });
  }
  return [...found, ...lookAlikes(manifest)];
}

function warningsOf(name: string, entry: ToolEntry): [field: string, message: string][] {
  if (name === ANY_MCP_TOOL) return [];
  return [...warningsOfRunning(entry), ...warningsOfPlaces(entry)];
}

/** Kinds whose calls reach out of the agent's own conversation. */
const REACHING: ReadonlySet<ToolKind> = new Set(['write', 'command', 'network', 'agent']);

function warningsOfRunning(entry: ToolEntry): [field: string, message: string][] {
  const found: [string, string][] = [];
  const changes = entry.kind === 'write' || entry.kind === 'command';
  if (entry.kind === 'write' && entry.interrupt !== 'block') {
    found.push(['interrupt', 'a writing tool that is stopped half-way may leave half a file: `block` lets it finish']);
  }
  if (changes && entry.concurrency === true) {
    found.push(['concurrencySafe', `calls of a tool of kind \`${entry.kind}\` would always run beside others`]);
  }
  if (entry.harmless === true && REACHING.has(entry.kind)) {
    found.push(['harmless', `a tool of kind \`${entry.kind}\` is allowed without a question`]);
  }
  return found;
}

function warningsOfPlaces(entry: ToolEntry): [field: string, message: string][] {
  const found: [string, string][] = [];
  const hasFiles = [entry.paths, entry.patterns, entry.patch].some((one) => one !== undefined);
  if (entry.kind === 'write' && !hasFiles) found.push(['paths', 'a writing tool of which nobody knows the files']);
  if (entry.kind === 'command' && entry.command === undefined) {
    found.push(['command', 'a command tool of which nobody knows the command line']);
  }
  if (entry.maxFileSize !== undefined && entry.content === undefined && entry.patch === undefined) {
    found.push(['maxFileSize', 'has no effect without `content`']);
  }
  for (const name of placesUnknownToSchema(entry)) {
    found.push(['schema', `refuses \`${name}\`, which the manifest reads`]);
  }
  return found;
}

function placesUnknownToSchema(entry: ToolEntry): string[] {
  const { schema } = entry;
  if (typeof schema !== 'object' || schema.additionalProperties !== false) return [];
  const places = [
    ...(entry.paths ?? []).map((path) => path.name),
    ...(entry.patterns ?? []).map((pattern) => pattern.name),
    ...(entry.content ?? []),
    ...[entry.patch?.name, entry.command?.name, entry.url, entry.urlsWithin, entry.workingFolder],
  ].filter((place) => place !== undefined);
  const names = new Set(places.map((place) => (place.split('.')[0] ?? '').replace(/\[\]$/, '')));
  return [...names].filter((name) => !Object.hasOwn(schema.properties ?? {}, name));
}

/** Names that a reader takes for one another: the same but for case, `-` and `_`. */
function lookAlikes(manifest: ToolManifest): ManifestFinding[] {
  const found: ManifestFinding[] = [];
  const seen = new Map<string, string>();
  for (const name of manifest.keys()) {
    const folded = name.toLowerCase().replace(/[-_]/g, '');
    const other = seen.get(folded);
    if (other === undefined) seen.set(folded, name);
    else found.push({ path: name, message: `easily mixed up with \`${other}\`` });
  }
  return found;
}

const NESTED_KEYS: Readonly<Record<string, readonly string[]>> = {
  paths: Object.keys(pathArgumentSchema.shape),
  patterns: Object.keys(patternArgumentSchema.shape),
  patch: Object.keys(patchArgumentSchema.shape),
  command: Object.keys(commandArgumentSchema.shape),
  concurrencySafe: ['when'],
};
const TOOL_KEYS = Object.keys(toolInputSchema.shape);

function findingsOfIssue(input: unknown, issue: core.$ZodIssue): ManifestFinding[] {
  const steps = issue.path.map(String);
  const path = steps.join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = NESTED_KEYS[steps[1] ?? ''] ?? TOOL_KEYS;
    return issue.keys.map((key) => ({ path: at(path, key), message: `unknown field \`${key}\``, ...near(key, known) }));
  }
  if (issue.code === 'invalid_union') {
    const [branch] = issue.errors.map((errors) => errors[0]).filter((one) => one !== undefined && one.path.length > 0);
    const meant = branch ?? issue.errors.flat().find((one) => one.code === 'unrecognized_keys');
    if (meant !== undefined) return findingsOfIssue(input, { ...meant, path: [...issue.path, ...meant.path] });
  }
  return [{ path, ...messageOf(issue, valueAtPath(input, steps)) }];
}

function messageOf(issue: core.$ZodIssue, found: unknown): { message: string; suggestion?: string } {
  switch (issue.code) {
    case 'invalid_type':
      return {
        message: found === undefined ? 'is missing' : `expected ${TYPE_NAMES[issue.expected] ?? issue.expected}`,
      };
    case 'invalid_value': {
      const values = issue.values.map(String);
      return { message: `expected ${values.map((one) => `\`${one}\``).join(' or ')}`, ...near(found, values) };
    }
    case 'too_big':
      return { message: `more than ${String(issue.maximum)}` };
    case 'too_small':
      return { message: `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${String(issue.minimum)}` };
    case 'invalid_union':
      return { message: 'expected `true`, `false` or a table with `when`' };
    default:
      return { message: issue.message };
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a list',
  object: 'a table',
};

function near(input: unknown, known: readonly string[]): { suggestion?: string } {
  const suggestion = typeof input === 'string' ? nearest(input, known) : undefined;
  return suggestion === undefined ? {} : { suggestion };
}

function valueAtPath(input: unknown, steps: readonly string[]): unknown {
  let value = input;
  for (const step of steps) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isTable(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}
