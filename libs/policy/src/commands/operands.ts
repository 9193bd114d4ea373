/** Which words of a call are files, by what is known of its program. */
import type { ShellCall } from '../shell/plan.js';
import type { ShellWord } from '../shell/tree.js';
import { hasFlag, sortArgs, withoutHead, type SortedArgs } from './flags.js';
import { programRow } from './programs/index.js';
import { OWN_FOLDER, type Operand, type OperandRow } from './programs/program.js';

export type { Operand } from './programs/program.js';

/** What of a call says which of its words are files. */
type Described = Pick<ShellCall, 'program' | 'args' | 'input' | 'redirects'>;

/** The files that the call is known to touch; null when nobody described the program's words. */
export function operandsOf(call: Described): readonly Operand[] | null {
  if (call.program === null) return null;
  const operands = programRow(call.program)?.operands;
  if (operands === undefined) return null;
  return typeof operands === 'function' ? operands(call.args) : rowOperands(operands, call);
}

function rowOperands(row: OperandRow, call: Described): Operand[] {
  const { args } = call;
  const sorted = sortArgs(args, row.valueFlags ?? []);
  const files = sorted.operands.slice(skipped(row, sorted));
  const written = row.writesLast === true && !hasTarget(sorted) ? firstWritten(files) : files.length;
  const recursive = row.recursive === 'always' || (row.recursive === 'flag' && isRecursive(sorted));
  const out = files.map((word, at): Operand => ({ word, access: at >= written ? 'write' : row.access, recursive }));
  if (files.length === 0 && takesFolder(row, sorted, call)) out.push(OWN_FOLDER);
  addFlagFiles(out, sorted, row.writeFlags, 'write');
  addFlagFiles(out, sorted, row.readFlags, 'read');
  if (row.nameFlags !== undefined) addNameTests(out, args, row.nameFlags);
  if (row.skip !== Number.POSITIVE_INFINITY) addNamedFiles(out, args);
  return out;
}

/** A search that names nothing to search, with something to search for. */
function takesFolder(row: OperandRow, sorted: SortedArgs, call: Described): boolean {
  if (row.elseFolder === undefined || sorted.operands.length < skipped(row, sorted)) return false;
  if (row.elseFolder === 'always') return goesDown(sorted);
  if (sorted.flags.includes('--type-list')) return false;
  const fed = call.input.kind === 'pipe' || call.input.kind === 'text';
  return !fed && !call.redirects.some((redirect) => redirect.access === 'read');
}

/** Unlike `isRecursive`, without `-a`, which means text to a search. */
function goesDown({ flags, values }: SortedArgs): boolean {
  if (hasFlag(flags, 'r', '--recursive') || hasFlag(flags, 'R', '--dereference-recursive')) return true;
  return ['-d', '--directories'].some((flag) => values.get(flag)?.value.startsWith('rec') === true);
}

/** Long flags whose value is text, also where it looks like a path. */
const TEXTUAL =
  /^--(?:regexp|include|exclude|glob|iglob|ignore|format|printf|hide|label|separator|delimiter|output|prefix|suffix|pattern|xpath|style|theme|type|color|colour|sort|mode|owner|group)/;

/** `--to-file=/x`: a flag that nobody described, with a file elsewhere, or one whose name begins with a dot, as its value. */
function addNamedFiles(out: Operand[], args: readonly ShellWord[]): void {
  for (const word of args) {
    const flag = /^(--[\w-]+=)(?:\/[\w.~]|~\/|\.[\w.])/.exec(word.value)?.[1];
    if (flag === undefined || TEXTUAL.test(flag)) continue;
    const file = withoutHead(word, flag.length);
    if (!out.some((one) => one.word.value === file.value)) out.push({ word: file, access: 'read', recursive: false });
  }
}

/** `grep -r x --include=.env`: a search of everything that is one of these files only. */
function addNameTests(out: Operand[], args: readonly ShellWord[], names: readonly string[]): void {
  args.forEach(({ value }, at) => {
    const flag = names.find((name) => value === name || value.startsWith(name.startsWith('--') ? `${name}=` : name));
    if (flag === undefined) return;
    const given = value === flag ? (args[at + 1]?.value ?? '') : value.slice(flag.length).replace(/^=/, '');
    const test = given.slice(given.lastIndexOf('/') + 1);
    if (isTelling(test) && !given.startsWith('!')) out.push({ word: globWord(test), access: 'read', recursive: false });
  });
}

/** A wildcard that leaves the most open is as good as a search of everything, which needs no question. */
function isTelling(test: string): boolean {
  return test !== '' && test.split('*').length <= 2;
}

function globWord(value: string): ShellWord {
  return { text: value, value, literal: false, pieces: [{ kind: 'glob', value }] };
}

function addFlagFiles(
  out: Operand[],
  sorted: SortedArgs,
  names: readonly string[] | undefined,
  access: 'read' | 'write',
): void {
  for (const name of names ?? []) {
    const word = sorted.values.get(name);
    if (word !== undefined) out.push({ word, access, recursive: false });
  }
}

/** The target is the last word; words that only the running shell knows may turn out to be none, so the known one before them counts too. */
function firstWritten(files: readonly ShellWord[]): number {
  let at = files.length - 1;
  while (at > 1 && files[at]?.literal === false) at -= 1;
  return Math.max(at, 1);
}

/** How many leading operands are no files. */
function skipped(row: OperandRow, sorted: SortedArgs): number {
  const given = row.skipInFlag?.some((flag) => sorted.flags.includes(flag)) === true;
  return given ? 0 : (row.skip ?? 0);
}

/** `cp -t folder …` names its target first. */
function hasTarget(sorted: SortedArgs): boolean {
  return sorted.values.has('-t') || sorted.values.has('--target-directory');
}

function isRecursive(sorted: SortedArgs): boolean {
  return goesDown(sorted) || sorted.flags.includes('--archive') || sorted.flags.includes('-a');
}
