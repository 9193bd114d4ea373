/** Which commands only read: judged by program AND flags. Everything that is not listed is taken to change something. */
import type { ShellCall } from '../shell/plan.js';
import type { ShellWord } from '../shell/tree.js';
import { isReadOnlyGit } from './read-only-git.js';
import { isReadOnlySed } from './read-only-sed.js';

/** Programs that read whatever their flags say. */
// prettier-ignore
const ALWAYS = new Set([
  'ls', 'dir', 'cat', 'echo', 'pwd', 'head', 'tail', 'grep', 'egrep', 'fgrep', 'wc', 'which', 'type', 'cmp', 'comm',
  'stat', 'du', 'df', 'cut', 'tr', 'tac', 'nl', 'column', 'fold', 'paste', 'od', 'strings', 'md5sum',
  'sha1sum', 'sha256sum', 'sha512sum', 'cksum', 'basename', 'dirname', 'realpath', 'readlink', 'seq',
  'true', 'false', ':', 'sleep', 'whoami', 'id', 'groups', 'uname', 'uptime', 'free', 'nproc', 'tput', 'cd',
  'cal', 'locale', 'rev', 'join', 'expr', 'hexdump', 'diff', 'help',
]);

/** Programs that only read unless one of these flags is among their words. */
const UNLESS: Readonly<Record<string, RegExp>> = {
  find: /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/,
  rg: /^--(?:pre|pre-glob|hostname-bin|search-zip)(?:=|$)|^-[a-zA-Z]*z/,
  sort: /^-[a-zA-Z]*[oT]|^--(?:o|c|t|f)/,
  tree: /^-[a-zA-Z]*o|^--output/,
  file: /^-[a-zA-Z]*[Cm]|^--(?:compile|magic-file)/,
  jq: /^-[a-zA-Z]*[fL]|^--(?:from-file|library-path|rawfile|slurpfile)/,
  ps: /^$/,
  base64: /^-[a-zA-Z]*o|^--output/,
  arch: /./,
  test: /^-[vR]$/,
  '[': /^-[vR]$/,
  printf: /^-v/,
  lsof: /^[-+][a-zA-Z]*D/,
  ss: /^-[a-zA-Z]*K|^--(?:kill|diag)/,
  netstat: /^-[a-zA-Z]*c/,
};

const SPECIAL: Readonly<Record<string, (args: readonly ShellWord[]) => boolean>> = {
  __proto__: null as never,
  git: isReadOnlyGit,
  sed: isReadOnlySed,
  date: (args) => args.every((word) => /^(?:\+|-[uIR]|--(?:utc|iso-8601|rfc-3339|rfc-email))/.test(word.value)),
  hostname: (args) => args.every((word) => /^-[fisdIA]+$/.test(word.value)),
  uniq: (args) =>
    args.filter((word) => !word.value.startsWith('-')).length < 2 && args.every((word) => !/^-[fsw]$/.test(word.value)),
  node: isVersion,
  npm: isVersion,
  python: isVersion,
  python3: isVersion,
  go: (args) => args.length === 1 && args[0]?.value === 'version',
  history: (args) => args.length === 0,
  cargo: isVersion,
  rustc: isVersion,
  docker: (args) =>
    /^(?:ps|images|version)$/.test(args[0]?.value ?? '') &&
    args.every((word) => !/^-(?:H|c)|^--(?:host|context|config)/.test(word.value)),
  command: (args) => /^-[vV]$/.test(args[0]?.value ?? ''),
};

function isVersion(args: readonly ShellWord[]): boolean {
  return args.length === 1 && /^(?:--version|-v|-V)$/.test(args[0]?.value ?? '');
}

/** True when the command only reads. The program must be written by its bare name: `./cat` is another program. */
export function isReadOnly(call: ShellCall): boolean {
  const { program, args } = call;
  if (program === null || program === '' || call.name?.value !== program || isDoubtful(call)) return false;
  if (ALWAYS.has(program)) return true;
  // A word that only the running shell knows may turn out to be a flag.
  return args.every(isSettled) && readsWith(program, args);
}

function isDoubtful(call: ShellCall): boolean {
  return call.doubt !== null || call.wrapper !== null || call.reveals;
}

function readsWith(program: string, args: readonly ShellWord[]): boolean {
  const special = SPECIAL[program];
  if (special !== undefined) return special(args);
  const unless = Object.hasOwn(UNLESS, program) ? UNLESS[program] : undefined;
  return unless !== undefined && !args.some((word) => unless.test(word.value));
}

/** A word cannot become a flag when it is literal or begins with known text that is none. */
function isSettled(word: ShellWord): boolean {
  if (word.literal) return true;
  const [first] = word.pieces;
  if (first?.kind === 'home') return true;
  return (
    first?.kind === 'literal' &&
    first.value !== '' &&
    !first.value.startsWith('-') &&
    word.pieces.every((piece) => piece.kind === 'literal' || piece.kind === 'glob')
  );
}
