/** The files that a call would touch, from its arguments and from its command line. */
import { filesInCode } from '../commands/code-files.js';
import { namesOfWord } from '../commands/names.js';
import { joinGiven } from '../paths/normalise.js';
import type { ShellCall, ShellPlan } from '../shell/plan.js';
import type { ShellWord } from '../shell/tree.js';
import { escapeGlob, globStart, hasGlob, pathsOfWord, plainPath } from '../shell/word-paths.js';
import type { PathArgument, ToolEntry } from '../tools/manifest.js';
import { fixedBeginning } from '../tools/read-arguments.js';

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
  /** `guess`: an argument of a tool that no manifest describes, which looks like a path; or what a program may touch besides. */
  readonly origin: 'argument' | 'operand' | 'redirect' | 'guess';
  /** Number of the shell call that it belongs to, or -1. */
  readonly call: number;
  /** A wildcard that the names of the files fit, where more is not known. */
  readonly tail?: string;
  /** The folder that a command starts in. */
  readonly workingFolder?: true;
  /** Named by an address, of a tool that is meant for the network: allowing the tool says nothing of the machine's own files. */
  readonly byUrl?: true;
  /** What lies below is written without being shown: rules about reading count for what is named alone. */
  readonly unread?: true;
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

/** What wildcard arguments reach: the folder that they cannot leave, with all below it. Key null: they may leave any. */
export function patternUses(entry: ToolEntry, args: Readonly<Record<string, unknown>>, place: UsePlace): PathUse[] {
  return (entry.patterns ?? []).flatMap((argument): PathUse[] => {
    const pattern = textAt(args, argument.name);
    if (pattern === null) return [];
    const bases = [argument.base, ...(argument.baseOtherNames ?? [])].map((name) => textAt(args, name));
    const base = joinGiven(place.cwd, bases.find((one) => one !== null) ?? '.') ?? place.cwd;
    const beginning = fixedBeginning(pattern);
    const path = beginning === null ? null : withHome(beginning, place.home);
    const key = path === null ? null : joinGiven(base, path);
    const whole = withHome(pattern, place.home);
    const glob = key === null || whole === null || !hasGlob(pattern) ? null : joinGiven(base, whole);
    const { access } = argument;
    return [{ text: pattern, key, glob, access, recursive: true, origin: 'argument', call: -1 }];
  });
}

/** The folder that a command starts in, when the arguments name one. */
export function folderUse(entry: ToolEntry, args: Readonly<Record<string, unknown>>, place: UsePlace): PathUse | null {
  if (entry.workingFolder === undefined || !Object.hasOwn(args, entry.workingFolder)) return null;
  const text = textAt(args, entry.workingFolder);
  const path = text === null ? null : withHome(text, place.home);
  const key = path === null ? null : joinGiven(place.cwd, path);
  const origin = 'argument';
  return {
    text: text ?? entry.workingFolder,
    key,
    glob: null,
    access: 'read',
    recursive: false,
    origin,
    call: -1,
    workingFolder: true,
  };
}

