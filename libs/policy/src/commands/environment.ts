/** Which variables in front of a command are known to change nothing that matters. */
import type { ShellCall } from '../shell/plan.js';
import type { ShellAssignment } from '../shell/tree.js';

// prettier-ignore
const SAFE = new Set([
  'NODE_ENV', 'RUST_BACKTRACE', 'RUST_LOG', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'LC_COLLATE', 'LC_MESSAGES',
  'LC_NUMERIC', 'LC_TIME', 'TZ', 'CI', 'FORCE_COLOR', 'NO_COLOR', 'CLICOLOR', 'CLICOLOR_FORCE', 'COLUMNS', 'LINES',
  'DEBUG', 'VERBOSE', 'GOOS', 'GOARCH', 'CGO_ENABLED', 'PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE', 'TERM',
  'COLORTERM',
]);

/** True when an allow may look past this assignment. Everything else may change which program runs, or what it does. */
export function isSafeVariable(name: string): boolean {
  return SAFE.has(name);
}

/** Programs that show text page by page; `cat` and nothing at all do no more than that. */
const PAGERS = /^(?:PAGER|MANPAGER|[A-Z]+_PAGER)$/;
const PLAIN_VALUES: Readonly<Record<string, RegExp>> = {
  GIT_TERMINAL_PROMPT: /^[01]$/,
  GIT_OPTIONAL_LOCKS: /^[01]$/,
  LESS: /^-?[A-Za-z]*$/,
};

/** True when an assignment in front of the command changes nothing that matters, by its name or by its value. */
export function isSafeAssignment(call: ShellCall, assignment: ShellAssignment): boolean {
  const { name, value } = assignment;
  if (isSafeVariable(name)) return true;
  if (name === 'IFS') return call.program === 'read';
  if (value === null || !value.literal) return false;
  if (PAGERS.test(name)) return /^(?:cat|)$/.test(value.value);
  return Object.hasOwn(PLAIN_VALUES, name) && PLAIN_VALUES[name]?.test(value.value) === true;
}

/** True when the assignment may change what this command or later ones do. */
export function isTainting(call: ShellCall, assignment: ShellAssignment): boolean {
  return isLoadingVariable(assignment.name) && !isSafeAssignment(call, assignment);
}

const LOADS =
  /^(?:PATH|CDPATH|ENV|BASH_ENV|IFS|SHELL|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS[0-4]|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|LESS|LESSOPEN|LESSCLOSE|TAR_OPTIONS|HOME|ZDOTDIR|NODE_OPTIONS|NODE_PATH|PERL5LIB|PERL5OPT|RUBYOPT|RUBYLIB|PYTHON(?:PATH|STARTUP|HOME)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|MAKEFLAGS|(?:LD|DYLD|GIT|SSH|NPM_CONFIG|npm_config|GCONV)_.*|GLIBC_TUNABLES)$/;

/** True when setting it may change what later commands do, so that nothing after it is known. */
export function isLoadingVariable(name: string): boolean {
  return LOADS.test(name);
}
