/** Archives and packed files: listing and unpacking to standard output reads, everything else writes. */
import type { ShellWord } from '../../shell/tree.js';
import { hasFlag, sortArgs, withoutHead } from '../flags.js';
import { OPTIONS_FILE, printer, subcommand, words, type Operand, type ProgramFamily } from './program.js';

const PACKED = { access: 'write', valueFlags: words('-S -T -b --suffix') } as const;

/** `-c` unpacks to standard output, `-l` lists, `-t` tests. */
function streams(args: readonly ShellWord[]): boolean {
  const { flags } = sortArgs(args, []);
  return (
    hasFlag(flags, 'c', '--stdout') ||
    hasFlag(flags, 'l', '--list') ||
    hasFlag(flags, 't', '--test') ||
    flags.includes('--to-stdout')
  );
}

const packer = { reads: streams, operands: packedFiles } as const;

function packedFiles(args: readonly ShellWord[]): Operand[] {
  const access = streams(args) ? 'read' : 'write';
  return sortArgs(args, PACKED.valueFlags).operands.map((word) => ({ word, access, recursive: false }));
}

export const ARCHIVE_PROGRAMS: ProgramFamily = {
  gzip: packer,
  gunzip: packer,
  bzip2: packer,
  bunzip2: packer,
  xz: packer,
  unxz: packer,
  lzma: packer,
  unlzma: packer,
  zcat: printer(),
  gzcat: printer(),
  bzcat: printer(),
  xzcat: printer(),
  lzcat: printer(),
  zstdcat: printer(),
  lz4cat: printer(),
  tar: { reads: listsTar, operands: tarFiles },
  bsdtar: { operands: tarFiles },
  zipinfo: printer(),
  unzip: { reads: listsZip, operands: { access: 'read', valueFlags: ['-x', '-d', '-P'], writeFlags: ['-d'] } },
  ar: { reads: subcommand(/^-?[tp][vO]*$/, OPTIONS_FILE), operands: { access: 'read', skip: 1 } },
  jar: { reads: subcommand(/^(?:-?t[vf]*|--list)$/), operands: { access: 'read', skip: 1 } },
  '7z': { reads: subcommand(/^l$/, /^@|^-.*@/), operands: { access: 'read', skip: 1 } },
  zip: { operands: { access: 'write', valueFlags: words('-x -i -b -n -t'), recursive: 'flag' } },
};

function listsZip(args: readonly ShellWord[]): boolean {
  const { flags } = sortArgs(args, ['-x', '-P']);
  return flags.some((flag) => /^-[a-zA-Z]*[lZvtpcz]/.test(flag)) && args.every((word) => !word.value.startsWith('-d'));
}

/** Flags of tar that run programs or take names from files, which it prints when it lacks them; archives on other machines. */
const TAR_NEVER =
  /^--(?:to-c|checkpoint-a|use-c|info-s|new-v|rmt|rsh|delete|remove|extract|get|create|append|update|concat|catenate|index|files|exclude-f|add|listed|volno)|^-[a-zA-Z]*[IFTXg]/;

function listsTar(args: readonly ShellWord[]): boolean {
  const [mode] = args;
  if (mode === undefined || args.some((word) => TAR_NEVER.test(word.value))) return false;
  const bundle = mode.value.startsWith('--') ? '' : mode.value.replace(/^-/, '');
  const lists = /^[a-zA-Z]*$/.test(bundle) && (bundle.includes('t') || mode.value === '--list');
  const modes = args.filter((word) => /^-[a-zA-Z]*[xcruA]/.test(word.value) && word !== mode);
  return (
    lists &&
    !/[xcruAIFTXg]/.test(bundle) &&
    modes.length === 0 &&
    !archiveOf(args).some((word) => word.value.includes(':'))
  );
}

/** The archive's own name: behind `f` in the first bundle or behind `-f`, `--file`. */
function archiveOf(args: readonly ShellWord[]): ShellWord[] {
  const out: ShellWord[] = [];
  args.forEach((word, at) => {
    const bundled = at === 0 && /^-?[a-zA-Z]*f$/.test(word.value) && !word.value.startsWith('--');
    const next = args[at + 1];
    if ((bundled || /^(?:-[a-zA-Z]*f|--file)$/.test(word.value)) && next !== undefined) out.push(next);
    if (word.value.startsWith('--file=')) out.push(withoutHead(word, 7));
    const oldStyle = at === 0 && /^[a-zA-Z]*f[a-zA-Z]+$/.test(word.value) ? next : undefined;
    if (oldStyle !== undefined) out.push(oldStyle);
  });
  return out;
}

/** The archive and, when one is made, what goes into it. Unpacking writes below the folder that it happens in. */
function tarFiles(args: readonly ShellWord[]): Operand[] {
  const makes = doesTar(args, /[cruA]/, /^--(?:create|append|update|concat|catenate)/);
  const unpacks = doesTar(args, /x/, /^--(?:extract|get)/);
  const archives = archiveOf(args);
  const out = archives.map((word): Operand => ({ word, access: makes ? 'write' : 'read', recursive: false }));
  args.forEach((word, at) => {
    if (!/^(?:-C|--directory)$/.test(args[at - 1]?.value ?? '')) return;
    out.push({ word, access: unpacks ? 'write' : 'read', recursive: false });
  });
  out.push(...listFiles(args));
  if (makes) out.push(...packed(args).filter((one) => !archives.includes(one.word)));
  return out;
}

/** Files that name what is packed or left out. */
function listFiles(args: readonly ShellWord[]): Operand[] {
  const flags = words('-T -X --files-from --exclude-from');
  const { values } = sortArgs(args, flags);
  return flags.flatMap((flag) => {
    const word = values.get(flag);
    return word === undefined ? [] : [{ word, access: 'read', recursive: false }];
  });
}

/** Is the mode set: in the first bundle, in a short flag, or in full? */
function doesTar(args: readonly ShellWord[], letters: RegExp, long: RegExp): boolean {
  return args.some(({ value }, at) => {
    if (value.startsWith('--')) return long.test(value);
    return (
      (at === 0 || value.startsWith('-')) && /^-?[a-zA-Z]+$/.test(value) && letters.test(value.split('f')[0] ?? '')
    );
  });
}

function packed(args: readonly ShellWord[]): Operand[] {
  const first = args[0]?.value.startsWith('-') === true ? 0 : 1;
  const values = words('-f --file -C --directory -T -X --exclude -b');
  return sortArgs(args.slice(first), values).operands.map((word) => ({ word, access: 'read', recursive: true }));
}
