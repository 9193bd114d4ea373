/** Programs that turn text into other text on standard output. */
import type { ShellWord } from '../../shell/tree.js';
import { sortArgs } from '../flags.js';
import {
  ASKS_NOTHING,
  NO_FILES,
  only,
  OPTIONS_FILE,
  printer,
  printerUnless,
  unless,
  words,
  type ProgramFamily,
  type ProgramRow,
} from './program.js';

const CHECKSUM = printer();
const UNIQ_VALUES = words('-f -s -w --skip-fields --skip-chars --check-chars');
const XXD_VALUES = words('-l -s -c -g -o -len -seek -cols');
const BAT = printerUnless(
  /^--(?:pager|paging|config|generate|diagnostic)|^cache$/,
  '-r -l -H -m --line-range --language --style --theme',
);
/** Flags of diff that name files; shortened ones, which it takes too, are not looked into. */
const DIFF_FILES = words('-X --exclude-from --from-file --to-file');
const DIFF: ProgramRow = {
  reads: unless(/^--(?:fr(?!om-file)|to(?!-file)|exclude-f(?!rom))/),
  operands: {
    access: 'read',
    valueFlags: [...words('-U -C -x -I -W -F -L --label --exclude --ignore-matching-lines'), ...DIFF_FILES],
    readFlags: DIFF_FILES,
    recursive: 'flag',
  },
};

export const TEXT_PROGRAMS: ProgramFamily = {
  cat: printer(),
  tac: printer('-s --separator'),
  rev: printer(),
  head: printer('-n -c --lines --bytes'),
  tail: printer('-n -c --lines --bytes --pid -s --sleep-interval'),
  nl: printer('-b -s -w -v -d -f -h -i -l -n'),
  wc: { ...printerUnless(/^--files0/, '--files0-from', { readFlags: ['--files0-from'] }), takesUnknown: true },
  cut: printer('-d -f -c -b --delimiter --fields --output-delimiter'),
  paste: printer('-d --delimiters'),
  join: printer('-t -1 -2 -o -e -a -v -j'),
  comm: printer('--output-delimiter'),
  column: printer('-s -o -N -c -R -H -T -l --separator --output-separator'),
  colrm: ASKS_NOTHING,
  fold: printer('-w --width'),
  fmt: printer('-w -p -g --width --prefix --goal'),
  pr: printer('-l -w -h -o -n -s'),
  expand: printer('-t --tabs'),
  unexpand: printer('-t --tabs'),
  tsort: printer(),
  tr: ASKS_NOTHING,
  seq: ASKS_NOTHING,
  expr: ASKS_NOTHING,
  factor: ASKS_NOTHING,
  numfmt: ASKS_NOTHING,
  bc: printer(),
  sort: {
    ...printerUnless(/^-[a-zA-Z]*[oT]|^--(?:o|co|te|fil)/),
    operands: {
      access: 'read',
      valueFlags: words('-k -t -S -T -o --key --output --field-separator --random-source --files0-from'),
      writeFlags: ['-o', '--output'],
      readFlags: ['--random-source', '--files0-from'],
    },
  },
  shuf: printerUnless(/^-[a-zA-Z]*o|^--o/, '-n -i --head-count --input-range --random-source', {
    readFlags: ['--random-source'],
  }),
  uniq: {
    reads: (args) => operandsBut(args, UNIQ_VALUES) < 2,
    operands: { access: 'read', valueFlags: UNIQ_VALUES, writesLast: true },
  },
  xxd: {
    reads: (args) => operandsBut(args, XXD_VALUES) < 2,
    operands: { access: 'read', valueFlags: XXD_VALUES, writesLast: true },
  },
  od: printer('-A -t -N -j -w -S'),
  hexdump: printer('-n -s -e -f'),
  hd: printer('-n -s -e -f'),
  strings: printerUnless(OPTIONS_FILE, '-n -t -e'),
  iconv: printerUnless(/^-[a-zA-Z]*o|^--o/, '-f -t --from-code --to-code'),
  base64: printerUnless(/^-[a-zA-Z]*o|^--output/, '-w -b --wrap'),
  base32: printer('-w --wrap'),
  diff: DIFF,
  colordiff: DIFF,
  cmp: printer('-n -i --bytes --ignore-initial'),
  diffstat: printerUnless(/^-[a-zA-Z]*o/, '-p -n -w'),
  md5sum: CHECKSUM,
  sha1sum: CHECKSUM,
  sha224sum: CHECKSUM,
  sha256sum: CHECKSUM,
  sha384sum: CHECKSUM,
  sha512sum: CHECKSUM,
  b2sum: CHECKSUM,
  md5: printer('-s'),
  shasum: printer('-a --algorithm'),
  cksum: printer('-a'),
  sum: CHECKSUM,
  look: { reads: 'always', operands: { access: 'read', skip: 1, valueFlags: ['-t'] } },
  bat: BAT,
  batcat: BAT,
  less: { operands: { access: 'read' } },
  // Flags of some versions write a log or start with a command.
  more: { reads: only(/^(?:-[dlfpcsu]+|-\d+|[^-+].*)$/s), operands: { access: 'read' } },
  echo: ASKS_NOTHING,
  printf: { reads: (args) => !args.some((word) => word.value.startsWith('-v')), operands: NO_FILES },
};

/** Count of words that are neither flags nor their values. */
function operandsBut(args: readonly ShellWord[], valueFlags: readonly string[]): number {
  return sortArgs(args, valueFlags).operands.length;
}
