/** Shell constructions that a line is made of besides plain commands. Some presets let a line with certain ones run only when it is allowed as a whole. */
import type { ShellWord } from './tree.js';

export const SHELL_SHAPES = [
  'background',
  'subshell',
  'group',
  'case',
  'select',
  'arithmetic',
  'substitution',
  'variable',
  'brace_expansion',
  'here_document',
  'array',
  'ansi_quoting',
  'open_redirect',
  'endless_background',
  'time',
] as const;
/**
 * One construction. `variable`: any but a plain `$HOME`. `arithmetic`: `((…))` as a command, not `$((…))` in a word.
 * `here_document`: one whose delimiter is not quoted, so that its text is expanded. `ansi_quoting`: `$'…'` and `$"…"`.
 * `open_redirect`: to or from a file that only the running shell names: `> ~/x`, `> *.log`.
 * `endless_background`: a loop that nothing bounds by its text starts commands in the background.
 */
export type ShellShape = (typeof SHELL_SHAPES)[number];

const MESSAGE = /^"\$\(\s*cat <<-?\s*(['"])(\w+)\1\n(?:[^\n]*\n)*?\2\n?\s*\)"$/;

/** `git commit -m "$(cat <<'EOF' … EOF)"`: a message of several lines, which expands to the text as written. */
export function isQuotedMessage(words: readonly ShellWord[], substitutions: number): boolean {
  const [program, command] = words;
  if (program?.value !== 'git' || command?.value !== 'commit') return false;
  return words.filter((word) => MESSAGE.test(word.text)).length === substitutions;
}
