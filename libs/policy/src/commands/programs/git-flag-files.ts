/** Files that git is given behind flags: messages, lists of paths, settings. */
import type { ShellWord } from '../../shell/tree.js';
import { withoutHead } from '../flags.js';
import type { Operand } from './program.js';

/** Long flags of any subcommand whose value is a file, whose text git shows or keeps. Shortened ones count too. */
const LONG = [
  '--file',
  '--template',
  '--pathspec-from-file',
  '--exclude-from',
  '--contents',
  '--ignore-revs-file',
  '--signature-file',
];

/** Short ones, by subcommand. */
const SHORT: ReadonlyMap<string, readonly string[]> = new Map([
  ['commit', ['-F', '-t']],
  ['tag', ['-F']],
  ['notes', ['-F']],
  ['merge', ['-F']],
  ['config', ['-f']],
  ['ls-files', ['-X']],
  ['blame', ['-S']],
  ['annotate', ['-S']],
  ['diff', ['-O']],
  ['log', ['-O']],
  ['show', ['-O']],
  ['commit-tree', ['-F']],
  ['fmt-merge-msg', ['-F']],
]);

/** Flags whose value is a file or folder that is written, by subcommand; none: of any. Short ones may carry it in the same word. */
const WRITTEN: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    archive: '-o',
    'format-patch': '-o --output-directory',
    bugreport: '-o --output-directory',
    diagnose: '-o --output-directory',
    'index-pack': '-o',
    mailsplit: '-o',
    apply: '--directory',
    'checkout-index': '--prefix',
    'read-tree': '--index-output',
    init: '--separate-git-dir',
    clone: '--separate-git-dir',
    'fast-export': '--export-marks',
    'fast-import': '--export-marks',
    'commit-graph': '--object-dir',
    'multi-pack-index': '--object-dir',
    'interpret-trailers': '--in-place',
  }).map(([command, flags]): [string, readonly string[]] => [command, flags.split(' ')]),
);
/** Those that take a folder whole. */
const BELOW = /^(?:apply|checkout-index|format-patch|mailsplit|clone|init|commit-graph|multi-pack-index)$/;

/** Settings behind `-c` that name a file whose text becomes settings or a message. */
const SETTING = /^(?:include(?:if\..*)?\.path|commit\.template|blame\.ignorerevsfile)=/i;

/** Every one among the words behind `git`. */
export function gitFlagFiles(args: readonly ShellWord[], command: string): Operand[] {
  const out: Operand[] = [];
  const short = SHORT.get(command) ?? [];
  const written = WRITTEN.get(command);
  args.forEach((word, at) => {
    const next = args[at + 1];
    const file = fileAt(word, next, short);
    if (file !== undefined) out.push({ word: file, access: 'read', recursive: false });
    const made = written === undefined ? undefined : valueOf(word, next, written);
    if (made !== undefined) out.push({ word: made, access: 'write', recursive: BELOW.test(command), unread: true });
  });
  return out;
}

/** In a cluster up to `m`, which takes the rest of it. */
function fileAt(word: ShellWord, next: ShellWord | undefined, short: readonly string[]): ShellWord | undefined {
  const { value } = word;
  if (value === '-c') return settingFile(next);
  if (value.startsWith('--')) return longFile(word, next, LONG);
  if (!value.startsWith('-')) return undefined;
  const at = short.map((flag) => value.indexOf(flag.charAt(1), 1)).find((place) => place > 0);
  if (at === undefined || !/^-[a-ln-zA-Z]*$/.test(value.slice(0, at))) return undefined;
  return at + 1 < value.length ? withoutHead(word, at + 1) : next;
}

function settingFile(setting: ShellWord | undefined): ShellWord | undefined {
  const head = SETTING.exec(setting?.value ?? '')?.[0];
  return setting === undefined || head === undefined ? undefined : withoutHead(setting, head.length);
}

/** The value of one of these flags. */
function valueOf(word: ShellWord, next: ShellWord | undefined, flags: readonly string[]): ShellWord | undefined {
  const { value } = word;
  const short = flags.find((flag) => !flag.startsWith('--') && value.startsWith(flag));
  if (short !== undefined) return value === short ? next : withoutHead(word, short.length);
  return longFile(word, next, flags);
}

function longFile(word: ShellWord, next: ShellWord | undefined, names: readonly string[]): ShellWord | undefined {
  const equals = word.value.indexOf('=');
  const flag = equals < 0 ? word.value : word.value.slice(0, equals);
  if (flag.length < 4 || !names.some((name) => name.startsWith(flag))) return undefined;
  return equals < 0 ? next : withoutHead(word, equals + 1);
}
