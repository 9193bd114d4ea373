/** Programs that run another program named in their arguments: how to find it, and whether an allow may look through. */
import { isSafeVariable } from '../commands/environment.js';
import { filledWord, literalWord } from './word.js';
import { isGitDanger } from './git-dangers.js';
import { gitScripts } from './git-scripts.js';
import { globalsEnd } from './global-options.js';
import type { ShellWord } from './tree.js';

/** What a wrapper runs: words of a command, or script text; null text: known only when it runs. */
export type Wrapped =
  | { readonly kind: 'words'; readonly words: readonly ShellWord[] }
  | { readonly kind: 'script'; readonly text: string | null };

/** `clear`: an allow of the inner command is enough. Otherwise the wrapper itself needs an allow too. */
export interface Unwrapped {
  readonly clear: boolean;
  /** Only a rule that spells the command out in full may allow the wrapper. */
  readonly exactOnly: boolean;
  /** It does nothing besides running what it wraps, so if all of that only reads, so does it. */
  readonly idle: boolean;
  readonly wrapped: readonly Wrapped[];
}

interface WrapperRow {
  /** Short and long flags that take the next word as their value. */
  readonly valueFlags: readonly string[];
  /** Words between the flags and the command, such as timeout's duration. */
  readonly operands?: number;
  readonly clear?: true;
  readonly assignments?: true;
  readonly exactOnly?: true;
  /** With any flags, or only with flags of this form. */
  readonly idle?: true | RegExp;
}

const PLAIN: WrapperRow = { valueFlags: [] };

const ROWS: Readonly<Record<string, WrapperRow>> = {
  timeout: { valueFlags: ['-s', '--signal', '-k', '--kill-after'], operands: 1, clear: true, idle: true },
  gtimeout: { valueFlags: ['-s', '--signal', '-k', '--kill-after'], operands: 1, clear: true, idle: true },
  time: { valueFlags: ['-f', '--format', '-o', '--output'], idle: /^(?!-[a-zA-Z]*[oa]|--(?:o|a))/ },
  nice: { valueFlags: ['-n', '--adjustment'], clear: true, idle: true },
  nohup: { valueFlags: [], clear: true, idle: true },
  stdbuf: { valueFlags: ['-i', '-o', '-e', '--input', '--output', '--error'], clear: true, idle: true },
  command: { valueFlags: [], clear: true, idle: true },
  builtin: { valueFlags: [], clear: true, idle: true },
  noglob: { valueFlags: [], clear: true, idle: true },
  env: {
    valueFlags: ['-u', '--unset', '-C', '--chdir', '-P'],
    assignments: true,
    idle: /^(?:-i|-|--ignore-environment|--)$/,
  },
  sudo: {
    valueFlags: [
      '-u',
      '-g',
      '-h',
      '-p',
      '-C',
      '-r',
      '-t',
      '-T',
      '-U',
      '-D',
      '-R',
      '--user',
      '--group',
      '--host',
      '--prompt',
      '--chdir',
    ],
    assignments: true,
  },
  doas: { valueFlags: ['-u', '-C'] },
  pkexec: { valueFlags: ['--user'] },
  exec: { valueFlags: ['-a'] },
  watch: { valueFlags: ['-n', '--interval', '-q', '--equexit'], exactOnly: true },
  setsid: { ...PLAIN, exactOnly: true, idle: true },
  ionice: { valueFlags: ['-c', '-n', '--class', '--classdata'], exactOnly: true, idle: true },
  chrt: { valueFlags: [], operands: 1 },
  taskset: { valueFlags: [], operands: 1 },
  flock: { valueFlags: ['-w', '--timeout', '-E', '--conflict-exit-code'], operands: 1, exactOnly: true },
  strace: { valueFlags: ['-e', '-o', '-p', '-s', '-u', '-E', '-P'] },
  ltrace: { valueFlags: ['-e', '-o', '-p', '-s', '-u'] },
  unshare: PLAIN,
  nsenter: { valueFlags: ['-t', '--target', '-S', '-G'] },
  chroot: { valueFlags: [], operands: 1 },
  caffeinate: { valueFlags: ['-t', '-w'], idle: true },
};

