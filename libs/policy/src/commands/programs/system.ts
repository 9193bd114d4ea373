/** Programs that say how the machine is, and shell builtins that change nothing outside of the shell. */
import { isLoadingVariable, isSafeVariable } from '../environment.js';
import { isPlainVariable } from '../../shell/variables.js';
import { sortArgs } from '../flags.js';
import { ASKS_NOTHING, line, NO_FILES, only, subcommand, unless, words, type ProgramFamily } from './program.js';
import type { ShellWord } from '../../shell/tree.js';

/** What `ip` shows of addresses, routes, links and neighbours, also in its short forms; it changes and runs more than that. */
const IP_SHOWS =
  /^(?:-(?:[46dshjop]|br?|brief|c|color|json|stats|details|oneline) )*(?:a|addr|address|r|route|l|link|n|neigh|neighbour|ru|rule|maddr)(?: (?:s|sh|show|l|ls|list)(?: (?:dev )?(?!dev$)[\w.@:-]+)?| get [\d.:a-f]+)?$/;

export const SYSTEM_PROGRAMS: ProgramFamily = {
  uname: ASKS_NOTHING,
  uptime: ASKS_NOTHING,
  free: ASKS_NOTHING,
  nproc: ASKS_NOTHING,
  lscpu: ASKS_NOTHING,
  whoami: ASKS_NOTHING,
  logname: ASKS_NOTHING,
  id: ASKS_NOTHING,
  groups: ASKS_NOTHING,
  users: ASKS_NOTHING,
  who: ASKS_NOTHING,
  w: ASKS_NOTHING,
  getconf: ASKS_NOTHING,
  locale: ASKS_NOTHING,
  cal: ASKS_NOTHING,
  ncal: ASKS_NOTHING,
  tput: ASKS_NOTHING,
  sleep: ASKS_NOTHING,
  pgrep: ASKS_NOTHING,
  pidof: ASKS_NOTHING,
  pstree: ASKS_NOTHING,
  vmstat: ASKS_NOTHING,
  iostat: ASKS_NOTHING,
  mpstat: ASKS_NOTHING,
  lspci: ASKS_NOTHING,
  lsusb: ASKS_NOTHING,
  lsmod: ASKS_NOTHING,
  whatis: ASKS_NOTHING,
  apropos: ASKS_NOTHING,
  // Pages by name and section; a page in a file, another pager or a browser is more than that.
  man: { reads: only(/^(?:[1-9]|-[kf]|[A-Za-z][\w.+:-]*)$/), operands: NO_FILES },
  uuidgen: ASKS_NOTHING,
  top: { reads: line(/^-b(?:n ?\d+| -n ?\d+)(?: -[ciH]| -[opu] ?[\w%]+)*$/), operands: NO_FILES },
  stty: { reads: line(/^(?:size|speed|-a|--all)$/), operands: NO_FILES },
  arch: { reads: only(/^--(?:help|version)$/), operands: NO_FILES },
  tty: ASKS_NOTHING,
  ps: { reads: unless(/^[a-zA-Z]*e[a-zA-Z]*$|^-[a-zA-Z]*E|^-[a-zA-Z]*x[a-zA-Z]*e|environ/), operands: NO_FILES },
  lsof: { reads: unless(/^[-+][a-zA-Z]*D/) },
  ss: { reads: unless(/^-[a-zA-Z]*[KDF]|^--(?:k|d|fi)/), operands: NO_FILES },
  netstat: { reads: unless(/^-[a-zA-Z]*c/), operands: NO_FILES },
  ip: { reads: line(IP_SHOWS), operands: NO_FILES },
  mount: { reads: only(/^-l$/), operands: NO_FILES },
  findmnt: { reads: unless(/^--poll|^-[a-zA-Z]*p/), operands: NO_FILES },
  lsblk: ASKS_NOTHING,
  date: {
    reads: showsTime,
    operands: {
      access: 'read',
      skip: Number.POSITIVE_INFINITY,
      valueFlags: words('-d --date -r --reference'),
      readFlags: ['-r', '--reference'],
    },
  },
  hostname: { reads: only(/^-[fisdIA]+$/), operands: NO_FILES },
  ulimit: { reads: only(/^-[SH]?[a-zA-Z]$|^-[a-zA-Z]$/), operands: NO_FILES },
  umask: { reads: only(/^-[Sp]$/), operands: NO_FILES },
  printenv: {
    reads: (args) => args.length > 0 && args.every((word) => isPlainVariable(word.value)),
    operands: NO_FILES,
  },
};

