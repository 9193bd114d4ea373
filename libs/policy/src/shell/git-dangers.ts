/**
 * What git runs, hands out or changes beyond its own repository: a daemon, a tool that the machine's settings name, a password, a setting
 * that names a program. Nobody sees what that will be, so `Bash(git *)` does not mean it.
 */
import { isLookedAt } from './git-scripts.js';
import type { ShellWord } from './tree.js';

type GitTest = (rest: readonly ShellWord[]) => boolean;

const always: GitTest = () => true;

/** One of these flags. git takes the beginning of a long one for the whole, and letters in a cluster. */
function flags(text: string): GitTest {
  const all = text.split(' ');
  return (rest) => rest.some(({ value }) => all.some((flag) => isFlag(value, flag)));
}

function isFlag(value: string, flag: string): boolean {
  if (!flag.startsWith('--')) return /^-[a-zA-Z]/.test(value) && value.includes(flag.charAt(1), 1);
  const given = value.replace(/=.*$/s, '');
  return given.length > 3 && flag.startsWith(given);
}

/** One of these words first. */
function action(text: string): GitTest {
  const all = text.split(' ');
  return ([first]) => first !== undefined && (!first.literal || all.includes(first.value));
}

function any(...tests: readonly GitTest[]): GitTest {
  return (rest) => tests.some((test) => test(rest));
}

/** `foo::x` is an address that `git-remote-foo` opens, and a host that begins with a dash would be an option of ssh. */
const helped: GitTest = (rest) =>
  rest.some(({ value }) => /^(?:-.*=)?(?:[a-z][\w+.-]*::|[a-z+]+:\/\/(?:[^/]*@)?-)/i.test(value));

/** Ways of merging that git brings along; of any other name it runs a program. */
const STRATEGY = /^(?:ort|recursive|resolve|octopus|ours|subtree)$/;

/** `-s` stands for the strategy, but in `cherry-pick` and `revert`. A cluster ends at a letter that takes the rest of it. */
function mergesOtherwise(form: RegExp): GitTest {
  return (rest) =>
    rest.some(({ value }, at) => {
      const head = form.exec(value)?.[0];
      if (head === undefined) return false;
      const strategy = head === value && !head.endsWith('=') ? rest[at + 1]?.value : value.slice(head.length);
      return !STRATEGY.test(strategy ?? '');
    });
}

const LONG_STRATEGY = /^--strat(?:e|eg|egy)?(?:=|$)/;
const ANY_STRATEGY = /^(?:-[a-lnp-rt-zA-EG-RT-WYZ]*s|--strat(?:e|eg|egy)?(?:=|$))/;