/**
 * Programs that run a command somewhere in their arguments, in forms too many to follow: every tail of the words is looked at
 * by denies and asks. With subcommands, only behind one of them.
 */
const RUNNERS: ReadonlyMap<string, readonly string[] | null> = new Map(
  Object.entries({
    docker: ['exec', 'run'],
    podman: ['exec', 'run'],
    nerdctl: ['exec', 'run'],
    kubectl: ['exec', 'run', 'debug'],
    oc: ['exec', 'run', 'debug', 'rsh'],
    npm: ['exec', 'x'],
    yarn: ['exec', 'dlx', 'run'],
    pnpm: ['exec', 'dlx'],
    uv: ['run'],
    poetry: ['run'],
    bundle: ['exec'],
    nix: ['shell', 'develop', 'run'],
    ssh: null,
    npx: null,
    bunx: null,
    pnpx: null,
    uvx: null,
    pipx: ['run'],
    tmux: null,
    screen: null,
    parallel: null,
    su: null,
    sg: null,
    runuser: null,
    script: null,
    lxc: ['exec'],
    'systemd-run': null,
    'nix-shell': null,
    proot: null,
    firejail: null,
    bwrap: null,
    'xvfb-run': null,
    'dbus-run-session': null,
    busybox: null,
    toybox: null,
  }),
);

const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'mksh', 'fish', 'rbash']);

/** True for a program that reads commands from its input or arguments. */
export function isShell(program: string): boolean {
  return SHELLS.has(program);
}

/** The words among which a runner's command stands; null when the program is no runner. */
export function runnerWords(program: string, args: readonly ShellWord[]): readonly ShellWord[] | null {
  const behind = RUNNERS.get(program);
  if (behind === undefined) return null;
  if (behind === null) return args;
  const at = args.findIndex((word) => !word.value.startsWith('-') && behind.includes(word.value));
  return at < 0 ? null : args.slice(at + 1);
}

/** What the command runs besides itself; null when it is no wrapper. `args` are the words after the program. */
export function unwrap(program: string, args: readonly ShellWord[]): Unwrapped | null {
  return WRAPPERS.get(program)?.(args) ?? null;
}

function opaque(...wrapped: Wrapped[]): Unwrapped {
  return { clear: false, exactOnly: false, idle: false, wrapped };
}

type Unwrap = (args: readonly ShellWord[]) => Unwrapped | null;

/** Programs that run others in ways of their own. */
const SPECIAL: Readonly<Record<string, Unwrap>> = {
  xargs: unwrapXargs,
  find: unwrapFind,
  git: unwrapGit,
  eval: (args) => opaque({ kind: 'script', text: joined(args) }),
  trap: unwrapTrap,
  su: unwrapCommandFlag,
  runuser: unwrapCommandFlag,
  source: unwrapSource,
  '.': unwrapSource,
};

/** Everything that runs another program, in one table, since it is asked about every command. */
const WRAPPERS: ReadonlyMap<string, Unwrap> = new Map([
  ...Object.entries(ROWS).map(([program, row]): [string, Unwrap] => [program, (args) => unwrapRow(program, row, args)]),
  ...Object.entries(SPECIAL),
  ...[...SHELLS].map((program): [string, Unwrap] => [program, unwrapShell]),
]);

function unwrapRow(program: string, row: WrapperRow, args: readonly ShellWord[]): Unwrapped | null {
  if (program === 'command' && looksUp(args)) return null;
  const { rest, split } = skipFlags(row, args);
  const inner = rest.slice(row.operands ?? 0);
  const flags = args.slice(0, args.length - rest.length);
  const wrapped: Wrapped[] = inner.length > 0 ? [{ kind: 'words', words: inner }] : [];
  if (split !== null) wrapped.push({ kind: 'script', text: split });
  const idle = split === null && isIdle(row, flags);
  // `time -o file` writes.
  const clear = program === 'time' ? idle : row.clear === true;
  return { clear, exactOnly: row.exactOnly === true, idle, wrapped };
}

/** `command -v name` only says where it is. */
function looksUp(args: readonly ShellWord[]): boolean {
  return /^-[a-zA-Z]*[vV]/.test(args[0]?.value ?? '');
}

