/** Programs that create, move, change and remove files. None of them only reads. */
import { only, words, type Operand, type OperandRow, type ProgramFamily } from './program.js';
import { withoutHead } from '../flags.js';
import type { ShellWord } from '../../shell/tree.js';

const COPY_FLAGS = words('-t --target-directory -S --suffix -m --mode -o -g --owner --group');
const TARGET = ['-t', '--target-directory'];
const WRITE: OperandRow = { access: 'write' };
/** Programs that make a file system on what they are given; values of their flags pass for files, which only adds questions. */
const MAKERS =
  'mkfs mke2fs mkfs.bfs mkfs.btrfs mkfs.cramfs mkfs.exfat mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.f2fs mkfs.fat mkfs.minix mkfs.msdos mkfs.ntfs mkfs.vfat mkfs.xfs';

export const WRITER_PROGRAMS: ProgramFamily = {
  rm: { operands: { access: 'write', recursive: 'flag' } },
  rmdir: { operands: WRITE },
  unlink: { operands: WRITE },
  shred: { operands: { access: 'write', valueFlags: ['-n', '-s'] } },
  mkdir: { operands: { access: 'write', valueFlags: ['-m', '--mode'] } },
  mkfifo: { operands: { access: 'write', valueFlags: ['-m', '--mode'] } },
  touch: { operands: { access: 'write', valueFlags: words('-d -t -r --date --reference') } },
  truncate: { operands: { access: 'write', valueFlags: words('-s -r --size --reference') } },
  // Copying to the terminal or to nowhere writes nothing.
  tee: { reads: only(/^(?:-[ai]+|--append|\/dev\/(?:null|stdout|stderr|tty))$/), operands: WRITE },
  mv: { operands: { access: 'write', valueFlags: COPY_FLAGS, writeFlags: TARGET } },
  cp: { operands: { access: 'read', valueFlags: COPY_FLAGS, writesLast: true, recursive: 'flag', writeFlags: TARGET } },
  install: { operands: { access: 'read', valueFlags: COPY_FLAGS, writesLast: true, writeFlags: TARGET } },
  ln: { operands: { access: 'write', valueFlags: COPY_FLAGS, writeFlags: TARGET } },
  rsync: {
    operands: {
      access: 'read',
      valueFlags: words('-e --exclude --include -f'),
      writesLast: true,
      recursive: 'always',
    },
  },
  split: {
    operands: {
      access: 'read',
      valueFlags: words('-a -b -C -l -n -t --bytes --lines --number --separator'),
      writesLast: true,
    },
  },
  chmod: { operands: { access: 'write', skip: 1, recursive: 'flag' } },
  chown: { operands: { access: 'write', skip: 1, recursive: 'flag' } },
  chgrp: { operands: { access: 'write', skip: 1, recursive: 'flag' } },
  chattr: { operands: { access: 'write', skip: 1, recursive: 'flag' } },
  setcap: { operands: { access: 'write', skip: 1 } },
  dd: { operands: ddFiles },
  ...Object.fromEntries(words(MAKERS).map((name) => [name, { operands: WRITE }])),
};

function ddFiles(args: readonly ShellWord[]): Operand[] {
  const out: Operand[] = [];
  for (const word of args) {
    if (word.value.startsWith('of=')) out.push({ word: withoutHead(word, 3), access: 'write', recursive: false });
    if (word.value.startsWith('if=')) out.push({ word: withoutHead(word, 3), access: 'read', recursive: false });
  }
  return out;
}
