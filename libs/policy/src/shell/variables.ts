/** What a script does with variables: which it sets, which may hold more than numbers, and which it only reveals. */
import type { Piece, ShellAssignment, ShellBinding, ShellWord } from './tree.js';

/** What a script does with one variable. */
interface Variable {
  /** Set by the script itself. */
  isSet: boolean;
  /** May hold more than a number. */
  isText: boolean;
  /** Evaluated as arithmetic somewhere, which runs commands written inside its text. */
  isEvaluated: boolean;
  /** Set inside of words: `${x:=y}`. */
  isAssigned: boolean;
  binding: ShellBinding | null;
}

/** Variables seen so far in a script, by name. */
export type ScriptVariables = Map<string, Variable>;

function variableNamed(known: ScriptVariables, name: string): Variable {
  let variable = known.get(name);
  if (variable === undefined) {
    variable = { isSet: false, isText: false, isEvaluated: false, isAssigned: false, binding: null };
    known.set(name, variable);
  }
  return variable;
}

/** Remembers that the variable's text is evaluated as arithmetic. */
export function noteEvaluated(known: ScriptVariables, name: string): void {
  variableNamed(known, name).isEvaluated = true;
}

/** Remembers that the variable is set inside of a word. */
export function noteAssigned(known: ScriptVariables, name: string): void {
  variableNamed(known, name).isAssigned = true;
}

function bindingOf(variable: Variable): ShellBinding {
  variable.binding ??= { words: [], readers: [], unknown: false };
  return variable.binding;
}

function bind(known: ScriptVariables, name: string, words: readonly ShellWord[] | null): void {
  const binding = bindingOf(variableNamed(known, name));
  if (words === null) binding.unknown = true;
  else for (const word of words) binding.words.push(word);
}

