/** Which operands of well-known programs are files, and whether they are read or written. */
import type { ShellCall } from '../shell/plan.js';
import type { ShellWord } from '../shell/tree.js';
import { hasFlag, sortArgs, withoutHead, type SortedArgs } from './flags.js';

/** A file that a command touches. `recursive`: everything below it too. */
export interface Operand {
  readonly word: ShellWord;
  readonly access: 'read' | 'write';
  readonly recursive: boolean;
}

interface OperandRow {
  readonly access: 'read' | 'write';
  readonly valueFlags?: readonly string[];
  /** Leading operands that are no files, such as grep's pattern. */
  readonly skip?: number;
  /** Flags that give what would be skipped, so that nothing is. */
  readonly skipInFlag?: readonly string[];
  /** The last operand is written although the others are read. */
  readonly writesLast?: true;
  readonly recursive?: 'always' | 'flag';
  /** Flags whose value is a file that is written, or read. */
  readonly writeFlags?: readonly string[];
  readonly readFlags?: readonly string[];
}

const READ: OperandRow = { access: 'read' };
/** Programs whose words are looked at by no one as files. */
const NO_FILES: OperandRow = { access: 'read', skip: Number.POSITIVE_INFINITY };
const WRITE: OperandRow = { access: 'write' };
const GREP: OperandRow = {
  access: 'read',
  skip: 1,
  skipInFlag: ['-e', '-f', '--regexp', '--file'],
  readFlags: ['-f', '--file'],
  valueFlags: [
    '-e',
    '-f',
    '-A',
    '-B',
    '-C',
    '-m',
    '-d',
    '-D',
    '--regexp',
    '--file',
    '--include',
    '--exclude',
    '--exclude-dir',
    '--max-count',
    '-g',
    '-t',
    '-T',
    '--glob',
    '--type',
  ],
  recursive: 'flag',
};
const COPY_FLAGS = ['-t', '--target-directory', '-S', '--suffix', '-m', '--mode', '-o', '-g', '--owner', '--group'];

