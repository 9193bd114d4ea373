/** What commands print when they print names of files: which files these may be. */
import type { ShellCall } from '../shell/plan.js';
import type { ShellWord } from '../shell/tree.js';
import { sortArgs } from './flags.js';
import { findStarts } from './programs/files.js';
import { programRow } from './programs/index.js';
import { words } from './programs/program.js';

/** One file, or every file below a folder. */
export interface NamedPath {
  /** Shell wildcards stay; literal ones come escaped with a backslash. Relative to the folder of whoever uses it. */
  readonly path: string;
  /** The path or anything below it. */
  readonly below: boolean;
  /** A wildcard that the names below fit; null when any does. */
  readonly tail: string | null;
  /** Never begins with a dash. */
  readonly settled: boolean;
  /** Every file below is meant, not only some of them. */
  readonly whole: boolean;
}

/** `keeps`: passes on whole lines of its input. `silent`: prints nothing. Null: nobody knows. */
export type Listing = readonly NamedPath[] | 'keeps' | 'silent' | null;

/** Looks up a word of the command. */
export type WordLookup = (word: ShellWord) => readonly NamedPath[] | null;

const HERE: NamedPath = { path: '.', below: true, tail: null, settled: false, whole: true };
const SILENT = new Set([
  '',
  'read',
  'test',
  '[',
  'true',
  'false',
  ':',
  'cd',
  'sleep',
  'set',
  'continue',
  'break',
  'exit',
]);
const KEEPERS = new Set([
  'tac',
  'shuf',
  'sort',
  'uniq',
  'head',
  'tail',
  'cat',
  'grep',
  'egrep',
  'fgrep',
  'rg',
  'sed',
  'tr',
  'cut',
]);

/** What the command prints. */
export function outputOf(call: ShellCall, lookup: WordLookup): Listing {
  const { program, args } = call;
  if (program === null || call.doubt !== null) return null;
  if (SILENT.has(program)) return 'silent';
  if (program === 'find') return findNames(args, lookup);
  if (program === 'pwd') return foldersOf(call);
  return isTransparent(call) ? 'silent' : (LISTERS[program]?.(args, lookup) ?? filterOf(program, args));
}

/** What a wrapper runs prints by itself. */
function isTransparent(call: ShellCall): boolean {
  return call.wrapper?.idle === true && call.inner.length > 0;
}

function filterOf(program: string, args: readonly ShellWord[]): Listing {
  return KEEPERS.has(program) && keepsLines(program, args) ? 'keeps' : null;
}

function foldersOf(call: ShellCall): Listing {
  return call.cwds?.map((path) => ({ ...HERE, path, below: false, settled: true })) ?? null;
}

/** `find`: below its starts; its name tests say how the names look. */
function findNames(args: readonly ShellWord[], lookup: WordLookup): Listing {
  if (
    args.some(
      (word) => !word.literal && word.pieces.length === 1 && word.pieces[0]?.kind === 'dynamic' && word !== args[0],
    )
  )
    return null;
  if (args.some((word) => /^-(?:printf|ls|fls|fprint.*|files0-from)$/.test(word.value))) return null;
  const starts = findStarts(args)
    .filter((one) => !isReference(args, one.word))
    .map((one) => one.word);
  const tails = tailsOf(args);
  const bases = starts.map(lookup);
  if (bases.includes(null)) return null;
  const known = starts.length === 0 ? [{ ...HERE, settled: true }] : bases.flatMap((names) => names ?? []);
  return known.flatMap((base) => tails.map((tail) => ({ ...base, below: true, tail, whole: picksAll(args) })));
}

/** Tests of find that leave nothing of importance out. */
const STRUCTURAL =
  /^-(?:mindepth|maxdepth|type|exec|execdir|print0?|quit|xdev|mount|depth|d|delete|follow|noleaf|H|L|P)$/;

