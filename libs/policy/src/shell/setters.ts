/** Ways to set a variable that look like no assignment: `read PATH`, `printf -v PATH`, `((PATH=1))`. */
import { isLoadingInShell } from '../commands/environment.js';
import { withoutHead } from '../commands/flags.js';
import type { ShellWord } from './tree.js';

/** How a builtin names what it sets. Flags are letters, each of which takes the rest of its word or the next one. */
interface SetterRow {
  /** Flags whose value is a name. */
  readonly names: string;
  /** Flags whose value is none. */
  readonly values: string;
  /** The operands that are names: the first, and the one behind the last. */
  readonly from: number;
  readonly to: number;
}

const ALL = Number.POSITIVE_INFINITY;
const NONE = { values: '', from: 0, to: 0 };
const READ: SetterRow = { names: 'aA', values: 'dnNtupik', from: 0, to: ALL };
const MAPFILE: SetterRow = { names: '', values: 'dnOsuCc', from: 0, to: 1 };

const SETTERS: ReadonlyMap<string, SetterRow> = new Map<string, SetterRow>([
  ['read', READ],
  ['vared', { names: '', values: 'prMmit', from: 0, to: ALL }],
  ['mapfile', MAPFILE],
  ['readarray', MAPFILE],
  ['printf', { ...NONE, names: 'v' }],
  ['print', { ...NONE, names: 'v', values: 'uCfx' }],
  ['wait', { ...NONE, names: 'p' }],
  ['strftime', { ...NONE, names: 's' }],
  ['getopts', { names: '', values: '', from: 1, to: 2 }],
  ['integer', { names: '', values: 'i', from: 0, to: ALL }],
  ['float', { names: '', values: 'EF', from: 0, to: ALL }],
]);

const REFERS = new Set(['declare', 'typeset', 'local', 'nameref']);
/** Their words are arithmetic, or hold an index that is. */
const EVALUATES = new Set(['let', 'test', '[', 'unset', 'declare', 'typeset', 'local', 'export', 'readonly']);

const PROGRAMS: ReadonlySet<string> = new Set([...SETTERS.keys(), ...REFERS, ...EVALUATES]);

/** True when the builtin sets, or makes another name of, a variable that decides what programs run, or one that nobody knows. */
export function setsLoading(program: string, args: readonly ShellWord[]): boolean {
  if (!PROGRAMS.has(program)) return false;
  const row = SETTERS.get(program);
  if (row !== undefined) return namedBy(row, args).some(isUnsafeName);
  if (EVALUATES.has(program) && args.some((word) => evaluatesTo(program, word.value))) return true;
  return REFERS.has(program) && refersToLoading(program, args);
}

function evaluatesTo(program: string, value: string): boolean {
  return program === 'let' ? assignsLoading(value) : value.includes('[') && assignsLoading(value.replace(/^[^[]*/, ''));
}

/** `PATH`, `PATH[0]`, `PATH=1`; a word that only the running shell knows may be any. */
function isUnsafeName({ value, pieces }: ShellWord): boolean {
  const name = /^[A-Za-z_]\w*/.exec(value)?.[0] ?? '';
  if (isLoadingInShell(name)) return true;
  const [first] = pieces;
  return first?.kind !== 'literal' || (pieces.length > 1 && !/\W/.test(first.value));
}

function namedBy(row: SetterRow, args: readonly ShellWord[]): ShellWord[] {
  const out: ShellWord[] = [];
  const operands: ShellWord[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    if (operands.length > 0 || !/^[-+]./.test(word.value)) operands.push(word);
    else at += addFlagged(out, row, { word, next: args[at + 1] });
  }
  return [...out, ...operands.slice(row.from, row.to)];
}

/** Returns how many words behind it the flag takes. */
function addFlagged(
  out: ShellWord[],
  { names, values }: SetterRow,
  { word, next }: { word: ShellWord; next: ShellWord | undefined },
): number {
  const letters = word.value.slice(1);
  const at = [...letters].findIndex((letter) => names.includes(letter) || values.includes(letter));
  if (at < 0) return 0;
  const takesNext = at === letters.length - 1;
  if (!names.includes(letters.charAt(at))) return takesNext ? 1 : 0;
  if (!takesNext) out.push(withoutHead(word, at + 2));
  else if (next !== undefined) out.push(next);
  return takesNext ? 1 : 0;
}

/** `declare -n r=PATH`: what is done to r is done to PATH. */
function refersToLoading(program: string, args: readonly ShellWord[]): boolean {
  if (program !== 'nameref' && !args.some(({ value }) => /^-[a-zA-Z]*n/.test(value))) return false;
  return args.some(({ value, literal }) => {
    const target = /^[A-Za-z_]\w*=(.*)$/s.exec(value)?.[1];
    return target !== undefined && (!literal || isLoadingInShell(/^\w*/.exec(target)?.[0] ?? ''));
  });
}

const ASSIGNED = /([A-Za-z_]\w*|\$\w+|\})(?:\[[^\]]*\])?\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)/g;
const STEPPED = /(?:\+\+|--)\s*(\w+|\$)/g;

/** True when arithmetic sets such a variable, or one that only the running shell knows: `PATH=1`, `PATH++`, `$x = 1`. */
export function assignsLoading(text: string): boolean {
  if (!/=|\+\+|--/.test(text)) return false;
  for (const form of [ASSIGNED, STEPPED]) {
    for (const [, name = ''] of text.matchAll(form)) if (/^[$}]/.test(name) || isLoadingInShell(name)) return true;
  }
  return false;
}
