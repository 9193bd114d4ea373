/** What a script does with variables: which it sets, which may hold more than numbers, and which it only reveals. */
import type { Piece, ShellAssignment, ShellWord } from './tree.js';

/** Variables seen so far in a script. */
export interface ScriptVariables {
  /** Set by the script itself. */
  readonly set: Set<string>;
  /** May hold more than a number. */
  readonly texts: Set<string>;
  /** Evaluated as arithmetic somewhere, which runs commands written inside their text. */
  readonly evaluated: Set<string>;
}

const SETTERS = new Set([
  'read',
  'mapfile',
  'readarray',
  'declare',
  'typeset',
  'local',
  'export',
  'readonly',
  'printf',
  'getopts',
  'let',
]);

/** Remembers what a command sets, and whether it may be more than a number. */
export function noteCommand(
  known: ScriptVariables,
  words: readonly ShellWord[],
  assignments: readonly ShellAssignment[],
): void {
  for (const { name, value } of assignments) {
    if (words.length === 0) known.set.add(name);
    if (value === null || !isNumber(value)) known.texts.add(name);
  }
  if (SETTERS.has(words[0]?.value ?? '')) noteNames(known, words);
}

function noteNames(known: ScriptVariables, words: readonly ShellWord[]): void {
  for (const word of words) {
    const name = /^[A-Za-z_][A-Za-z0-9_]*/.exec(word.value)?.[0];
    if (name !== undefined) known.texts.add(name);
  }
}

/** Remembers a loop's variable; `words` are its list as written. */
export function noteLoop(known: ScriptVariables, name: string, words: readonly string[]): void {
  known.set.add(name);
  if (!words.every((word) => /^[-\d{}.]+$/.test(word))) known.texts.add(name);
}

const INDEX_READERS = new Set([...SETTERS, 'test', '[', 'unset', 'wait']);

/** `let 'a[$(id)]'`, `test -v 'a[$(id)]'`: builtins that evaluate an index inside their words, quoted or not. */
export function evaluatesIndex(words: readonly ShellWord[]): boolean {
  if (!INDEX_READERS.has(words[0]?.value ?? '')) return false;
  return words.some((word) => word.value.includes('[') && /\$\(|`|\$\{/.test(word.value));
}

/** True when a variable that may hold any text is evaluated as arithmetic. */
export function evaluatesText(known: ScriptVariables): boolean {
  for (const name of known.evaluated) if (known.texts.has(name)) return true;
  return false;
}

/** A number, or arithmetic itself, whose variables are noted on their own. */
function isNumber(word: ShellWord): boolean {
  return /^-?\d+$/.test(word.value) || /^\$\(\([^()]*\)\)$/.test(word.text);
}

/** Variables whose value tells nothing that the agent does not know. */
const PLAIN_VARIABLES = new Set([
  'PWD',
  'OLDPWD',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TERM',
  'RANDOM',
  'SECONDS',
  'LINENO',
  'HOSTNAME',
  'UID',
  'PPID',
  'BASH_VERSION',
  'OSTYPE',
  'TMPDIR',
]);

/** True when the word shows a variable that the script does not set, so that what the machine holds in it comes out. */
export function revealsOf(word: ShellWord, known: ScriptVariables): boolean {
  if (word.literal) return false;
  return word.pieces.some((piece) => {
    const name = variableOf(piece);
    return name !== null && !PLAIN_VARIABLES.has(name) && !known.set.has(name);
  });
}

function variableOf(piece: Piece): string | null {
  if (piece.kind === 'variable') return piece.name;
  if (piece.kind !== 'dynamic') return null;
  return /^\$\{[!#]?([A-Za-z_][A-Za-z0-9_]*)/.exec(piece.text)?.[1] ?? null;
}