function picksAll(args: readonly ShellWord[]): boolean {
  const end = args.findIndex((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word.value));
  return (end < 0 ? args : args.slice(0, end)).every(
    (word) => !/^-[a-z]/.test(word.value) || STRUCTURAL.test(word.value),
  );
}

function isReference(args: readonly ShellWord[], word: ShellWord): boolean {
  return /^-(?:newer|anewer|cnewer|samefile)$/.test(args[args.indexOf(word) - 1]?.value ?? '');
}

function tailsOf(args: readonly ShellWord[]): (string | null)[] {
  const tails = args.filter((_word, at) => /^-i?(?:name|path|wholename|regex|lname)$/.test(args[at - 1]?.value ?? ''));
  return tails.length === 0 ? [null] : tails.map((word) => word.value);
}

const LISTERS: Readonly<Record<string, (args: readonly ShellWord[], lookup: WordLookup) => Listing | undefined>> = {
  __proto__: null as never,
  git: (args) => (listsTracked(args) ? [HERE] : null),
  ls: (args, lookup) =>
    args.some((word) => /^-[a-zA-Z]*[afRlgos]|^--/.test(word.value)) ? null : listed(args, lookup),
  fd: (args) =>
    args.some((word) => /^-[a-zA-Z]*[xXal]|^--(?:exec|absolute|list|base|search)/.test(word.value)) ? null : [HERE],
  rg: (args, lookup) => (namesOnly(args, /^-[a-zA-Z]*l[a-zA-Z]*$|^--files/) ? searched('rg', args, lookup) : undefined),
  dirname: (args, lookup) => cutNames(args, lookup, folderOf),
  basename: (args, lookup) => (args.length === 1 ? cutNames(args, lookup, lastOf) : null),
  grep: listsMatching,
  egrep: listsMatching,
  fgrep: listsMatching,
  echo: (args, lookup) =>
    spoken(
      args.filter((word) => !/^-[neE]+$/.test(word.value)),
      lookup,
    ),
  printf: (args, lookup) =>
    /^(?:%s(?:\\n|\\0| )?)+$/.test(args[0]?.value ?? '') ? spoken(args.slice(1), lookup) : null,
};

function listsTracked(args: readonly ShellWord[]): boolean {
  const [command, ...rest] = args.map((word) => word.value);
  if (command === 'ls-files')
    return !rest.some((word) => /^-[a-zA-Z]*[sutvf]|^--(?:stage|format|eol|debug|full-name|unmerged)/.test(word));
  return (
    /^(?:diff|show|log|diff-tree|ls-tree|grep)$/.test(command ?? '') &&
    rest.some((word) => /^(?:--name-only|-l|--files-with-matches)$/.test(word)) &&
    !rest.some((word) => /^--(?:stat|patch|format=.|pretty=.)|^-p$/.test(word))
  );
}

function listsMatching(args: readonly ShellWord[], lookup: WordLookup): Listing | undefined {
  return namesOnly(args, /^-[a-zA-Z]*[lL][a-zA-Z]*$|^--files-with(?:out)?-match(?:es)?$/)
    ? searched('grep', args, lookup)
    : undefined;
}

function namesOnly(args: readonly ShellWord[], form: RegExp): boolean {
  return args.some((word) => form.test(word.value));
}

/** Names of files among those that a search looks at; without any, those of its folder. */
function searched(program: string, args: readonly ShellWord[], lookup: WordLookup): Listing {
  const row = programRow(program)?.operands;
  if (row === undefined || typeof row === 'function') return null;
  const skip = row.skipInFlag?.some((flag) => args.some((word) => word.value === flag)) === true ? 0 : 1;
  return below(args, lookup, (row.valueFlags ?? []).join(' '), skip);
}

/** `ls` prints names without their folder, or words as they are given. */
function listed(args: readonly ShellWord[], lookup: WordLookup): Listing {
  const names = below(args, lookup, '-I -w -T');
  return names === null || typeof names === 'string' ? null : [HERE, ...names];
}

