/** Programs that list files and say what they are. */
import { ASKS_NOTHING, printer, printerUnless, words, type Operand, type ProgramFamily } from './program.js';
import type { ShellWord } from '../../shell/tree.js';

const LIST = printer('-I --ignore -w -T --level -L --sort -s -t --time --group-directories-first');

export const FILE_PROGRAMS: ProgramFamily = {
  ls: printer('-I --ignore -w -T --hide --width'),
  dir: printer('-I --ignore -w -T'),
  vdir: printer('-I --ignore -w -T'),
  exa: LIST,
  eza: LIST,
  lsd: printer('--depth --tree --sort'),
  tree: {
    ...printerUnless(/^-[a-zA-Z]*o|^--output/),
    operands: { access: 'read', valueFlags: words('-L -I -P -o --filelimit --charset'), writeFlags: ['-o'] },
  },
  stat: printer('-c -f -t --format --printf'),
  du: {
    ...printerUnless(
      /^--files0/,
      '-d --max-depth --exclude -X --exclude-from -t -B --block-size --threshold --files0-from',
      {
        readFlags: ['--files0-from', '-X', '--exclude-from'],
      },
    ),
    takesUnknown: true,
  },
  df: printer('-t -x -B --output --type'),
  file: printerUnless(/^-[a-zA-Z]*[Cm]|^--(?:compile|magic-file)/, '-F -e --separator'),
  readlink: printer(),
  realpath: printer('--relative-to --relative-base'),
  pathchk: printer(),
  namei: printer(),
  basename: ASKS_NOTHING,
  dirname: ASKS_NOTHING,
  getfacl: printer(),
  lsattr: printer(),
  cd: printer(),
  pushd: { operands: { access: 'read' } },
  find: {
    reads: (args) => !args.some((word) => ACTIONS.test(word.value)),
    operands: findStarts,
  },
};

/** What makes find do more than print. */
const ACTIONS = /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/;

/** The folders that find starts from; below them it deletes when it is told so. */
export function findStarts(args: readonly ShellWord[]): Operand[] {
  const options = args.findIndex((word) => !/^-[HLPDO]/.test(word.value));
  const rest = options < 0 ? [] : args.slice(options);
  const end = rest.findIndex((word) => /^(?:-|[(!]$)/.test(word.value));
  const starts = end < 0 ? rest : rest.slice(0, end);
  const access = args.some((word) => word.value === '-delete') ? 'write' : 'read';
  const found = starts.map((word): Operand => ({ word, access, recursive: access === 'write' }));
  return [...found, ...printTargets(args)];
}

/** Files that `-fprint` and its kin write, and `-newer` looks at. */
function printTargets(args: readonly ShellWord[]): Operand[] {
  const out: Operand[] = [];
  args.forEach((word, at) => {
    const next = args[at + 1];
    if (next === undefined) return;
    if (/^-(?:fprint|fprint0|fprintf|fls)$/.test(word.value))
      out.push({ word: next, access: 'write', recursive: false });
    if (/^-(?:newer|anewer|cnewer|samefile|files0-from)$/.test(word.value)) {
      out.push({ word: next, access: 'read', recursive: false });
    }
  });
  return out;
}
