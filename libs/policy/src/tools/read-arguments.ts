/** Reads what a call names in its arguments, as its manifest entry says: files, command, addresses, and how much would be written. */
import { utf8Length } from '@countersign/contracts';
import { isAbsent, valuesAt } from './argument-places.js';
import type { ArgumentPlace, PathArgument, PatternArgument, ToolEntry } from './manifest.js';
import { readPatchPaths } from './patch-paths.js';

/**
 * One file that the arguments name. `path` is as given: relative to `base` (as given) when that is set, else to the working
 * folder; null: only the running tool knows. `pattern` is the wildcard that `path` is the fixed beginning of.
 */
export interface NamedFile {
  readonly text: string;
  readonly path: string | null;
  readonly base: string | null;
  readonly pattern: string | null;
  readonly access: 'read' | 'write';
  readonly recursive: boolean;
}

/** An address. `plain` false: found in prose, so that there may be others. */
export interface NamedAddress {
  readonly text: string;
  readonly plain: boolean;
}

/** What a call names. With any `problems` (plain sentences) it cannot be judged. `largestContent` is in bytes of UTF-8. */
export interface NamedThings {
  readonly files: readonly NamedFile[];
  readonly command: string | null;
  readonly workingFolder: string | null;
  readonly addresses: readonly NamedAddress[];
  readonly largestContent: number;
  readonly problems: readonly string[];
}

type Arguments = Readonly<Record<string, unknown>>;

interface Draft {
  readonly args: Arguments;
  readonly files: NamedFile[];
  readonly addresses: NamedAddress[];
  readonly problems: string[];
  largestContent: number;
}

/** Reads the arguments. Total. Relative paths stay relative; `cwd` (as given, or null) is named where an absent path means it. */
export function readArguments(entry: ToolEntry, args: Arguments, cwd: string | null): NamedThings {
  const draft: Draft = { args, files: [], addresses: [], problems: [], largestContent: 0 };
  for (const path of entry.paths ?? []) addPaths(draft, path, cwd);
  for (const pattern of entry.patterns ?? []) addPatterns(draft, pattern);
  if (entry.patch !== undefined) addPatch(draft, [entry.patch.name, ...(entry.patch.otherNames ?? [])]);
  addContent(draft, entry.content ?? []);
  addAddresses(draft, entry);
  const command = entry.command === undefined ? null : requiredText(draft, entry.command.name);
  const workingFolder = folderOf(draft, entry.workingFolder);
  // A folder to work in is guarded like a file that is read.
  if (workingFolder !== null) {
    draft.files.push({
      text: workingFolder,
      path: workingFolder,
      base: null,
      pattern: null,
      access: 'read',
      recursive: false,
    });
  }
  const { files, addresses, largestContent, problems } = draft;
  return { files, command, workingFolder, addresses, largestContent, problems };
}

function requiredText(draft: Draft, name: string): string | null {
  const value = Object.hasOwn(draft.args, name) ? draft.args[name] : undefined;
  if (typeof value === 'string') return value;
  draft.problems.push(`\`${name}\` must be text`);
  return null;
}

/** The one spelling that is given. Two at once are a problem: who reads which is not known. */
function givenName(draft: Draft, names: readonly ArgumentPlace[]): ArgumentPlace | null {
  const given = names.filter((name) => !isAbsent(draft.args, name));
  if (given.length > 1) draft.problems.push(`${given.map((name) => `\`${name}\``).join(' and ')} are given at once`);
  return given[0] ?? null;
}

function addPaths(draft: Draft, argument: PathArgument, cwd: string | null): void {
  const name = givenName(draft, [argument.name, ...(argument.otherNames ?? [])]);
  const { access } = argument;
  const base = { base: null, pattern: null, access, recursive: argument.recursive === true };
  if (name === null) {
    if (argument.defaultsToCwd === true) draft.files.push({ text: cwd ?? argument.name, path: cwd, ...base });
    else if (argument.optional !== true) draft.problems.push(`\`${argument.name}\` must be a path`);
    return;
  }
  for (const path of pathTexts(draft, name)) draft.files.push({ text: path, path, ...base });
}

/** The texts at a place, each fit to be a path. */
function pathTexts(draft: Draft, place: ArgumentPlace): string[] {
  const { values, missing } = valuesAt(draft.args, place);
  const texts = values.filter((value): value is string => isPathText(value));
  if (missing || texts.length < values.length) draft.problems.push(`\`${place}\` must be a path`);
  return texts;
}