/** Everything below the operands, or below the folder when there are none. */
function below(args: readonly ShellWord[], lookup: WordLookup, valueFlags: string, skip = 0): Listing {
  const { operands } = sortArgs(args, words(valueFlags));
  const files = operands.slice(skip);
  if (files.length === 0) return [HERE];
  const out: NamedPath[] = [];
  for (const word of files) {
    const names = lookup(word);
    if (names === null) return null;
    for (const name of names) out.push({ ...name, below: true });
  }
  return out;
}

/** Words that are printed as they are; readers cut them at blanks. */
function spoken(args: readonly ShellWord[], lookup: WordLookup): Listing {
  const out: NamedPath[] = [];
  for (const word of args) {
    if (/[\s\\]/.test(word.value)) return null;
    const names = lookup(word);
    if (names === null) return null;
    out.push(...names);
  }
  return out.length === 0 ? null : out;
}

/** Names with a part of each taken. */
function cutNames(args: readonly ShellWord[], lookup: WordLookup, cut: (name: NamedPath) => NamedPath): Listing {
  const names = spoken(args, lookup);
  if (args.some((word) => word.value.startsWith('-')) || names === null || typeof names === 'string') return null;
  return names.map(cut);
}

/** The folder of a name; of one below a folder, any folder there or the one above. */
function folderOf(name: NamedPath): NamedPath {
  const bare = name.path.replace(/(?<=[^/])\/+$/, '');
  const at = bare.lastIndexOf('/');
  return { ...name, path: at < 0 ? '.' : bare.slice(0, at) || '/', tail: null };
}

/** The last part of a name. That of a folder's contents is not known. */
function lastOf(name: NamedPath): NamedPath {
  const bare = name.path.replace(/(?<=[^/])\/+$/, '');
  const path = bare.slice(bare.lastIndexOf('/') + 1);
  return name.below ? { ...HERE, tail: name.tail } : { ...name, path, settled: !path.startsWith('-') };
}

/** Flags with which a filter still passes on whole lines. */
const KEEPING: Readonly<Record<string, RegExp>> = {
  tac: /^$/,
  shuf: /^-(?:n|z)?\d*$/,
  sort: /^-[bdfgiMhnRrVukstz]+[\d,.a-z]*$/,
  uniq: /^-[uiz]+$/,
  head: /^-(?:n\d*|\d+|q|z)$/,
  tail: /^-(?:n\+?\d*|\d+|q|z)$/,
  cat: /^$/,
  grep: /^-[EFGPivwxasz]+$|^-e$/,
  egrep: /^-[EFGPivwxasz]+$|^-e$/,
  fgrep: /^-[EFGPivwxasz]+$|^-e$/,
  rg: /^-[FPivwxSs]+$|^-e$/,
};
/** Operands that are no files. */
const TAKEN: Readonly<Record<string, number>> = { grep: 1, egrep: 1, fgrep: 1, rg: 1 };

/** `-d: -f1` keeps the front of a line, which is still a path below the same folder; not when cut at slashes. */
const FIRST_FIELD = /^-d ?[^/ ] -f ?1$|^-f ?1 -d ?[^/ ]$/;
const ZEROES = /^(?:\\n \\0|\\0 \\n|\\n \\000)$/;
const LINES = /^(?:-n )?\d+(?:,(?:\d+|\$))?[pdq]$/;

function keepsLines(program: string, args: readonly ShellWord[]): boolean {
  const text = args.map((word) => word.value).join(' ');
  if (!args.every((word) => word.literal)) return false;
  if (program === 'cut') return FIRST_FIELD.test(text);
  if (program === 'tr') return ZEROES.test(text);
  if (program === 'sed') return LINES.test(text);
  const { flags, operands, values } = sortArgs(args, ['-n', '-k', '-t', '-e']);
  const taken = values.has('-e') ? 0 : (TAKEN[program] ?? 0);
  return operands.length <= taken && flags.every((flag) => KEEPING[program]?.test(flag) === true);
}