/** Settings that name a program or a file of settings, that redirect what git opens, or that lift a guard. */
const SETTING = new RegExp(
  [
    /^(?:alias|pager|include|includeif|instaweb|safe)\./,
    /^protocol\.(?:(?!file\.|https?\.|ssh\.|git\.).*\.)?allow$/,
    /^core\.(?:pager|fsmonitor|hookspath|askpass|gitproxy|worktree)$/,
    /^(?:submodule\..*\.update|sendemail\.smtpserver|init\.templatedir|interactive\.difffilter|diff\.external|imap\.tunnel)$/,
    /\.(?:\w*command|\w*cmd|\w*hook|helper|textconv|driver|clean|smudge|process|path|program|editor|browser)$/,
    /\.(?:uploadpack|receivepack|vcs|insteadof|pushinsteadof)$/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
const PLAIN_VALUE = /^(?:cat|true|false|)$/;
const TAKES_PLAIN = /^(?:core\.(?:pager|editor|fsmonitor)|pager\..*|sequence\.editor)$/i;

/** `-c key=value`, also with its value somewhere else. */
function setsInFront(word: ShellWord | undefined): boolean {
  if (word === undefined) return false;
  const key = word.value.replace(/=.*$/s, '');
  // No setting has a line break in its name.
  if (!isKnownKey(word, key) || /[\n\r\u2028\u2029]/.test(key)) return true;
  if (/^core\.hookspath$/i.test(key)) return !/=(?:\/dev\/null)?$/.test(word.value);
  // What names a program is looked at itself, so that `-c core.pager=cat` needs no more than `cat` does.
  return SETTING.test(key) && !isLookedAt(key);
}

/** Is the name of the setting, and not only its value, known before it runs? */
function isKnownKey({ literal, pieces }: ShellWord, key: string): boolean {
  const [first] = pieces;
  return literal || (first?.kind === 'literal' && first.value.length > key.length);
}

const changesSetting: GitTest = (rest) => {
  const [first] = rest;
  if (flags('-e --edit --rename-section')(rest) || action('edit rename-section')(rest)) return true;
  if (first === undefined) return false;
  const at = rest.findIndex(({ value, literal }) => !value.startsWith('-') && (!literal || SETTING.test(value)));
  const [key, value] = [rest[at], rest[at + 1]];
  if (key === undefined || value === undefined) return false;
  return !(TAKES_PLAIN.test(key.value) && value.literal && PLAIN_VALUE.test(value.value));
};

const isSetting = (word: ShellWord | undefined): boolean =>
  word !== undefined && (!word.literal || SETTING.test(word.value.replace(/=.*$/s, '')));

const clonesWith: GitTest = (rest) =>
  rest.some((word, at) => {
    const { value } = word;
    if (/^(?:-[a-zA-Z]*c|--conf(?:i|ig)?)$/.test(value)) return isSetting(rest[at + 1]);
    const key = /^(?:-c|--conf[a-z]*=)([^=]+)/.exec(value)?.[1];
    return key !== undefined && SETTING.test(key);
  });

/** Subcommands, and when they are meant. */
const ROWS: readonly (readonly [string, GitTest])[] = [
  ['daemon instaweb shell cvsserver http-backend upload-pack receive-pack upload-archive', always],
  ['difftool mergetool filter-branch merge-index for-each-repo maintenance gui citool', always],
  ['archimport cvsimport cvsexportcommit credential remote-ext remote-fd', always],
  ['hook', action('run')],
  ['config', changesSetting],
  ['merge rebase', mergesOtherwise(ANY_STRATEGY)],
  ['cherry-pick revert', mergesOtherwise(LONG_STRATEGY)],
  ['pull', any(mergesOtherwise(ANY_STRATEGY), helped)],
  ['fetch push ls-remote remote submodule fetch-pack send-pack', helped],
  ['clone', any(flags('--template'), clonesWith, helped)],
  ['init', flags('--template')],
  ['archive', any(flags('--remote --exec'), helped)],
  ['apply', flags('--unsafe-paths')],
  ['grep', (rest) => rest.some(({ value }) => /^(?:-[a-zA-Z]*O|--open-files)/.test(value))],
  ['help', flags('-w --web -i --info')],
  ['var', (rest) => rest.some(({ value, literal }) => !literal || /^-l$|^GIT_CONFIG/.test(value))],
];

const DANGERS: ReadonlyMap<string, GitTest> = new Map(
  ROWS.flatMap(([names, test]) => names.split(' ').map((name): [string, GitTest] => [name, test])),
);

/** The subcommands that are meant in some form at least. */
export const DANGEROUS_COMMANDS: readonly string[] = [...DANGERS.keys()];

/** `args` are the words behind `git`, of which the subcommand is number `start`. */
export function isGitDanger(args: readonly ShellWord[], start: number): boolean {
  for (let at = 0; at < start; at += 1) if (isGlobalDanger(args, at)) return true;
  const command = args[start];
  if (command === undefined) return false;
  const { value } = command;
  // Two dashes inside of a name: what git calls for its own ends.
  if (value.startsWith('credential-') || value.includes('--', 1)) return true;
  return DANGERS.get(value)?.(args.slice(start + 1)) === true;
}

function isGlobalDanger(args: readonly ShellWord[], at: number): boolean {
  const value = args[at]?.value ?? '';
  return value === '-c' ? setsInFront(args[at + 1]) : /^(?:--exec-path=|--config-env|-p$|--paginate$)/.test(value);
}