function textAt(args: Readonly<Record<string, unknown>>, name: string | undefined): string | null {
  const value = name !== undefined && Object.hasOwn(args, name) ? args[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A path argument at the top, under one name, that must be there or means the working folder. */
export function isPlainPlace(path: PathArgument): boolean {
  return path.optional !== true && path.otherNames === undefined && !/[.[]/.test(path.name);
}

const MAX_GUESSES = 32;
/** INVARIANT: files past this count are not looked up but asked about, like a file that nobody knows. */
const MAX_USES = 500;

/** Arguments that look like paths, of tools nobody described: they are held against denies and sensitive paths, not the roots. */
export function guessedUses(args: Readonly<Record<string, unknown>>, place: UsePlace): PathUse[] {
  const out: PathUse[] = [];
  const pending: unknown[] = [args];
  for (let seen = 0; seen < MAX_VALUES && out.length < MAX_GUESSES; seen += 1) {
    if (pending.length === 0) break;
    const value = pending.shift();
    if (typeof value === 'object' && value !== null) pending.push(...Object.values(value).slice(0, MAX_VALUES));
    else if (typeof value === 'string' && value.length <= 4096) addArgument(out, value, place);
  }
  return out;
}

/** Values looked at, from the top of the arguments downwards. */
const MAX_VALUES = 256;

function addArgument(out: PathUse[], value: string, place: UsePlace): void {
  const text = fileOfUrl(value) ?? value;
  if (!looksLikePath(text)) return;
  const path = withHome(text, place.home);
  const key = path === null ? null : joinGiven(place.cwd, path);
  if (key !== null)
    out.push({ text: value, key, glob: null, access: 'write', recursive: false, origin: 'guess', call: -1 });
}

/** The absolute path that a `file:` address names, or null for any other text. */
export function fileOfUrl(text: string | null): string | null {
  const path = text === null ? undefined : /^\s*file:(?:\/\/[^/?#]*)?(\/[^?#]*)/i.exec(text)?.[1];
  if (path === undefined) return null;
  const plain = decodedText(path);
  return /^\/[A-Za-z]:(?:\/|$)/.test(plain) ? plain.slice(1) : plain;
}

function decodedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The file that an address names is read, like one that a path argument names. */
export function urlUse(path: string): PathUse {
  const how = { access: 'read', recursive: false, origin: 'argument', call: -1, byUrl: true } as const;
  return { text: path, key: path, glob: null, ...how };
}

function looksLikePath(value: string): boolean {
  return /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/]|\\\\)[^\n]*$/.test(value) || /^[\w.@-]+(?:\/[\w.@-]+)*$/.test(value);
}

/** `~` and `~/x` with the home filled in; null when it is not known. */
export function withHome(path: string, home: string | null): string | null {
  if (path !== '~' && !path.startsWith('~/')) return path;
  return home === null ? null : home + path.slice(1);
}

/** Files that the commands of a plan touch: redirects of all, operands of known programs. */
export function planUses(plan: ShellPlan, home: string | null): PathUse[] {
  const out: PathUse[] = [];
  plan.calls.forEach((call, number) => {
    addOperands(out, call, { call: number, plan, home });
    for (const { access, target } of call.redirects) {
      if (access !== null && target !== null) {
        addWord(out, call, target, { access, recursive: false, origin: 'redirect', call: number, plan, home });
      }
    }
  });
  return out;
}

function addOperands(out: PathUse[], call: ShellCall, from: Pick<WordUse, 'call' | 'plan' | 'home'>): void {
  const { operands } = call;
  if (operands === null || TRANSFERS.has(call.program ?? '')) addGuesses(out, call, from.call);
  for (const operand of operands ?? []) {
    const origin = operand.maybe === true ? 'guess' : 'operand';
    addWord(out, call, operand.word, { origin, ...from, ...operand });
  }
  for (const text of filesInCode(call)) addCodeFile(out, text, { call, number: from.call, home: from.home });
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

interface CodePlace {
  readonly call: ShellCall;
  readonly number: number;
  readonly home: string | null;
}

function addCodeFile(out: PathUse[], text: string, { call, number, home }: CodePlace): void {
  const path = fileOfUrl(text) ?? withHome(text, home) ?? text;
  for (const cwd of call.cwds ?? [null]) addGuess(out, joinGiven(cwd, path), { text, call: number });
}

function addGuess(out: PathUse[], key: string | null, from: { text: string; call: number }): void {
  if (key === null || out.length >= MAX_USES) return;
  out.push({ key, glob: null, access: 'read', recursive: false, origin: 'guess', ...from });
}

const NO_GUESSES: readonly string[] = [];

function guessesIn(value: string): readonly string[] {
  if (value.length > 4096 || !(value.includes('/') || value.includes('.'))) return NO_GUESSES;
  const inner = value.slice(Math.max(value.lastIndexOf('='), value.lastIndexOf('@'), value.lastIndexOf(':')) + 1);
  const all = inner === value ? [value] : [value, inner];
  return all.filter((path) => /[./]/.test(path) && looksLikePath(path));
}

interface WordUse {
  readonly access: 'read' | 'write';
  readonly recursive: boolean;
  readonly origin: 'operand' | 'redirect' | 'guess';
  readonly unread?: true;
  readonly call: number;
  readonly plan: ShellPlan;
  readonly home: string | null;
}

function addWord(out: PathUse[], call: ShellCall, word: ShellWord, use: WordUse): void {
  if (word.value === '-' && use.origin === 'operand') return;
  const paths = pathsOfWord(word, use.home);
  const names = paths.includes(null) ? namesOfWord(word, call, use.plan, use.home) : null;
  if (names === null) for (const path of paths) addPath(out, call, { word, path, tail: null }, use);
  else
    for (const name of names) addPath(out, call, { word, ...name }, { ...use, recursive: use.recursive || name.below });
}

/** What one word may name. */
interface NamedUse {
  readonly word: ShellWord;
  readonly path: string | null;
  readonly tail: string | null;
}

function addPath(out: PathUse[], call: ShellCall, named: NamedUse, use: WordUse): void {
  const { access, recursive, origin } = use;
  const base = { text: named.word.text, access, recursive, origin, call: use.call, ...remarks(named, use) };
  const { path } = named;
  if (path === null || out.length >= MAX_USES) {
    out.push({ key: null, glob: null, ...base });
    return;
  }
  const wild = hasGlob(path);
  const plain = plainPath(wild ? path.slice(0, globStart(path)) || '.' : path);
  for (const cwd of call.cwds ?? [null]) {
    const key = joinGiven(cwd, plain);
    out.push({ key, glob: wild && key !== null ? joinGiven(literalFolder(cwd), path) : null, ...base });
  }
}

function remarks({ tail }: NamedUse, { unread }: WordUse): Pick<PathUse, 'tail' | 'unread'> {
  return { ...(tail === null ? {} : { tail }), ...(unread === undefined ? {} : { unread }) };
}

/** The folder itself holds no wildcards, whatever it is called. A Windows folder keeps its separators. */
function literalFolder(cwd: string | null): string | null {
  return cwd?.startsWith('/') === true ? escapeGlob(cwd) : cwd;
}
