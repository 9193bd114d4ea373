/** Which variables in front of a command are known to change nothing that matters. */

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

const LOADS =
  /^(?:PATH|CDPATH|ENV|BASH_ENV|IFS|SHELL|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS[0-4]|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|LESS|LESSOPEN|LESSCLOSE|TAR_OPTIONS|HOME|ZDOTDIR|NODE_OPTIONS|NODE_PATH|PERL5LIB|PERL5OPT|RUBYOPT|RUBYLIB|PYTHON(?:PATH|STARTUP|HOME)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|MAKEFLAGS|(?:LD|DYLD|GIT|SSH|NPM_CONFIG|npm_config|GCONV)_.*|GLIBC_TUNABLES)$/;

/** True when setting it may change what later commands do, so that nothing after it is known. */
export function isLoadingVariable(name: string): boolean {
  return LOADS.test(name);
}
