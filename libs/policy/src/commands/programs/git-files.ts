/** The files that git shows, writes and removes, by subcommand. */
import type { ShellWord } from '../../shell/tree.js';
import { sortArgs, withoutHead, type SortedArgs } from '../flags.js';
import { gitFlagFiles } from './git-flag-files.js';
import { GIT_VALUE_FLAGS, gitMadeFiles } from './git-made-files.js';
import { OWN_FOLDER, words, type Operand } from './program.js';

/** Subcommands whose words may be files that are read. */
const READS = new Set(
  words(
    'diff show log blame annotate grep cat-file archive apply am ls-files hash-object update-index format-patch whatchanged diff-index diff-tree diff-files range-diff stash add stage bundle difftool merge-file mailinfo mailsplit interpret-trailers unpack-file send-email',
  ),
);

/** Those of them that show all below a folder that is named, and those that show what changed there. */
const READS_BELOW = new Set(words('grep archive'));
const SHOWS_CHANGES = new Set(words('diff show whatchanged diff-index diff-tree diff-files difftool'));

/** Subcommands whose words may be files that are written, brought back or removed. */
const WRITES = new Set(words('checkout restore rm mv clean checkout-index'));

/** Subcommands that write files of which their words say nothing. */
const WRITES_ANY = new Set(
  words(
    'checkout switch merge pull rebase cherry-pick revert apply am reset clean read-tree checkout-index submodule subtree',
  ),
);

/** `reset` and `read-tree` leave the files alone without one of these; `apply` and `submodule` with one. */
const MOVES_FILES: Readonly<Record<string, RegExp>> = {
  reset: /^--(?:hard|merge|keep)$/,
  'read-tree': /^-[a-zA-Z]*u|^--reset$/,
  submodule: /^(?:update|foreach|deinit|add)$/,
  subtree: /^(?:add|pull|merge)$/,
};
const LEAVES_FILES: Readonly<Record<string, RegExp>> = {
  apply: /^--(?:stat|numstat|summary|check|cached)$/,
  clean: /^(?:-[a-zA-Z]*n[a-zA-Z]*|--dry-run)$/,
  merge: /^--abort$|^--quit$/,
};

/** With these, `git grep` also reads files that git does not keep. */
const UNTRACKED = /^--(?:no-in|unt)/;
/** With these it reads whatever its input names, or files that it leaves alone otherwise. */
const UNNAMED: ReadonlyMap<string, RegExp> = new Map([
  ['grep', UNTRACKED],
  ['cat-file', /^--batch(?:-command|-all-objects)?(?:=|$)/],
  ['hash-object', /^--stdin-p/],
  ['update-index', /^--(?:stdin|index-info)$/],
  ['add', /^(?:-[a-zA-Z]*f|--forc?e?$)/],
  ['stash', /^(?:-[a-ln-zA-Z]*a|--all$)/],
]);

/**
 * The folder that git is sent to, what it shows of files, also as `revision:path`, what it writes, and the file that `--output` names.
 * A revision taken for a path does no harm.
 */
export function gitOperands(args: readonly ShellWord[]): Operand[] {
  const sorted = sortArgs(args, GIT_VALUE_FLAGS);
  const [first, ...rest] = sorted.operands;
  const command = first?.value ?? '';
  const out = [...namedFolders(sorted), ...gitFlagFiles(args, command)];
  const word = sorted.values.get('-C') ?? OWN_FOLDER.word;
  if (command === 'commit') addCommitted(out, args);
  else if (READS.has(command)) addRead(out, command, { args, rest });
  if (WRITES.has(command) && !namesNoFile(command, args)) addWritten(out, { args, rest });
  addUnnamed(out, command, { args, word });
  out.push(...gitMadeFiles(args, command, rest[0]?.value ?? ''));
  return out;
}

