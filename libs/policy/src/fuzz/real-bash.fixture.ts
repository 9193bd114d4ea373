/** The real bash as an oracle: what it hands a program for literal words, and whether it takes a script. Nothing that is asked about is run. */

/** Runs bash with arguments and standard input; whoever gives it takes programs and a folder of consequence away from it. */
export type Bash = (
  args: readonly string[],
  input: string,
) => { readonly status: number | null; readonly stdout: string };

/** What bash needs of its environment: no programs, and a locale in which escapes mean what they mean to the reader. */
export const BASH_ENVIRONMENT: Readonly<Record<string, string>> = { PATH: '/nonexistent', LC_ALL: 'C.UTF-8' };
/** Names of files in its folder for patterns to match, so that a pattern taken for a literal word shows. */
export const BASH_FILES: readonly string[] = ['B7', 'a', 'x'];

const WORD_END = '\0';
const LINE_END = '\x1e\0';
/** `p` prints what it was given. Lines come as arguments, so that a broken one spoils no other. */
const HARNESS = `p() { printf '%s\\0' "$@"; }
for line in "$@"; do eval "$line"; printf '\\036\\0'; done`;
const PLAIN = ['--norc', '--noprofile', '--restricted'] as const;

/** The words that bash makes of each line `p word…`, the name left out. */
export function bashWords(bash: Bash, lines: readonly string[]): string[][] {
  const { stdout } = bash([...PLAIN, '-c', HARNESS, 'harness', ...lines], '');
  return stdout
    .split(LINE_END)
    .slice(0, -1)
    .map((words) => words.split(WORD_END).slice(0, -1));
}

/** True when bash finds the script's grammar in order. The script is read, never run. */
export function bashAccepts(bash: Bash, script: string): boolean {
  return bash([...PLAIN, '-n'], script).status === 0;
}