const ROWS: Readonly<Record<string, OperandRow>> = {
  echo: NO_FILES,
  printf: NO_FILES,
  test: NO_FILES,
  '[': NO_FILES,
  true: NO_FILES,
  false: NO_FILES,
  which: NO_FILES,
  type: NO_FILES,
  cat: READ,
  head: { access: 'read', valueFlags: ['-n', '-c', '--lines', '--bytes'] },
  tail: { access: 'read', valueFlags: ['-n', '-c', '--lines', '--bytes', '--pid', '-s'] },
  less: READ,
  more: READ,
  bat: READ,
  nl: { access: 'read', valueFlags: ['-b', '-s', '-w', '-v'] },
  tac: READ,
  rev: READ,
  od: { access: 'read', valueFlags: ['-A', '-t', '-N', '-j', '-w'] },
  xxd: { access: 'read', valueFlags: ['-l', '-s', '-c', '-g', '-o'], writesLast: true },
  hexdump: { access: 'read', valueFlags: ['-n', '-s', '-e', '-f'] },
  strings: { access: 'read', valueFlags: ['-n', '-t', '-e'] },
  file: READ,
  stat: { access: 'read', valueFlags: ['-c', '-f', '--format', '--printf'] },
  wc: READ,
  sort: {
    access: 'read',
    valueFlags: ['-k', '-t', '-S', '-T', '-o', '--key', '--output', '--field-separator'],
    writeFlags: ['-o', '--output'],
  },
  uniq: { access: 'read', valueFlags: ['-f', '-s', '-w'], writesLast: true },
  cut: { access: 'read', valueFlags: ['-d', '-f', '-c', '-b', '--delimiter', '--fields'] },
  column: { access: 'read', valueFlags: ['-s', '-o', '-N', '-c'] },
  fold: { access: 'read', valueFlags: ['-w'] },
  paste: { access: 'read', valueFlags: ['-d'] },
  join: { access: 'read', valueFlags: ['-t', '-1', '-2', '-o', '-e', '-a', '-v', '-j'] },
  comm: READ,
  cmp: { access: 'read', valueFlags: ['-n', '-i'] },
  diff: { access: 'read', valueFlags: ['-U', '-C', '-x', '-X', '-I', '-W'], recursive: 'flag' },
  md5sum: READ,
  sha1sum: READ,
  sha256sum: READ,
  sha512sum: READ,
  shasum: { access: 'read', valueFlags: ['-a'] },
  cksum: READ,
  base64: { access: 'read', valueFlags: ['-w', '-i', '-o'] },
  ls: { access: 'read', valueFlags: ['-I', '--ignore', '-w', '-T'] },
  dir: READ,
  tree: { access: 'read', valueFlags: ['-L', '-I', '-P', '-o'], writeFlags: ['-o'] },
  du: { access: 'read', valueFlags: ['-d', '--max-depth', '--exclude', '-t'] },
  readlink: READ,
  realpath: READ,
  cd: READ,
  pushd: READ,
  source: READ,
  '.': READ,
  jq: {
    access: 'read',
    skip: 1,
    valueFlags: ['-f', '--from-file', '--indent', '-L'],
    skipInFlag: ['-f', '--from-file'],
  },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  zgrep: GREP,
  rg: { ...GREP, recursive: 'always' },
  ag: { ...GREP, recursive: 'always' },
  ack: { ...GREP, recursive: 'always' },
  awk: {
    access: 'read',
    skip: 1,
    skipInFlag: ['-f', '--file'],
    readFlags: ['-f', '--file'],
    valueFlags: ['-F', '-v', '-f', '--file'],
  },
  gawk: {
    access: 'read',
    skip: 1,
    skipInFlag: ['-f', '--file'],
    readFlags: ['-f', '--file'],
    valueFlags: ['-F', '-v', '-f', '--file'],
  },
  rm: { access: 'write', recursive: 'flag' },
  rmdir: WRITE,
  unlink: WRITE,
  shred: { access: 'write', valueFlags: ['-n', '-s'] },
  mkdir: { access: 'write', valueFlags: ['-m', '--mode'] },
  touch: { access: 'write', valueFlags: ['-d', '-t', '-r', '--date', '--reference'] },
  truncate: { access: 'write', valueFlags: ['-s', '-r', '--size', '--reference'] },
  tee: WRITE,
  mv: { access: 'write', valueFlags: COPY_FLAGS, writeFlags: ['-t', '--target-directory'] },
  cp: {
    access: 'read',
    valueFlags: COPY_FLAGS,
    writesLast: true,
    recursive: 'flag',
    writeFlags: ['-t', '--target-directory'],
  },
  install: { access: 'read', valueFlags: COPY_FLAGS, writesLast: true, writeFlags: ['-t', '--target-directory'] },
  ln: { access: 'write', valueFlags: COPY_FLAGS, writeFlags: ['-t', '--target-directory'] },
  rsync: { access: 'read', valueFlags: ['-e', '--exclude', '--include', '-f'], writesLast: true, recursive: 'always' },
  chmod: { access: 'write', skip: 1, recursive: 'flag' },
  chown: { access: 'write', skip: 1, recursive: 'flag' },
  chgrp: { access: 'write', skip: 1, recursive: 'flag' },
  curl: {
    access: 'read',
    skip: Number.POSITIVE_INFINITY,
    valueFlags: ['-o', '--output', '-D', '--dump-header', '-c', '--cookie-jar'],
    writeFlags: ['-o', '--output', '-D', '--dump-header', '-c', '--cookie-jar'],
  },
  wget: {
    access: 'read',
    skip: Number.POSITIVE_INFINITY,
    valueFlags: ['-O', '--output-document', '-o', '-P'],
    writeFlags: ['-O', '--output-document', '-o', '-P'],
  },
};