/** Files below `word` that no word names. */
function addUnnamed(
  out: Operand[],
  command: string,
  { args, word }: { args: readonly ShellWord[]; word: ShellWord },
): void {
  if (showsUnnamed(command, args)) out.push({ ...OWN_FOLDER, word });
  if (mayWriteAny(command, args))
    out.push({ word, access: 'write', recursive: OWN_FOLDER.recursive, maybe: true, unread: true });
}

function showsUnnamed(command: string, args: readonly ShellWord[]): boolean {
  const form = UNNAMED.get(command);
  return form !== undefined && args.some(({ value }) => form.test(value));
}

/** `args` are all words, `rest` the operands behind the subcommand. */
interface Given {
  readonly args: readonly ShellWord[];
  readonly rest: readonly ShellWord[];
}

function addRead(out: Operand[], command: string, { args, rest }: Given): void {
  const dashes = args.findIndex((word) => word.value === '--');
  const paths = dashes < 0 ? [] : args.slice(dashes + 1);
  const skipped = command === 'grep' && takesPattern(args) && rest[0] !== paths[0] ? 1 : 0;
  for (const word of [...rest.slice(skipped), ...args.filter((one) => /^-L.*:/.test(one.value))]) {
    const recursive = showsAll(command, word, args);
    for (const named of namedBy(word)) out.push({ ...named, access: 'read', recursive });
    if (!recursive && SHOWS_CHANGES.has(command)) addChanges(out, word, paths);
  }
}

/** `git commit a -m x b -- c`: the words that are no flag's. */
function addCommitted(out: Operand[], args: readonly ShellWord[]): void {
  const dashes = args.findIndex((word) => word.value === '--');
  const head = dashes < 0 ? args : args.slice(0, dashes);
  const named = head.filter(({ value }, at) => {
    const before = head[at - 1]?.value ?? '-c';
    return value !== 'commit' && !value.startsWith('-') && !COMMIT_VALUE.test(before);
  });
  const behind = dashes < 0 ? [] : args.slice(dashes + 1);
  for (const word of [...named, ...behind]) out.push({ word, access: 'read', recursive: false });
}

/** Flags in front of or behind `commit` that take the next word. */
const COMMIT_VALUE =
  /^(?:-[a-zA-Z]*[mFcCt]|--(?:message|file|author|date|template|reuse-message|reedit-message|fixup|squash|trailer|cleanup|git-dir|work-tree|pathspec-from-file))$/;

function showsAll(command: string, word: ShellWord, args: readonly ShellWord[]): boolean {
  if (READS_BELOW.has(command)) return true;
  return command === 'diff' && args.some(({ value }) => value === '--no-index') && !FILE.test(word.value);
}

function addChanges(out: Operand[], word: ShellWord, paths: readonly ShellWord[]): void {
  if (!paths.includes(word) && !FOLDER.test(word.value)) return;
  for (const named of namedBy(word)) out.push({ word: filesIn(named.word), access: 'read', recursive: false });
}

/** A name that ends as files do, of a file that is compared. */
const FILE = /[^/.][^/]*\.\w+$/;
const FOLDER = /^\.{0,2}\/|\/$/;

/** What changed in a folder is less than all that it holds, and `git diff` alone shows it too: a rule must be about this folder. */
function filesIn(word: ShellWord): ShellWord {
  const pieces = [...word.pieces, { kind: 'literal', value: '/', quoted: true }, { kind: 'glob', value: '*' }] as const;
  return { text: word.text, value: `${word.value}/*`, literal: false, pieces };
}

/** What stands behind `--`, or every word that is not surely a revision. */
function addWritten(out: Operand[], { args, rest }: Given): void {
  const dashes = args.findIndex((word) => word.value === '--');
  const files = dashes < 0 ? rest.filter((word) => !REVISION.test(word.value)) : args.slice(dashes + 1);
  const below = { access: 'write', recursive: true, unread: true } as const;
  const branch = dashes < 0 && isBranchName(args, files) ? ({ maybe: true } as const) : {};
  for (const named of files.flatMap(namedBy)) out.push({ ...named, ...below, ...branch });
}