function isPathText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

function addPatterns(draft: Draft, argument: PatternArgument): void {
  if (isAbsent(draft.args, argument.name)) {
    if (argument.optional !== true) draft.problems.push(`\`${argument.name}\` must be a path`);
    return;
  }
  const bases = argument.base === undefined ? [] : [argument.base, ...(argument.baseOtherNames ?? [])];
  const baseName = bases.find((name) => !isAbsent(draft.args, name));
  const base = baseName === undefined ? null : valuesAt(draft.args, baseName).values[0];
  for (const pattern of pathTexts(draft, argument.name)) {
    draft.files.push({
      text: pattern,
      path: fixedBeginning(pattern),
      base: typeof base === 'string' ? base : null,
      pattern,
      access: argument.access,
      recursive: true,
    });
  }
}

/**
 * The folder that a wildcard cannot leave: its segments before the first with a wildcard. Null when it can: `..` (or
 * what may match it) or another start behind a wildcard, or a backslash, which is an escape to some readers and a separator to others.
 */
export function fixedBeginning(pattern: string): string | null {
  if (pattern.includes('\\')) return null;
  const segments = pattern.split('/');
  const wild = segments.findIndex((segment) => /[*?[\]{}()!@+|]/.test(segment));
  if (wild < 0) return pattern;
  const rest = segments.slice(wild).join('/');
  if (rest.includes('..') || /[{,|(][/~]/.test(rest) || /(?:^|\/)\.[*?[][^/]*\//.test(rest)) return null;
  const folder = segments.slice(0, wild).join('/');
  if (folder !== '') return folder;
  return pattern.startsWith('/') ? '/' : '.';
}

function addPatch(draft: Draft, names: readonly ArgumentPlace[]): void {
  const name = givenName(draft, names);
  const value = name === null ? undefined : valuesAt(draft.args, name).values[0];
  if (typeof value !== 'string') {
    draft.problems.push(`\`${name ?? names[0] ?? ''}\` must be text`);
    return;
  }
  const reading = readPatchPaths(value);
  if (!reading.ok) {
    draft.problems.push(`the patch is not understood: line ${String(reading.line)}: ${reading.message}`);
    return;
  }
  for (const { path, addedBytes } of reading.files) {
    draft.files.push({ text: path, path, base: null, pattern: null, access: 'write', recursive: false });
    draft.largestContent = Math.max(draft.largestContent, addedBytes);
  }
}

function addContent(draft: Draft, places: readonly ArgumentPlace[]): void {
  let bytes = 0;
  for (const place of places) {
    if (isAbsent(draft.args, place)) continue;
    const { values, missing } = valuesAt(draft.args, place);
    // Something else than text is counted by nobody, so it is not let through as small.
    if (missing || !values.every((value) => typeof value === 'string'))
      draft.problems.push(`\`${place}\` must be text`);
    for (const value of values) bytes += typeof value === 'string' ? utf8Length(value) : 0;
  }
  draft.largestContent = Math.max(draft.largestContent, bytes);
}

function addAddresses(draft: Draft, entry: ToolEntry): void {
  if (entry.url !== undefined) {
    const text = requiredText(draft, entry.url);
    if (text !== null) draft.addresses.push({ text, plain: true });
  }
  if (entry.urlsWithin === undefined || isAbsent(draft.args, entry.urlsWithin)) return;
  for (const prose of valuesAt(draft.args, entry.urlsWithin).values) {
    if (typeof prose !== 'string') draft.problems.push(`\`${entry.urlsWithin}\` must be text`);
    else for (const text of addressesIn(prose)) draft.addresses.push({ text, plain: false });
  }
}

const MAX_ADDRESSES = 100;

function addressesIn(prose: string): string[] {
  const found = prose.match(/\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s<>"'`)\]}]+/giu) ?? [];
  return found.slice(0, MAX_ADDRESSES).map((text) => text.replace(/[.,;:!?]+$/, ''));
}

function folderOf(draft: Draft, place: ArgumentPlace | undefined): string | null {
  if (place === undefined || isAbsent(draft.args, place)) return null;
  return pathTexts(draft, place)[0] ?? null;
}
