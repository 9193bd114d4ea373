/** git by subcommand and flag: which forms only read, and which files they show. */
import type { ShellWord } from '../../shell/tree.js';
import { gitOperands } from './git-files.js';
import { words, type ProgramFamily } from './program.js';

/** Flags that write a file, start a helper, or open what was asked for in another program. */
const NEVER =
  /^--(?:output|ext-diff|textconv|filters|open-files-in-pager|exec|upload-pack|receive-pack|lost-found|show-signature|remote|paginate)(?:=|$)|^-O/;

/** What a format shows of a signature is asked of another program: `%G?`, `%(signature)`. */
const CHECKS_SIGNATURE = /%G[?A-Z]|%\(\*?signature/;

/** Subcommands that read whatever their words say, but for those of NEVER. */
const ANY_ARGUMENTS = new Set(
  words(
    'status log diff show blame annotate rev-parse ls-files ls-tree shortlog describe cat-file rev-list merge-base name-rev show-ref for-each-ref count-objects grep diff-tree diff-index diff-files whatchanged show-branch check-ignore check-attr check-ref-format check-mailmap cherry range-diff version verify-pack get-tar-commit-id show-index fsck patch-id',
  ),
);

/** Subcommands that read only in these forms; the words after them, joined by blanks. */
const FORMS: Readonly<Record<string, RegExp>> = {
  remote: /^(?:-v|--verbose|get-url (?:--(?:all|push) )?\S+)?$/,
  stash: /^(?:list|show)(?: .*)?$/,
  worktree: /^list(?: .*)?$/,
  reflog: /^(?:(?:show|exists)(?: .*)?|(?!expire|delete|drop|write)\S*(?: .*)?)$/,
  // A list of all settings prints whatever passwords and tokens stand in them; one that is named does not come as a surprise.
  config:
    /^(?:(?:--(?:local|global|system|worktree|show-origin|show-scope|null|type=\w+) )*(?:--(?:get|get-all) (?:(?!http|url\.|credential|sendemail|imap)[\w.-]+)|--name-only (?:--list|-l)|(?:--list|-l) --name-only|list --name-only|get(?: --all)? (?!http|url\.|credential|sendemail|imap)[\w.-]+|(?!http|url\.|credential|sendemail|imap)[A-Za-z][\w-]*\.[\w.-]+))$/i,
  var: /^(?!GIT_CONFIG)[A-Z_]+$/,
  notes: /^(?:list|show)?(?: \S+)?$/,
  submodule: /^(?:status|summary)(?: .*)?$/,
  bisect: /^(?:log|view)$/,
  'symbolic-ref': /^(?:(?:--short|-q|--quiet|--no-recurse|--recurse) )*[\w/.-]+(?: --?(?:short|q|quiet))*$/,
  'sparse-checkout': /^list$/,
  bundle: /^(?:verify|list-heads)(?: .*)?$/,
  apply: /^(?:--(?:stat|numstat|summary|check) )+.*$/,
  'format-patch': /^(?=.*--stdout)(?!.*(?:^| )(?:-o|--output-directory)).*$/,
  'hash-object': /^(?!.*(?:^| )-w)(?!.*--(?:stdin-paths|path)).*$/,
  stripspace: /^.*$/,
  help: /^(?:(?:-a|--all|-g|--guides|-c|--config|--no-external-commands|--no-aliases|--no-verbose)(?: |$))*(?:[a-z][a-z-]*)?$/,
  lfs: /^(?:ls-files|status|env|version)(?: .*)?$/,
};

/** Options in front of the subcommand that change nothing but how things are shown, or where git looks. */
const GLOBAL =
  /^(?:--no-pager|-P|--no-optional-locks|--no-replace-objects|--no-lazy-fetch|--literal-pathspecs|--glob-pathspecs|--noglob-pathspecs|--icase-pathspecs)$/;
const SAFE_SETTING =
  /^(?:color\.[\w.]+|core\.(?:quotepath|abbrev|precomposeunicode|longpaths|autocrlf)|column\.\w+|log\.(?:date|decorate|abbrevcommit)|advice\.\w+|diff\.(?:renames|renamelimit|algorithm|noprefix|mnemonicprefix|context)|i18n\.\w+)=|^(?:core\.pager|pager\.\w+)=(?:cat|false)?$/i;
const QUERIES = new Set(words('--version --exec-path --html-path --man-path --info-path --help'));

/** True when the words after `git` only read. */
export function isReadOnlyGit(args: readonly ShellWord[]): boolean {
  if (isQuery(args)) return true;
  const start = globalsLength(args);
  const [command, ...rest] = start === null ? [] : args.slice(start).map((word) => word.value);
  if (command === undefined || (!ANY_ARGUMENTS.has(command) && !hasForm(command, rest))) return false;
  if (command === 'grep' && rest.some((word) => /^-[a-zA-Z]*O/.test(word))) return false;
  return !rest.some((word) => NEVER.test(word) || CHECKS_SIGNATURE.test(word));
}

/** Flags of branch and tag that only list, those that take the next word, and those after which words are patterns. */
const LISTS: Readonly<Record<string, RegExp>> = {
  branch:
    /^(?:-[avrq]+|-vv|--(?:all|remotes|verbose|show-current|no-color|column|ignore-case|(?:no-)?(?:merged|contains)|(?:sort|format|points-at)=.*))$/,
  tag: /^(?:-i|--column|--(?:sort|format|points-at|(?:no-)?(?:merged|contains))=.*)$/,
};
const TAKES_REF = /^--(?:points-at|(?:no-)?contains|(?:no-)?merged|sort|format)$/;
const TAKES_PATTERNS = /^(?:-l|--list|-n\d*)$/;

function listsRefs(command: string, rest: readonly string[]): boolean {
  const patterns = rest.some((word) => TAKES_PATTERNS.test(word));
  return rest.every((word, at) => {
    if (TAKES_PATTERNS.test(word)) return command === 'tag' || !word.startsWith('-n');
    if (TAKES_REF.test(word) || LISTS[command]?.test(word) === true) return true;
    return !word.startsWith('-') && (patterns || TAKES_REF.test(rest[at - 1] ?? ''));
  });
}

function isQuery(args: readonly ShellWord[]): boolean {
  return args.length === 1 && QUERIES.has(args[0]?.value ?? '');
}

function hasForm(command: string, rest: readonly string[]): boolean {
  if (command === 'branch' || command === 'tag') return listsRefs(command, rest);
  const form = Object.hasOwn(FORMS, command) ? FORMS[command] : undefined;
  return form !== undefined && form.test(rest.join(' '));
}

/** How many words the options in front of the subcommand take; null when one of them may run or change something. */
function globalsLength(args: readonly ShellWord[]): number | null {
  let at = 0;
  for (let word = args[0]; word?.value.startsWith('-') === true; word = args[at]) {
    const length = globalLength(word.value, args[at + 1]?.value ?? '');
    if (length === 0) return null;
    at += length;
  }
  return at;
}

function globalLength(option: string, next: string): number {
  if (GLOBAL.test(option)) return 1;
  return option === '-C' || (option === '-c' && SAFE_SETTING.test(next)) ? 2 : 0;
}

export const GIT_PROGRAMS: ProgramFamily = { git: { reads: isReadOnlyGit, operands: gitOperands } };
