/** Programs that search text in files. */
import { line, printer, printerUnless, words, type OperandRow, type ProgramFamily } from './program.js';

const GREP: OperandRow = {
  access: 'read',
  skip: 1,
  skipInFlag: ['-e', '-f', '--regexp', '--file', '--files', '--type-list'],
  readFlags: ['-f', '--file'],
  valueFlags: words(
    '-e -f -A -B -C -m -d -D -g -t -T -M -j --regexp --file --include --exclude --exclude-dir --max-count --glob --iglob --type --type-not --context --after-context --before-context --max-depth --sort --color --colour',
  ),
  nameFlags: words('--include -g --glob --iglob -G'),
  recursive: 'flag',
  elseFolder: 'always',
};
const EVERYTHING_BELOW: OperandRow = { ...GREP, recursive: 'always', elseFolder: 'unfed' };

export const SEARCH_PROGRAMS: ProgramFamily = {
  grep: { reads: 'always', operands: GREP },
  egrep: { reads: 'always', operands: GREP },
  fgrep: { reads: 'always', operands: GREP },
  zgrep: { reads: 'always', operands: GREP },
  rg: {
    ...printerUnless(/^--(?:pre|pre-glob|hostname-bin|search-zip)(?:=|$)|^-[a-zA-Z]*z/),
    operands: EVERYTHING_BELOW,
  },
  ag: { ...printerUnless(/^--pager|^-[a-zA-Z]*z|^--search-zip/), operands: EVERYTHING_BELOW },
  ack: { ...printerUnless(/^--(?:pager|ackrc|env)/), operands: EVERYTHING_BELOW },
  fd: { ...printerUnless(/^-[a-zA-Z]*[xX]|^--exec/), operands: fdFolders() },
  fdfind: { ...printerUnless(/^-[a-zA-Z]*[xX]|^--exec/), operands: fdFolders() },
  ctags: { reads: line(/^(?:-[xnu] )*(?:-x|-f -)(?: [^-]\S*)*$/), operands: { access: 'read', valueFlags: ['-f'] } },
  cloc: printerUnless(
    /^--(?:out|report|write|sum|config|ignored|counted|found|categorized|extract|unix|script|diff-timeout)|^--use/,
  ),
  tokei: printer('-t -e -s -o --types --exclude --sort --output'),
  scc: printerUnless(/^(?:-o|--output|--format-multi)/),
};

function fdFolders(): OperandRow {
  const valueFlags = words(
    '-e -t -d -E -S -o -c -j --extension --type --max-depth --min-depth --exclude --size --owner --color --changed-within --changed-before --search-path --base-directory',
  );
  return { access: 'read', skip: 1, valueFlags, readFlags: ['--search-path', '--base-directory'], recursive: 'always' };
}
