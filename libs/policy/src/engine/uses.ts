/** The files that a call would touch, from its arguments and from its command line. */
import { operandsOf } from '../commands/operands.js';
import { joinGiven } from '../paths/normalise.js';
import type { ShellCall, ShellPlan } from '../shell/plan.js';
import type { ShellWord } from '../shell/tree.js';
import { hasGlob, pathsOfWord, plainPath } from '../shell/word-paths.js';
import type { ToolEntry } from '../tools/manifest.js';

/** One file, or a set of files under a shell wildcard. */
export interface PathUse {
  /** As people see it. */
  readonly text: string;
  /** Absolute, as given, nothing resolved: the key of its evidence. Null: only the running shell knows. */
  readonly key: string | null;
  /** With shell wildcards (escaped where literal); null when there are none. */
  readonly glob: string | null;
  readonly access: 'read' | 'write';
  readonly recursive: boolean;
  /** `guess`: an argument of a tool that no manifest describes, which looks like a path. */
  readonly origin: 'argument' | 'operand' | 'redirect' | 'guess';
  /** Number of the shell call that it belongs to, or -1. */
  readonly call: number;
}

/** Where relative paths and `~` start. */
export interface UsePlace {
  readonly cwd: string | null;
  readonly home: string | null;
}

/** Files named by a tool's own arguments. An argument that is not text has key null: it cannot be judged. */
export function argumentUses(entry: ToolEntry, args: Readonly<Record<string, unknown>>, place: UsePlace): PathUse[] {
  const out: PathUse[] = [];
  for (const argument of entry.paths ?? []) {
    const given = Object.hasOwn(args, argument.name) ? args[argument.name] : undefined;
    const text = given === undefined && argument.defaultsToCwd === true ? place.cwd : given;
    const path = typeof text === 'string' && text !== '' ? withHome(text, place.home) : null;
    out.push({
      text: typeof text === 'string' ? text : argument.name,
      key: path === null ? null : joinGiven(place.cwd, path),
      glob: null,
      access: argument.access,
      recursive: argument.recursive === true,
      origin: 'argument',
      call: -1,
    });
  }
  return out;
}

const MAX_GUESSES = 32;
/** INVARIANT: files past this count are not looked up but asked about, like a file that nobody knows. */
const MAX_USES = 500;

/** Arguments that look like paths, of tools nobody described: they are held against denies and sensitive paths, not the roots. */
export function guessedUses(args: Readonly<Record<string, unknown>>, place: UsePlace): PathUse[] {
  const out: PathUse[] = [];
  for (const value of Object.values(args).flat()) {
    if (out.length >= MAX_GUESSES) break;
    if (typeof value !== 'string' || value.length > 4096 || !looksLikePath(value)) continue;
    const path = withHome(value, place.home);
    const key = path === null ? null : joinGiven(place.cwd, path);
    if (key !== null)
      out.push({ text: value, key, glob: null, access: 'write', recursive: false, origin: 'guess', call: -1 });
  }
  return out;
}

function looksLikePath(value: string): boolean {
  return /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/]|\\\\)[^\n]*$/.test(value) || /^[\w.@-]+(?:\/[\w.@-]+)*$/.test(value);
}

function withHome(path: string, home: string | null): string | null {
  if (path !== '~' && !path.startsWith('~/')) return path;
  return home === null ? null : home + path.slice(1);
}

/** Files that the commands of a plan touch: redirects of all, operands of known programs. */
export function planUses(plan: ShellPlan, home: string | null): PathUse[] {
  const out: PathUse[] = [];
  plan.calls.forEach((call, number) => {
    const operands = operandsOf(call);
    if (operands === null || TRANSFERS.has(call.program ?? '')) addGuesses(out, call, number);
    for (const operand of operands ?? []) {
      addWord(out, call, operand.word, { ...operand, origin: 'operand', call: number, home });
    }
    for (const { access, target } of call.redirects) {
      if (access !== null && target !== null) {
        addWord(out, call, target, { access, recursive: false, origin: 'redirect', call: number, home });
      }
    }
  });
  return out;
}

/** Programs that also take files inside other words: `curl -F f=@.env`, `file:///x`. */
const TRANSFERS = new Set(['curl', 'wget']);

/** Words of a program that nobody described, and what stands behind `=`, `@` or `:` in them, where they look like files. */
function addGuesses(out: PathUse[], call: ShellCall, number: number): void {
  for (const word of call.args) {
    for (const path of guessesIn(word.value)) {
      for (const cwd of call.cwds ?? [null]) addGuess(out, joinGiven(cwd, path), { text: word.text, call: number });
    }
  }
}

function addGuess(out: PathUse[], key: string | null, from: { text: string; call: number }): void {
  if (key === null || out.length >= MAX_USES) return;
  out.push({ ...from, key, glob: null, access: 'read', recursive: false, origin: 'guess' });
}

function guessesIn(value: string): string[] {
  if (value.length > 4096) return [];
  const inner = value.slice(Math.max(value.lastIndexOf('='), value.lastIndexOf('@'), value.lastIndexOf(':')) + 1);
  const all = inner === value ? [value] : [value, inner];
  return all.filter((path) => /[./]/.test(path) && looksLikePath(path));
}

interface WordUse {
  readonly access: 'read' | 'write';
  readonly recursive: boolean;
  readonly origin: 'operand' | 'redirect';
  readonly call: number;
  readonly home: string | null;
}

function addWord(out: PathUse[], call: ShellCall, word: ShellWord, use: WordUse): void {
  if (word.value === '-' && use.origin === 'operand') return;
  for (const path of pathsOfWord(word, use.home)) addPath(out, call, { word, path }, use);
}

function addPath(out: PathUse[], call: ShellCall, named: { word: ShellWord; path: string | null }, use: WordUse): void {
  const { access, recursive, origin } = use;
  const base = { text: named.word.text, access, recursive, origin, call: use.call };
  const { path } = named;
  if (path === null || out.length >= MAX_USES) {
    out.push({ ...base, key: null, glob: null });
    return;
  }
  const wild = hasGlob(path);
  const plain = plainPath(wild ? path.slice(0, globStart(path)) || '.' : path);
  for (const cwd of call.cwds ?? [null]) {
    const key = joinGiven(cwd, plain);
    out.push({ ...base, key, glob: wild && key !== null ? joinGiven(cwd, path) : null });
  }
}

/** Where the folder that holds the first wildcard ends. */
function globStart(path: string): number {
  const at = path.search(/(?:^|[^\\])[*?[]/);
  return path.lastIndexOf('/', at + 1) + 1;
}