/** `git checkout main`: a branch, unless a file is called so. */
function isBranchName(args: readonly ShellWord[], files: readonly ShellWord[]): boolean {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0 || !args.some((word) => word.value === 'checkout')) return false;
  return /^(?!.*(?:\.[a-zA-Z]|\/$))[\w-][\w./-]*$/.test(file.value);
}

/** `git rm --cached x` and `git restore --staged x` leave the files alone, and `git checkout -b x y` names branches. */
function namesNoFile(command: string, args: readonly ShellWord[]): boolean {
  const has = (form: RegExp): boolean => args.some((word) => form.test(word.value));
  if (command === 'checkout') return has(/^(?:-[bBt]|--orphan|--track|--detach)$/) && !has(/^--$/);
  if (command === 'rm') return has(/^--cached$/);
  return command === 'restore' && has(/^(?:--staged|-S)$/) && !has(/^(?:--worktree|-[a-zA-Z]*W)/);
}

const REVISION = /^(?:[A-Z_]*HEAD|@)(?:$|[~^@])/;

function takesPattern(args: readonly ShellWord[]): boolean {
  return !args.some((word) => /^-[a-zA-Z]*[ef]/.test(word.value));
}

/** `path`, `revision:path`, `:0:path`, `:(top)path`, `:/path`; `:!path` is left out. A pattern of git's own is one of the shell's here. */
function namedBy(word: ShellWord): { word: ShellWord }[] {
  const { value } = word;
  if (/^:(?:[!^]|\([^)]*exclude)/.test(value)) return [];
  const head = /^:(?:[0-3]:|\([^)]*\)|\/)?/.exec(value)?.[0].length ?? 0;
  const plain = head === 0 ? word : withoutHead(word, head);
  const colon = plain.value.indexOf(':');
  const paths = colon < 0 ? [plain] : [withoutHead(plain, colon + 1)];
  const last = plain.value.lastIndexOf(':');
  if (last > colon) paths.push(withoutHead(plain, last + 1));
  return paths.map((one) => ({ word: asPattern(one) }));
}

/** git reads wildcards that the shell was kept from reading. */
function asPattern(word: ShellWord): ShellWord {
  if (!word.literal || !/[*?[]/.test(word.value)) return word;
  return { ...word, literal: false, pieces: [{ kind: 'glob', value: word.value }] };
}

function mayWriteAny(command: string, args: readonly ShellWord[]): boolean {
  const has = (form: RegExp): boolean => args.some((word) => form.test(word.value));
  if (command === 'stash') return !has(/^(?:list|show|drop|clear|create|store)$/);
  if (command === 'worktree') return has(/^add$/);
  if (!WRITES_ANY.has(command) || makesBranchHere(args)) return false;
  const [moves, leaves] = [MOVES_FILES[command], LEAVES_FILES[command]];
  return (moves === undefined || has(moves)) && (leaves === undefined || !has(leaves));
}

/** `git switch -c name`, `git checkout -b name`: a new branch where the old one is. */
function makesBranchHere(args: readonly ShellWord[]): boolean {
  const [command, flag, ...names] = args.map((word) => word.value);
  const makes = command === 'switch' ? /^(?:-[cC]|--create)$/ : /^-[bB]$/;
  return /^(?:switch|checkout)$/.test(command ?? '') && makes.test(flag ?? '') && names.length === 1;
}

function namedFolders({ values }: SortedArgs): Operand[] {
  const out: Operand[] = [];
  if (values.size === 0) return out;
  const output = values.get('--output');
  if (output !== undefined) out.push({ word: output, access: 'write', recursive: false });
  for (const flag of ['-C', '--git-dir', '--work-tree']) {
    const folder = values.get(flag);
    if (folder !== undefined) out.push({ word: folder, access: 'read', recursive: false });
  }
  return out;
}
