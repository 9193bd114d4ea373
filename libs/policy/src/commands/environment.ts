/** Which variables in front of a command are known to change nothing that matters. */
import type { ShellCall } from '../shell/plan.js';
import type { ShellAssignment, ShellWord } from '../shell/tree.js';

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

/** True when the command sets a variable that may change what it or later ones do, whether or not something allows it to. */
export function taintsLater(call: ShellCall): boolean {
  if (call.assignments.some((one) => isLoadingVariable(one.name) && !isSafeAssignment(call, one))) return true;
  return DECLARES.has(call.program ?? '') && call.args.some(declaresLoading);
}

const DECLARES = new Set(['export', 'declare', 'typeset', 'readonly', 'local']);

/** `PATH=.`; a word whose name only the running shell knows may name any. */
function declaresLoading({ value, pieces }: ShellWord): boolean {
  const [first] = pieces;
  if (first?.kind !== 'literal' || (pieces.length > 1 && !first.value.includes('='))) return true;
  return isLoadingVariable(/^[A-Za-z_]\w*(?=[+[=])/.exec(value)?.[0] ?? '');
}

const LOADS =
  /^(?:PATH|CDPATH|FPATH|ENV|BASH_ENV|BASH_LOADABLES_PATH|IFS|SHELL|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS[0-4]|(?:[A-Z]+_?)?PAGER|(?:[A-Z]+_)?EDITOR|VISUAL|BROWSER|LESS|LESSOPEN|LESSCLOSE|TAR_OPTIONS|RIPGREP_CONFIG_PATH|HOME|ZDOTDIR|XDG_CONFIG_(?:HOME|DIRS)|NODE_OPTIONS|NODE_PATH|PERL5LIB|PERLLIB|PERL5OPT|PERL5DB|RUBYOPT|RUBYLIB|PYTHON(?:PATH|STARTUP|HOME|BREAKPOINT)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|MAKEFLAGS|LUA_(?:PATH|CPATH|INIT)|OPENSSL_(?:CONF|MODULES|ENGINES)|(?:LD|DYLD|GIT|SSH|NPM_CONFIG|npm_config|GCONV|BASH_FUNC)_.*|GLIBC_TUNABLES)$/;

/** True when setting it may change what later commands do, so that nothing after it is known. */
export function isLoadingVariable(name: string): boolean {
  return LOADS.test(name);
}

/**
 * The same of a variable that a loop or a builtin sets: programs see it only where it was handed on before. `ENV`, which only shells
 * that somebody types into read, is what scripts call the place they deploy to.
 */
export function isLoadingInShell(name: string): boolean {
  return name !== 'ENV' && isLoadingVariable(name);
}
