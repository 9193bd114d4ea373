/** Which command lines Claude Code lets run unasked, as it was seen to: a narrow set, and never behind what the shell would expand. */
import { isPlainEdit } from '../../../commands/edits.js';
import { isReadOnly } from '../../../commands/read-only.js';
import { canonicalPath } from '../../../paths/normalise.js';
import type { ShellCall, ShellPlan } from '../../../shell/plan.js';
import { SHELL_SHAPES } from '../../../shell/shapes.js';
import type { CommandStyle } from '../../command-style.js';

// prettier-ignore
const READERS = new Set([
  'ls', 'cat', 'echo', 'pwd', 'head', 'tail', 'grep', 'rg', 'find', 'wc', 'which', 'type', 'diff', 'cmp', 'comm', 'stat',
  'du', 'df', 'file', 'cut', 'sort', 'sed', 'tr', 'tac', 'nl', 'column', 'fold', 'paste', 'od', 'strings', 'base64',
  'md5sum', 'sha256sum', 'basename', 'dirname', 'realpath', 'readlink', 'seq', 'printf', 'test', '[', 'true', 'false',
  'sleep', 'date', 'whoami', 'id', 'groups', 'uname', 'hostname', 'uptime', 'free', 'ps', 'netstat', 'ss', 'lsof',
  'locale', 'nproc', 'arch', 'tput', 'help', 'history', 'jq', 'cd', 'tree', 'cal', 'node', 'python3', 'docker', 'git',
  'uniq', 'command',
]);
// prettier-ignore
const GIT_READERS = new Set([
  'status', 'log', 'diff', 'show', 'branch', 'tag', 'remote', 'stash', 'rev-parse', 'blame', 'ls-files',
]);
/** Programs that `xargs` may hand names to. */
const FED_READERS = new Set(['wc', 'grep', 'head', 'tail']);
const MOVERS = new Set(['cd', 'chdir', 'pushd', 'popd']);
const EDITORS = new Set(['mkdir', 'touch', 'rm', 'rmdir', 'mv', 'cp', 'sed']);

/** True for the commands of the read-only set, by program, flags, and what they stand behind. */
export function isClaudeReadOnly(call: ShellCall, plan: ShellPlan): boolean {
  if (call.program === null || call.assignments.length > 0 || plan.shapes.has('time')) return false;
  if (!isReachable(call, plan)) return false;
  if (call.program === 'man') return isManPage(call);
  return (
    call.name?.value === call.program && READERS.has(call.program) && isNarrow(call, plan) && isReadOnly(call, plan)
  );
}

/** Of programs that the engine knows to read in more ways, the ways that were seen to run. */
function isNarrow(call: ShellCall, plan: ShellPlan): boolean {
  const words = call.args.map((word) => word.value);
  switch (call.program) {
    case 'git':
      return (
        GIT_READERS.has(words[0] ?? '') && staysInFolder(call, plan) && (words[0] !== 'remote' || words.length === 2)
      );
    case 'docker':
      return words[0] === 'ps' || words[0] === 'images';
    case 'sed':
      return words[0] === '-n';
    case 'uniq':
      return words.every((word) => word.startsWith('-'));
    case 'node':
    case 'python3':
      return words.length === 1 && words[0] === '--version';
    default:
      return true;
  }
}

/** A repository that a line moves into may run what it likes through its settings. */
function staysInFolder(call: ShellCall, plan: ShellPlan): boolean {
  const [start] = plan.calls[0]?.cwds ?? [];
  if (start === undefined || call.cwds === null) return plan.calls.every((one) => !MOVERS.has(one.program ?? ''));
  return call.cwds.every((folder) => canonicalPath(folder) === canonicalPath(start));
}

/** A page by its name: a pager, a file or a format would be another matter. */
function isManPage(call: ShellCall): boolean {
  return (
    call.name?.value === 'man' &&
    call.args.length > 0 &&
    call.args.every((word) => word.literal && /^[A-Za-z0-9][\w.+-]*$/.test(word.value))
  );
}

function isReachable(call: ShellCall, plan: ShellPlan): boolean {
  const outer = plan.calls[call.outer];
  if (outer === undefined) return true;
  return outer.assignments.length === 0 && looksThrough(outer, call) && isReachable(outer, plan);
}

function looksThrough(outer: ShellCall, call: ShellCall): boolean {
  switch (outer.program) {
    case 'timeout':
      return true;
    case 'command':
      return outer.args[0]?.value.startsWith('-') !== true;
    case 'xargs':
      return FED_READERS.has(call.program ?? '');
    default:
      return false;
  }
}

/** True for the file commands that mode `acceptEdits` lets run: by their bare name, behind nothing, without variables. */
export function isClaudeEdit(call: ShellCall): boolean {
  return (
    call.outer === -1 &&
    call.name?.value === call.program &&
    call.assignments.length === 0 &&
    EDITORS.has(call.program ?? '') &&
    isPlainEdit(call)
  );
}

/** Command lines under `claude-code`. */
export const CLAUDE_CODE_COMMANDS: CommandStyle = {
  readOnly: isClaudeReadOnly,
  plainEdit: isClaudeEdit,
  unclear: new Set(SHELL_SHAPES.filter((shape) => shape !== 'time' && shape !== 'endless_background')),
  exactBlanks: true,
  deepWrappers: new Set(['env', 'sudo', 'bash', 'sh']),
  redirects: 'whole_tool',
};
