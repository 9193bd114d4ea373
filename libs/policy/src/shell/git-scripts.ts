/** Commands that git runs because its words say so: `git bisect run x`, `git rebase -x 'y'`, aliases and settings that name a program. */
import { globalsEnd } from './global-options.js';
import type { ShellWord } from './tree.js';
import { literalWord } from './word.js';
import type { Wrapped } from './wrappers.js';

const SETTING =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)=|uploadpack\.packobjectshook=|sequence\.editor=|gpg\.(?:\w+\.)?program=|pager\.[^=]+=|diff\.external=|[^=]+\.(?:command|cmd|helper|textconv|driver|clean|smudge|process)=!?)(.*)$/is;
const ALIAS = /^alias\.[^=]+=(.*)$/is;
/** Flags whose value is a command line, by subcommand. git takes the beginning of a long flag for the whole. */
const SERVES = /^--(?:upl[a-z-]*|ex[a-z]*)(?:=|$)/;
const FLAGS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    rebase: /^(?:-x|--exec?)(?:=|$)/,
    difftool: /^(?:-x|--ext[a-z]*)(?:=|$)/,
    'filter-branch': /^--[a-z]+-filter(?:=|$)/,
    grep: /^(?:-O(?=.)|--op[a-z-]*=)/,
    clone: /^(?:-u$|--upl[a-z-]*(?:=|$))/,
    fetch: SERVES,
    pull: SERVES,
    'ls-remote': SERVES,
    'fetch-pack': SERVES,
    archive: SERVES,
    push: /^--(?:rece[a-z-]*|ex[a-z]*)(?:=|$)/,
    'send-email': /^--(?:[a-z-]+-cmd|smtp-server)(?:=|$)/,
    'send-pack': /^--(?:rece[a-z-]*|ex[a-z]*)(?:=|$)/,
  }),
);

/** Everything that these words of git make it run, besides what git is. */
export function gitScripts(args: readonly ShellWord[]): Wrapped[] {
  const start = globalsEnd('git', args);
  const out: Wrapped[] = [];
  for (let at = 1; at < start; at += 1) if (args[at - 1]?.value === '-c') addSetting(out, args[at]);
  out.push(...subcommandScripts(args[start]?.value, args.slice(start + 1)));
  for (const word of args) if (isRemoteHelper(word)) out.push(remoteHelper(word));
  return out;
}

/** `ext::sh -c x` is an address that git runs. */
function isRemoteHelper({ value }: ShellWord): boolean {
  return value.startsWith('::', 3) && /^ext/i.test(value);
}

/** Blanks inside of its words are written `% `. */
function remoteHelper(word: ShellWord): Wrapped {
  if (!word.literal) return script(word, '');
  const parts = word.value.slice(5).match(/(?:%[^]|[^\s%])+/g) ?? [];
  return { kind: 'words', words: parts.map((part) => literalWord(part.replace(/%([^])/g, '$1'))) };
}

/** True for a setting whose value, given behind `-c`, is told as something that git runs. */
export function isLookedAt(key: string): boolean {
  return ALIAS.test(`${key}=`) || SETTING.test(`${key}=`);
}

function addSetting(out: Wrapped[], word: ShellWord | undefined): void {
  if (word === undefined) return;
  const alias = ALIAS.exec(word.value)?.[1];
  const text = alias === undefined ? SETTING.exec(word.value)?.[1] : aliasScript(alias);
  if (text !== undefined) out.push(script(word, text));
}

/** An alias is a command line behind `!`, else words for git. */
function aliasScript(alias: string): string {
  return alias.startsWith('!') ? alias.slice(1) : `git ${alias}`;
}

function script(word: ShellWord, text: string): Wrapped {
  return { kind: 'script', text: word.literal ? text : null };
}

const NOTHING: readonly Wrapped[] = [];

/** `rest` are the words behind the subcommand. */
function subcommandScripts(command: string | undefined, rest: readonly ShellWord[]): readonly Wrapped[] {
  switch (command) {
    case undefined:
      return NOTHING;
    case 'bisect':
      return rest[0]?.value === 'run' && rest.length > 1 ? [{ kind: 'words', words: rest.slice(1) }] : [];
    case 'submodule':
      return foreachScript(rest);
    case 'config':
      return configScript(rest);
    case 'for-each-repo':
      return eachRepoScript(rest);
    default:
      return flagScripts(FLAGS.get(command), rest);
  }
}

/** One word is a command line, several are a program and its arguments. */
function foreachScript(rest: readonly ShellWord[]): Wrapped[] {
  const from = rest.findIndex((word) => word.value === 'foreach') + 1;
  if (from === 0) return [];
  const skipped = rest.slice(from).findIndex((word) => !word.value.startsWith('-'));
  const [first, ...more] = skipped < 0 ? [] : rest.slice(from + skipped);
  if (first === undefined) return [];
  return more.length === 0 ? [script(first, first.value)] : [{ kind: 'words', words: [first, ...more] }];
}

/** `git config alias.p '!x'`: whoever sets an alias means to run it. One for a subcommand of git is only a setting. */
function configScript(rest: readonly ShellWord[]): Wrapped[] {
  const at = rest.findIndex((word) => /^alias\../i.test(word.value));
  const value = at < 0 ? undefined : rest[at + 1];
  return value?.value.startsWith('!') === true ? [script(value, value.value.slice(1))] : [];
}

/** The words behind the flags are git's own, in each repository. */
function eachRepoScript(rest: readonly ShellWord[]): Wrapped[] {
  const from = rest.findIndex((word, at) => !word.value.startsWith('-') && rest[at - 1]?.value !== '--config');
  return from < 0 ? [] : [{ kind: 'words', words: [literalWord('git'), ...rest.slice(from)] }];
}

function flagScripts(flag: RegExp | undefined, rest: readonly ShellWord[]): readonly Wrapped[] {
  if (flag === undefined) return NOTHING;
  return rest.flatMap((word, at) => {
    const head = flag.exec(word.value)?.[0];
    if (head === undefined) return [];
    const value = head === word.value && !head.endsWith('=') ? rest[at + 1] : word;
    if (value === undefined) return [];
    return [script(value, value === word ? word.value.slice(head.length) : value.value)];
  });
}
