/** git subcommands that only read, with the flags that would make them do more. */
import type { ShellWord } from '../shell/tree.js';

/** Flags that write a file, start a helper, or open what was asked for in another program. */
const NEVER = /^--(?:output|ext-diff|textconv|open-files-in-pager|exec|upload-pack|receive-pack)(?:=|$)|^-O/;

const ANY_ARGUMENTS = new Set([
  'status',
  'log',
  'diff',
  'show',
  'blame',
  'rev-parse',
  'ls-files',
  'ls-tree',
  'shortlog',
  'describe',
  'cat-file',
  'rev-list',
  'merge-base',
  'name-rev',
  'show-ref',
  'for-each-ref',
  'count-objects',
  'grep',
  'diff-tree',
  'whatchanged',
  'show-branch',
  'check-ignore',
  'cherry',
]);

/** Subcommands that read only with these words after them. */
const LISTING: Readonly<Record<string, RegExp>> = {
  branch:
    /^(?:-[avr]+|-vv|--(?:list|all|remotes|verbose|show-current|merged|no-merged|sort=.*|format=.*|contains|no-color|column))$/,
  tag: /^(?:-l|--list|-n\d*|--sort=.*|--format=.*|--merged|--contains)$/,
  remote: /^(?:-v|--verbose)$/,
  stash: /^(?:list|show)$/,
  worktree: /^list$/,
  reflog: /^(?:show)?$/,
  config: /^(?:--(?:get|list|get-all)|-l)$/,
  version: /^$/,
};

/** Subcommands whose first word alone decides. */
const BY_FIRST_WORD = new Set(['stash', 'worktree', 'config']);

/** True when the words after `git` only read. Options before the subcommand may run programs, so there may be none but `--no-pager`. */
export function isReadOnlyGit(args: readonly ShellWord[]): boolean {
  const start = args.findIndex((word) => word.value !== '--no-pager');
  const [command, ...rest] = start < 0 ? [] : args.slice(start).map((word) => word.value);
  if (command === undefined || rest.some((word) => NEVER.test(word))) return false;
  if (ANY_ARGUMENTS.has(command)) return command !== 'grep' || !rest.some((word) => /^-[a-zA-Z]*O/.test(word));
  const listing = Object.hasOwn(LISTING, command) ? LISTING[command] : undefined;
  return listing !== undefined && lists(listing, BY_FIRST_WORD.has(command) ? [rest[0] ?? '-'] : rest);
}

function lists(listing: RegExp, words: readonly string[]): boolean {
  return words.every((word) => listing.test(word));
}
