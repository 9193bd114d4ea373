/** Commands that stand inside the words of other programs: in flags that name a helper, and in code of other languages. */
import { IN_INPUT, IN_WORDS, variableCommands } from './helpers.js';
import type { ShellCall } from './plan.js';
import { baseName } from './spellings.js';
import type { ShellWord } from './tree.js';
import { isShell, runnerWords } from './wrappers.js';

/** Programs whose own words are a command, in a shell or a world of their own. */
const APPLETS = new Set([
  'busybox',
  'toybox',
  'unbuffer',
  'faketime',
  'fakeroot',
  'proxychains',
  'proxychains4',
  'torsocks',
  'rlwrap',
  'entr',
]);

const INTERPRETER =
  /^(?:python[\d.]*|pypy3?|perl|ruby|node|nodejs|deno|bun|php|lua[\d.]*|osascript|tclsh|expect|gawk|mawk|nawk|awk|Rscript|groovy|irb|elixir|julia)$/;

/** A call in code that hands its text to a shell. */
const RUNS =
  /(?:system|popen|exec\w*|spawn\w*|shell_exec|passthru|proc_open|check_output|check_call|getoutput|subprocess\.\w+|os\.\w+|run|call|do shell script|IO\.popen|%x)\s*[(\s[{]\s*(["'])((?:(?!\1)[^\\]|\\.)+)\1(?=\s*[,\])};\n]|\s*$)/g;
/** The same with one word a list item: `subprocess.run(["rm", "-rf", "/"])`. */
const LISTS = /(?:run|call|check_\w+|Popen|exec\w*|spawn\w*)\s*\(\s*\[([^\]]*)\]/g;
/** The same with the words as arguments, also behind the program: `exec "rm", "-rf"`, `spawn("rm", ["-rf"])`. */
const WORDS =
  /(?:system|exec\w*|spawn\w*|Popen|run|call)\s*[(\s]\s*((?:"[^"\n]*"|'[^'\n]*')(?:\s*,\s*\[?\s*(?:"[^"\n]*"|'[^'\n]*'))+)/g;
const QUOTED_WORDS = /(?:system|exec)\s*\(?\s*(?:qw|%[wW])\s*[^\w\s]\s*([^)\]}/|>]*)/g;
const PIPED = /(["'])((?:(?!\1)[^\\]|\\.)+)\1\s*\|&?\s*getline|\|&?\s*(["'])((?:(?!\3)[^\\]|\\.)+)\3/g;
const TICKS = /`([^`]+)`/g;
const TCL = /\b(?:exec|spawn)\s+([^\n;\]]+)/g;

/** Deletes of whole folders by library calls. */
const REMOVES =
  /(?:rmtree|rm_rf|rm_r|remove_dir_all|removeSync|rmSync|rmdirSync|rimraf(?:\.sync)?|remove_tree|rmdir_r|removedirs)\s*\(?\s*(?:(["'])([^"'\n]+)\1|[^"'\n)]{0,120}?(expanduser|homedir|environ|getenv|Dir\.home|Path\.home|ENV|os\.path\.sep))/g;

/** Every command that is found. */
export function embeddedScripts(call: ShellCall): string[] {
  const { program, args } = call;
  const out = helpersOf(call);
  if (program === null || (args.length === 0 && call.input.kind !== 'text')) return out;
  if (APPLETS.has(program)) out.push(args.map((word) => `'${word.value.replaceAll("'", "'\\''")}'`).join(' '));
  addFromWords(out, call, program);
  if (call.input.kind === 'text' && feedsShell(program, args)) out.push(call.input.text);
  return out.length === 0 ? out : out.filter((text) => text.trim() !== '').slice(0, MAX_FOUND + 1);
}

/** `ssh host bash -s`, `docker exec -i c sh`: a shell somewhere else is fed. */
function feedsShell(program: string, args: readonly ShellWord[]): boolean {
  return runnerWords(program, args)?.some((word) => isShell(baseName(word.value))) === true;
}

/** True for a program that runs code of a language of its own. */
export function isInterpreter(program: string): boolean {
  return INTERPRETER.test(program);
}

/** True for a program that may run what it is fed. */
export function runsText({ program, args }: ShellCall): boolean {
  if (program === null) return false;
  return INTERPRETER.test(program) || IN_INPUT.has(program) || feedsShell(program, args);
}

/** What stands in the words of a program that takes commands or code among them, or in what it is fed; most take neither. */
function addFromWords(out: string[], { args, input }: ShellCall, program: string): void {
  const text = input.kind === 'text' ? input.text : '';
  if (text !== '') addMatches(out, text, IN_INPUT.get(program), [1, 2]);
  const flags = IN_WORDS.get(program);
  const isCode = INTERPRETER.test(program);
  if (flags === undefined && !isCode) return;
  const words = args.map((word) => word.value).join('\n');
  addMatches(out, words, flags, [1, 3]);
  if (isCode) out.push(...codeScripts(program, text === '' ? words : `${words}\n${text}`));
}

function addMatches(out: string[], text: string, form: RegExp | undefined, groups: readonly number[]): void {
  if (form === undefined || text.length >= MAX_CODE) return;
  // Most texts hold nothing of the kind, and to look is far cheaper than to take all matches.
  if (text.search(form) >= 0) out.push(...groupsOf(text, form, groups));
}

/** INVARIANT: a call that holds more is asked about; one more is handed back to say so. */
export const MAX_FOUND = 16;
const MAX_CODE = 20_000;

function codeScripts(program: string, code: string): string[] {
  if (code.length > MAX_CODE) return [];
  const out = groupsOf(code, RUNS, [2]).map(unescaped);
  for (const words of groupsOf(code, WORDS, [1])) out.push(wordsOf(words));
  if (/^(?:perl|ruby)/.test(program)) out.push(...groupsOf(code, QUOTED_WORDS, [1]));
  for (const list of groupsOf(code, LISTS, [1])) out.push(list.replace(/["']\s*,\s*["']/g, ' ').replace(/["']/g, ''));
  if (/awk$/.test(program)) out.push(...groupsOf(code, PIPED, [2, 4]).map(unescaped));
  if (/^(?:perl|ruby|php)/.test(program)) out.push(...groupsOf(code, TICKS, [1]));
  if (/^(?:tclsh|expect)$/.test(program)) out.push(...groupsOf(code, TCL, [1]));
  for (const match of code.matchAll(REMOVES)) out.push(`rm -rf ${match[2] ?? '~'}`);
  return out;
}

/** `"rm", ["-rf"` as a command line; `execvp` is told the program's name twice. */
function wordsOf(list: string): string {
  const [first = '', ...rest] = [...list.matchAll(/"([^"\n]*)"|'([^'\n]*)'/g)].map(
    ([, one, other]) => one ?? other ?? '',
  );
  return (rest[0] === first ? rest : [first, ...rest]).join(' ');
}

function groupsOf(text: string, form: RegExp, groups: readonly number[]): string[] {
  const out: string[] = [];
  for (const match of text.matchAll(form)) {
    for (const group of groups) if (match[group] !== undefined) out.push(match[group]);
  }
  return out;
}

function unescaped(text: string): string {
  return text.replace(/\\(["'\\$`])/g, '$1');
}

/** `PAGER='sh -c x' git log`, `export PAGER='x'`, `env PAGER=x git log`: variables that name a command. */
function helpersOf({ program, args, assignments }: ShellCall): string[] {
  const out: string[] = [];
  for (const { name, value } of assignments)
    if (value?.literal === true) out.push(...variableCommands(name, value.value));
  if (!SETTERS.has(program ?? '')) return out;
  for (const word of args) {
    const [, name, value] = /^(\w+)=([^]*)$/.exec(word.value) ?? [];
    if (name !== undefined && value !== undefined) out.push(...variableCommands(name, value));
  }
  return out;
}

const SETTERS = new Set(['export', 'declare', 'typeset', 'readonly', 'local', 'env', 'sudo']);