/** Do the wrapper's own words change nothing? `env A=1` counts when A is known to decide nothing. */
function isIdle(row: WrapperRow, flags: readonly ShellWord[]): boolean {
  if (row.idle === undefined) return false;
  return flags.every(({ value, literal }) => {
    const name = row.assignments === true ? /^([A-Za-z_]\w*)=/.exec(value)?.[1] : undefined;
    if (name !== undefined) return literal && isSafeVariable(name);
    return row.idle === true || row.idle?.test(value) === true;
  });
}

/** Skips flags, their values and (for env) assignments; `split` is the text of env -S. */
function skipFlags(row: WrapperRow, args: readonly ShellWord[]): { rest: readonly ShellWord[]; split: string | null } {
  let at = 0;
  let split: string | null = null;
  for (let word = args[0]; word !== undefined; word = args[at]) {
    if (word.value === '--') return { rest: args.slice(at + 1), split };
    const text = row.assignments === true ? splitText(word.value, args[at + 1]) : null;
    if (text !== null) split = text.text;
    const length = text === null ? flagLength(row, word.value) : text.length;
    if (length === 0) break;
    at += length;
  }
  return { rest: args.slice(at), split };
}

/** How many words the flag or assignment takes; 0 when the command begins. */
function flagLength(row: WrapperRow, value: string): number {
  if (row.assignments === true && /^[A-Za-z_][A-Za-z0-9_]*=/.test(value)) return 1;
  if (!value.startsWith('-') || value === '-') return 0;
  return row.valueFlags.includes(value) ? 2 : 1;
}

/** `env -S 'cmd args'`, attached or not. */
function splitText(value: string, next: ShellWord | undefined): { text: string; length: number } | null {
  const match = /^(?:-[iv0]*S|--split-string=?)(.*)$/s.exec(value);
  if (match === null) return null;
  const attached = match[1] ?? '';
  return attached === '' ? { text: next?.value ?? '', length: 2 } : { text: attached, length: 1 };
}

const XARGS_VALUES = [
  '-a',
  '-d',
  '-E',
  '-I',
  '-L',
  '-n',
  '-P',
  '-s',
  '--arg-file',
  '--delimiter',
  '--max-args',
  '--max-procs',
  '--replace',
  '--max-lines',
  '--max-chars',
];

/** Flags of xargs that only say how its input is cut into words. */
const XARGS_CUTS =
  /^(?:-[r0t]+|-[dEILnPs].*|--(?:null|no-run-if-empty|verbose|delimiter|max-args|max-procs|replace|max-lines|max-chars)(?:=.*)?|--)$/;

/** xargs appends words from its input, or puts them where `-I` says: words that nobody knows. */
function unwrapXargs(args: readonly ShellWord[]): Unwrapped {
  const { rest } = skipFlags({ valueFlags: XARGS_VALUES }, args);
  const flags = args.slice(0, args.length - rest.length);
  const clear = flags.every((flag) => /^(?:-[r0]+|--null|--no-run-if-empty|--)$/.test(flag.value));
  const idle = flags.every(
    (flag, at) => XARGS_CUTS.test(flag.value) || XARGS_VALUES.includes(flags[at - 1]?.value ?? ''),
  );
  const words = rest.length > 0 ? rest : [literalWord('echo')];
  const mark = replacedMark(flags);
  const filled = mark === null ? words : words.map((word) => filledAt(word, mark));
  const inner = filled.every((word) => word.literal) ? [...filled, filledWord('{}')] : filled;
  return { clear, exactOnly: false, idle, wrapped: [{ kind: 'words', words: inner }] };
}

/** What `xargs -I mark` replaces; null when words are appended. */
function replacedMark(flags: readonly ShellWord[]): string | null {
  let mark: string | null = null;
  flags.forEach(({ value }, at) => {
    if (value === '-I') mark = flags[at + 1]?.value ?? null;
    else if (value.startsWith('-I')) mark = value.slice(2);
    else if (/^(?:-i|--replace)(?:=|$)/.test(value)) mark = value.split('=')[1] ?? '{}';
  });
  return mark === '' ? null : mark;
}

