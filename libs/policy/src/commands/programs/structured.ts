/** Programs with a small language of their own: what the program text says decides. */
import type { ShellWord } from '../../shell/tree.js';
import { readsOnlyAwk } from '../languages/awk.js';
import { readsOnlySed } from '../languages/sed.js';
import { sortArgs } from '../flags.js';
import { printerUnless, words, type Operand, type OperandRow, type ProgramFamily, type ProgramRow } from './program.js';

const AWK_FILES: OperandRow = {
  access: 'read',
  skip: 1,
  skipInFlag: ['-f', '--file'],
  readFlags: ['-f', '--file'],
  valueFlags: words('-F -v -f --file --field-separator --assign'),
};
const AWK: ProgramRow = { reads: readsAwk, operands: AWK_FILES };
const SED: ProgramRow = { reads: readsSed, operands: sedFiles };

/** jq programs that show the environment or load other files. */
const JQ_NEVER =
  /(?<![.\w"])env\b|\$ENV|\b(?:import|include)\b|input_filename|get_search_list|^-[a-zA-Z]*[fL]|^--(?:from-file|library-path|rawfile|slurpfile)/;
const YQ_NEVER =
  /\bload|\b(?:str)?env\(|envsubst|^-[a-zA-Z]*[is]|^--(?:inplace|in-place|split|from-file|front-matter|rawfile|slurpfile)/;

export const STRUCTURED_PROGRAMS: ProgramFamily = {
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  nawk: AWK,
  sed: SED,
  gsed: SED,
  jq: {
    ...printerUnless(JQ_NEVER),
    operands: {
      access: 'read',
      skip: 1,
      valueFlags: words('-f --from-file --indent -L'),
      readFlags: ['-f', '--from-file'],
      skipInFlag: ['-f', '--from-file'],
    },
  },
  yq: {
    ...printerUnless(YQ_NEVER),
    operands: { access: 'read', skip: 1, valueFlags: words('-o -p --output-format --input-format -I') },
  },
  xmllint: printerUnless(
    /^[a-z]+:|^--?(?:output|o$|shell|noent|load|loaddtd|catalogs|dtd|valid|postvalid|xinclude|schema|relaxng|path)/,
    '--xpath --pattern --encode',
  ),
};

/** The program text is the first operand; its flags only set fields and variables. */
function readsAwk(args: readonly ShellWord[]): boolean {
  const { flags, operands, values } = sortArgs(args, AWK_FILES.valueFlags ?? []);
  const known = flags.every((flag) =>
    /^(?:-F.*|-v|--field-separator|--assign|--posix|--re-interval|--csv|-[PS])$/.test(flag),
  );
  const assigned = ['-v', '--assign'].map((flag) => values.get(flag)?.value ?? '');
  const [text] = operands;
  return (
    known &&
    text?.literal === true &&
    !assigned.some((value) => /^ENVIRON|^ARG/.test(value)) &&
    readsOnlyAwk(text.value)
  );
}

const SED_SCRIPTS = ['-e', '--expression'];
const SED_VALUES = [...SED_SCRIPTS, '-f', '--file', '-l', '--line-length'];

/** Every script given must only print, whatever the flags in front of it. */
function readsSed(args: readonly ShellWord[]): boolean {
  const { flags, operands } = sortArgs(args, SED_VALUES);
  const known = flags.every((flag) =>
    /^(?:-[nErsuz]*e?|-l|--(?:quiet|silent|regexp-extended|expression|unbuffered|separate|null-data|posix|sandbox|line-length))$/.test(
      flag,
    ),
  );
  if (!known) return false;
  const given = sedScripts(args);
  const first = operands[0];
  const scripts = given.length > 0 ? given : first === undefined ? [] : [first];
  return (
    scripts.length > 0 &&
    scripts.every((script) => script.literal) &&
    readsOnlySed(scripts.map((one) => one.value).join('\n'))
  );
}

function sedScripts(args: readonly ShellWord[]): ShellWord[] {
  const out: ShellWord[] = [];
  args.forEach((word, at) => {
    const next = args[at + 1];
    if (/^(?:-[nErsuz]*e|--expression)$/.test(word.value) && next !== undefined) out.push(next);
    else if (/^--expression=/.test(word.value)) out.push({ ...word, value: word.value.slice(13) });
    else if (/^-e./.test(word.value)) out.push({ ...word, value: word.value.slice(2) });
  });
  return out;
}

function sedFiles(args: readonly ShellWord[]): Operand[] {
  const sorted = sortArgs(args, SED_VALUES);
  const given = sedScripts(args).length > 0 || ['-f', '--file'].some((flag) => sorted.flags.includes(flag));
  const inPlace = sorted.flags.some((flag) => flag.startsWith('--in-place') || /^-[a-zA-Z]*i/.test(flag));
  const access = inPlace ? 'write' : 'read';
  const bundled = args.filter((_word, at) => /^-[nErsuz]+e$/.test(args[at - 1]?.value ?? ''));
  const files = sorted.operands.filter((word) => !bundled.includes(word)).slice(given ? 0 : 1);
  return files.map((word) => ({ word, access, recursive: false }));
}
