/** Which programs take the commands that they run from their standard input. */
import type { ShellWord } from './tree.js';
import { isShell } from './wrappers.js';

/** Flags of a shell that take the next word. */
const VALUES = /^(?:[-+][a-zA-Z]*[oO]|--rcfile|--init-file)$/;
const INPUT = /^\/(?:dev\/stdin|dev\/fd\/0|proc\/(?:self|thread-self)\/fd\/0)$/;

/** `sh`, `bash -s x`, `bash -o pipefail`, `bash /dev/stdin`, `. /dev/stdin`; not `bash file`. */
export function runsInput(program: string | null, args: readonly ShellWord[]): boolean {
  if (program === 'source' || program === '.') return isInput(args.find((word) => word.value !== '--'));
  if (program === null || !isShell(program)) return false;
  const script = scriptOf(args);
  return script === null || script === undefined || isInput(script);
}

/** The word that names the script; null: `-s` says that there is none. */
function scriptOf(args: readonly ShellWord[]): ShellWord | null | undefined {
  let at = 0;
  for (let word = args[0]; word !== undefined && /^[-+]./.test(word.value); word = args[at]) {
    if (/^-[a-zA-Z]*s/.test(word.value)) return null;
    at += VALUES.test(word.value) ? 2 : 1;
    if (word.value === '--') break;
  }
  return args[at]?.value === '-' ? args[at + 1] : args[at];
}

function isInput(word: ShellWord | undefined): boolean {
  return word !== undefined && INPUT.test(word.value.replace(/\/(?:\.?\/)+/g, '/'));
}