function filledAt(word: ShellWord, mark: string): ShellWord {
  return word.value.includes(mark) ? filledWord(word.value.replaceAll(mark, '{}')) : word;
}

/** What find does besides running commands and printing. */
const FIND_CHANGES = /^-(?:ok|okdir|delete|fprint|fprint0|fprintf|fls)$/;

/** `find … -exec cmd {} ;`, `+`, and their kin; `{}` is a name that nobody knows. */
function unwrapFind(args: readonly ShellWord[]): Unwrapped | null {
  const wrapped: Wrapped[] = [];
  const own: ShellWord[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    own.push(word);
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(word.value)) continue;
    const words = execWords(args, at);
    wrapped.push({ kind: 'words', words: words.map((inner) => filledAt(inner, '{}')) });
    at += words.length;
  }
  const idle = own.every((word, at) => (word.literal || at === 0) && !FIND_CHANGES.test(word.value));
  const deletes = own.some((word) => word.value === '-delete');
  return wrapped.length > 0 || deletes ? { clear: false, exactOnly: true, idle, wrapped } : null;
}

function execWords(args: readonly ShellWord[], at: number): readonly ShellWord[] {
  // A `+` ends the command only right after `{}`; anywhere else it is one of the program's own words.
  const end = args.findIndex(
    (next, index) => index > at && (next.value === ';' || (next.value === '+' && args[index - 1]?.value === '{}')),
  );
  return args.slice(at + 1, end < 0 ? undefined : end);
}

function unwrapGit(args: readonly ShellWord[]): Unwrapped | null {
  const wrapped = gitScripts(args);
  const exactOnly = isGitDanger(args, globalsEnd('git', args));
  return wrapped.length > 0 || exactOnly ? { clear: false, exactOnly, idle: false, wrapped } : null;
}

function unwrapShell(args: readonly ShellWord[]): Unwrapped | null {
  let at = 0;
  for (let word = args[0]; word !== undefined && /^[-+]/.test(word.value); word = args[at]) {
    const { value } = word;
    if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(value) || value === '--command') {
      const script = args.slice(at + 1).find((next) => !/^[-+]/.test(next.value));
      const text = script?.literal === true ? script.value : null;
      const idle =
        text !== null && args.slice(0, at + 1).every((flag) => /^-[celux]+$|^pipefail$|^-[eu]*o$/.test(flag.value));
      return { ...opaque({ kind: 'script', text }), idle: idle && args[at + 1] === script };
    }
    at += /^(?:[-+][oO]|--rcfile|--init-file)$/.test(value) ? 2 : 1;
  }
  return unwrapStream(args[at]);
}

/** `bash <(…)` runs what a program prints, `bash /dev/fd/3` what another redirect holds. */
function unwrapStream(script: ShellWord | undefined): Unwrapped | null {
  if (script === undefined) return null;
  return script.text.startsWith('<(') || /^\/(?:dev|proc\/self)\/fd\/(?!0$)/.test(script.value)
    ? opaque({ kind: 'script', text: null })
    : null;
}

/** `su -c 'text' user`. */
function unwrapCommandFlag(args: readonly ShellWord[]): Unwrapped | null {
  const at = args.findIndex((word) => /^(?:-[a-z]*c|--command)$/.test(word.value));
  const script = at < 0 ? undefined : args[at + 1];
  return script === undefined ? null : opaque({ kind: 'script', text: script.literal ? script.value : null });
}

function unwrapTrap(args: readonly ShellWord[]): Unwrapped | null {
  const script = args.find((word) => !word.value.startsWith('-') || word.value === '-');
  if (script === undefined || args.length < 2 || script.value === '-' || script.value === '') return null;
  return opaque({ kind: 'script', text: script.literal ? script.value : null });
}

/** `source file` runs a file we do not see: no wrapper; `source <(…)` runs what a program prints. */
function unwrapSource(args: readonly ShellWord[]): Unwrapped | null {
  return args[0]?.literal === false ? opaque({ kind: 'script', text: null }) : unwrapStream(args[0]);
}

function joined(args: readonly ShellWord[]): string | null {
  return args.every((word) => word.literal) ? args.map((word) => word.value).join(' ') : null;
}