/** The files that the call is known to touch; null when the program is not in the table. */
export function operandsOf(call: ShellCall): Operand[] | null {
  if (call.program === null) return null;
  const own = SPECIAL[call.program];
  if (own !== undefined) return own(call.args);
  const row = Object.hasOwn(ROWS, call.program) ? ROWS[call.program] : undefined;
  return row === undefined ? null : rowOperands(row, call.args);
}

const SPECIAL: Readonly<Record<string, (args: readonly ShellWord[]) => Operand[]>> = {
  __proto__: null as never,
  git: gitOperands,
  dd: ddOperands,
  find: findOperands,
  sed: sedOperands,
  gsed: sedOperands,
};

function rowOperands(row: OperandRow, args: readonly ShellWord[]): Operand[] {
  const sorted = sortArgs(args, row.valueFlags ?? []);
  const files = sorted.operands.slice(skipped(row, sorted));
  const written = row.writesLast === true && !hasTarget(sorted) ? firstWritten(files) : files.length;
  const recursive = row.recursive === 'always' || (row.recursive === 'flag' && isRecursive(sorted));
  const out = files.map((word, at): Operand => ({ word, access: at >= written ? 'write' : row.access, recursive }));
  addFlagFiles(out, sorted, row.writeFlags, 'write');
  addFlagFiles(out, sorted, row.readFlags, 'read');
  return out;
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
  return (
    hasFlag(sorted.flags, 'r', '--recursive') ||
    hasFlag(sorted.flags, 'R') ||
    sorted.flags.includes('--archive') ||
    sorted.flags.includes('-a')
  );
}

const GIT_READERS = new Set([
  'diff',
  'show',
  'log',
  'blame',
  'grep',
  'cat-file',
  'archive',
  'apply',
  'am',
  'ls-files',
  'hash-object',
]);

/** What git shows of files, also as `revision:path`, and the file that `--output` names. A revision taken for a path does no harm. */
function gitOperands(args: readonly ShellWord[]): Operand[] {
  const { operands, values } = sortArgs(args, ['-C', '-c', '--git-dir', '--work-tree', '-o', '--output']);
  const [command, ...rest] = operands;
  const out: Operand[] = [];
  addFlagFiles(out, { flags: [], operands, values }, ['--output'], 'write');
  if (!GIT_READERS.has(command?.value ?? '')) return out;
  for (const word of rest) {
    const colon = word.value.indexOf(':');
    out.push({ word: colon < 0 ? word : withoutHead(word, colon + 1), access: 'read', recursive: false });
  }
  return out;
}

function ddOperands(args: readonly ShellWord[]): Operand[] {
  const out: Operand[] = [];
  for (const word of args) {
    if (word.value.startsWith('of=')) out.push({ word: withoutHead(word, 3), access: 'write', recursive: false });
    if (word.value.startsWith('if=')) out.push({ word: withoutHead(word, 3), access: 'read', recursive: false });
  }
  return out;
}

function findOperands(args: readonly ShellWord[]): Operand[] {
  const end = args.findIndex((word) => /^(?:-(?![HLPDO])|[(!])/.test(word.value));
  const starts = (end < 0 ? args : args.slice(0, end)).filter((word) => !/^-[HLPDO]/.test(word.value));
  const access = args.some((word) => word.value === '-delete') ? 'write' : 'read';
  return starts.map((word) => ({ word, access, recursive: access === 'write' }));
}

function sedOperands(args: readonly ShellWord[]): Operand[] {
  const sorted = sortArgs(args, ['-e', '-f', '--expression', '--file', '-l']);
  const skip = ['-e', '-f', '--expression', '--file'].some((flag) => sorted.flags.includes(flag)) ? 0 : 1;
  const inPlace = sorted.flags.some((flag) => flag.startsWith('--in-place') || /^-[a-zA-Z]*i/.test(flag));
  return sorted.operands.slice(skip).map((word) => ({ word, access: inPlace ? 'write' : 'read', recursive: false }));
}