/** What the whole script gives its variables. */
export function bindingsOf(known: ScriptVariables): ReadonlyMap<string, ShellBinding> {
  const out = new Map<string, ShellBinding>();
  for (const [name, variable] of known) {
    if (variable.isAssigned) bindingOf(variable).unknown = true;
    if (variable.binding !== null) out.set(name, variable.binding);
  }
  return out;
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

/** Remembers what the command of that number sets, and whether it may be more than a number. */
export function noteCommand(
  known: ScriptVariables,
  words: readonly ShellWord[],
  assignments: readonly ShellAssignment[],
  number: number,
): void {
  for (const { name, value } of assignments) {
    if (words.length === 0) assign(known, name, value);
    if (value === null || !isNumber(value)) variableNamed(known, name).isText = true;
  }
  if (words[0]?.value === 'read') noteRead(known, words, number);
  else if (SETTERS.has(words[0]?.value ?? '')) noteNames(known, words);
}

function assign(known: ScriptVariables, name: string, value: ShellWord | null): void {
  variableNamed(known, name).isSet = true;
  bind(known, name, value === null ? null : [value]);
}

/** `read -r a b`: from its input. With any other flag nobody knows. */
function noteRead(known: ScriptVariables, words: readonly ShellWord[], number: number): void {
  const plain = words.slice(1).every((word) => /^(?:-r|[A-Za-z_]\w*)$/.test(word.value));
  if (!plain) noteNames(known, words);
  for (const { value } of words.slice(1)) {
    if (!/^[A-Za-z_]\w*$/.test(value)) continue;
    const variable = variableNamed(known, value);
    variable.isSet = true;
    variable.isText = true;
    if (plain) bindingOf(variable).readers.push(number);
  }
}

function noteNames(known: ScriptVariables, words: readonly ShellWord[]): void {
  for (const word of words) {
    const name = /^[A-Za-z_][A-Za-z0-9_]*/.exec(word.value)?.[0];
    if (name === undefined) continue;
    const variable = variableNamed(known, name);
    variable.isText = true;
    if (/^(?:mapfile|readarray)$/.test(words[0]?.value ?? '') || word.value.startsWith(`${name}=`))
      variable.isSet = true;
    bindingOf(variable).unknown = true;
  }
}

/** Remembers a loop's variable; `list` is what it runs over, null for the positional parameters. */
export function noteLoop(known: ScriptVariables, name: string, list: readonly ShellWord[] | null): void {
  const words = list?.map((word) => word.text) ?? [];
  bind(known, name, list);
  const variable = variableNamed(known, name);
  variable.isSet = true;
  if (!words.every((word) => /^[-\d{}.]+$/.test(word))) variable.isText = true;
}

/** Remembers what a counting loop sets: numbers. */
export function noteCounter(known: ScriptVariables, text: string): void {
  for (const match of text.matchAll(/([A-Za-z_]\w*)\s*(?:[-+*/%]?=(?!=)|\+\+|--)/g)) {
    if (match[1] === undefined) continue;
    const variable = variableNamed(known, match[1]);
    variable.isSet = true;
    variable.isAssigned = true;
  }
}

const INDEX_READERS = new Set([...SETTERS, 'test', '[', 'unset', 'wait']);

/** `let 'a[$(id)]'`, `test -v 'a[$(id)]'`: builtins that evaluate an index inside their words, quoted or not. */
export function evaluatesIndex(words: readonly ShellWord[]): boolean {
  if (!INDEX_READERS.has(words[0]?.value ?? '')) return false;
  return words.some((word) => word.value.includes('[') && /\$\(|`|\$\{/.test(word.value));
}

/** True when a variable that may hold any text is evaluated as arithmetic. */
export function evaluatesText(known: ScriptVariables): boolean {
  for (const { isEvaluated, isText } of known.values()) if (isEvaluated && isText) return true;
  return false;
}

/** A number, or arithmetic itself, whose variables are noted on their own. */
function isNumber(word: ShellWord): boolean {
  return /^-?\d+$/.test(word.value) || /^\$\(\([^()]*\)\)$/.test(word.text);
}

/** Variables whose value tells nothing that the agent does not know. */
// prettier-ignore
const PLAIN_VARIABLES = new Set([
  'PWD', 'OLDPWD', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TERM', 'RANDOM', 'SECONDS', 'LINENO', 'HOSTNAME', 'UID', 'EUID', 'PPID', 'BASH_VERSION',
  'OSTYPE', 'TMPDIR', 'PATH', 'COLUMNS', 'LINES', 'EDITOR', 'PAGER', 'NODE_ENV', 'GOPATH', 'GOROOT', 'JAVA_HOME', 'VIRTUAL_ENV', 'CONDA_PREFIX',
  'DISPLAY', 'SHLVL', 'MACHTYPE', 'HOSTTYPE', 'BASH_VERSINFO', 'BASH_SOURCE', 'PIPESTATUS', 'FUNCNAME', 'REPLY', 'EPOCHSECONDS', 'XDG_CONFIG_HOME',
  'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR',
]);

/** True for a variable whose value tells nothing new. */
export function isPlainVariable(name: string): boolean {
  return PLAIN_VARIABLES.has(name);
}

/** True when a word shows a variable that the script does not set, so that what the machine holds in it comes out. */
export function reveals(words: readonly ShellWord[], known: ScriptVariables): boolean {
  for (const word of words) if (!word.literal && revealsOf(word, known)) return true;
  return false;
}

function revealsOf(word: ShellWord, known: ScriptVariables): boolean {
  return word.pieces.some((piece) => {
    const name = variableOf(piece);
    return name !== null && !PLAIN_VARIABLES.has(name) && known.get(name)?.isSet !== true;
  });
}

function variableOf(piece: Piece): string | null {
  if (piece.kind === 'variable') return piece.name;
  if (piece.kind !== 'dynamic') return null;
  return /^\$\{[!#]?([A-Za-z_][A-Za-z0-9_]*)/.exec(piece.text)?.[1] ?? null;
}