export const SHELL_BUILTINS: ProgramFamily = {
  pwd: ASKS_NOTHING,
  true: ASKS_NOTHING,
  false: ASKS_NOTHING,
  ':': ASKS_NOTHING,
  which: ASKS_NOTHING,
  whereis: ASKS_NOTHING,
  type: ASKS_NOTHING,
  help: ASKS_NOTHING,
  dirs: { reads: only(/^-[lpv]+$/), operands: NO_FILES },
  times: ASKS_NOTHING,
  // With words they change what later names mean.
  alias: { reads: (args) => args.length === 0, operands: NO_FILES },
  shopt: { reads: (args) => args.length === 0, operands: NO_FILES },
  // `jobs -x` runs a program.
  jobs: { reads: only(/^-[lnprs]+$|^%\S*$/), operands: NO_FILES },
  wait: { reads: only(/^[%\d]+$/), operands: NO_FILES },
  exit: { reads: only(/^\d*$/), operands: NO_FILES },
  return: { reads: only(/^\d*$/), operands: NO_FILES },
  break: { reads: only(/^\d*$/), operands: NO_FILES },
  continue: { reads: only(/^\d*$/), operands: NO_FILES },
  command: { reads: subcommand(/^-[vV]$/), operands: NO_FILES },
  history: { reads: line(/^\d*$/), operands: NO_FILES },
  set: { reads: setsOptions, operands: NO_FILES },
  read: { reads: readsNames, operands: NO_FILES },
  export: { reads: setsSafely, operands: NO_FILES },
  local: { reads: declares, operands: NO_FILES },
  declare: { reads: declares, operands: NO_FILES },
  readonly: { reads: declares, operands: NO_FILES },
  mapfile: { reads: readsLines, operands: NO_FILES },
  readarray: { reads: readsLines, operands: NO_FILES },
  source: { operands: { access: 'read' } },
  '.': { operands: { access: 'read' } },
};

/** `set -euo pipefail`: options that stop or trace the script, and nothing else. */
function setsOptions(args: readonly ShellWord[]): boolean {
  return (
    args.length > 0 &&
    args.every((word) =>
      /^(?:[-+][euxvfCo]+|pipefail|errexit|nounset|xtrace|noglob|noclobber|verbose)$/.test(word.value),
    )
  );
}

/** `read -r name`: into variables that decide nothing. */
function readsNames(args: readonly ShellWord[]): boolean {
  return args.every((word, at) => {
    if (/^-[rs]*[dnNtup]?$/.test(word.value) || /^-[dnNtup]$/.test(args[at - 1]?.value ?? '')) return true;
    return /^[A-Za-z_]\w*$/.test(word.value) && !isLoadingVariable(word.value);
  });
}

/** `mapfile -t lines`: `-C` would run a command for every line. */
function readsLines(args: readonly ShellWord[]): boolean {
  return args.every(
    (word) =>
      /^(?:-[td]|\d+|-[nsO])$/.test(word.value) ||
      (/^[A-Za-z_]\w*$/.test(word.value) && !isLoadingVariable(word.value)),
  );
}

/** `local name=value`: in the shell alone, unless exported or a reference to another variable. */
function declares(args: readonly ShellWord[]): boolean {
  return (
    args.length > 0 &&
    args.every((word) => {
      const name = /^([A-Za-z_]\w*)(?:=|$)/.exec(word.value)?.[1];
      return name === undefined
        ? /^-[aAirul]+$/.test(word.value)
        : word.value.includes('=') && !isLoadingVariable(name);
    })
  );
}

/** With an operand that is no format, the clock is set. */
function showsTime(args: readonly ShellWord[]): boolean {
  const { flags, operands } = sortArgs(args, words('-d --date -r --reference -I'));
  return (
    operands.every((word) => word.value.startsWith('+')) &&
    flags.every((flag) =>
      /^(?:-[udIRrj]|-I\w+|--(?:utc|universal|date|reference|iso-8601|rfc-3339|rfc-email|debug))$/.test(flag),
    )
  );
}

function setsSafely(args: readonly ShellWord[]): boolean {
  return args.length > 0 && args.every((word) => isSafeVariable(/^(\w+)=/.exec(word.value)?.[1] ?? ''));
}
