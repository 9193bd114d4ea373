/** Commands that stand inside the words of other programs: in flags that name a helper, and in code of other languages. */
import type { ShellCall } from './plan.js';
import type { ShellAssignment } from './tree.js';

/** What finds commands in the words of a program: each match's first group is one. The words are joined by newlines. */
const FLAGS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    tar: /^(?:--checkpoint-action=exec=|--use-compress-program(?:=|\n)|--to-command(?:=|\n)|--info-script(?:=|\n)|-I\n?|-F\n)(.*)$/gm,
    sort: /^--comp[a-z-]*(?:=|\n)(.*)$/gm,
    rg: /^--(?:pre|hostname-bin)(?:=|\n)(.*)$/gm,
    zip: /^(?:-TT|--unzip-command)\n(.*)$/gm,
    ssh: /(?:^|-o)\n?(?:ProxyCommand|LocalCommand|PermitLocalCommand)[= ]?;?(.*)$/gm,
    scp: /(?:ProxyCommand)[= ]?;?(.*)$/gm,
    rsync: /^(?:-e|--rsh)(?:=|\n)(.*)$/gm,
    vim: /^(?:-c|--cmd)\n:?!(.*)$/gm,
    vi: /^(?:-c|--cmd)\n:?!(.*)$/gm,
    nvim: /^(?:-c|--cmd)\n:?!(.*)$/gm,
    ex: /^(?:-c|--cmd)\n:?!(.*)$/gm,
    script: /^(?:-[a-zA-Z]*c|--command)(?:=|\n)(.*)$/gm,
    make: /^(?:SHELL=|--eval=\$\(shell )(.*)$/gm,
    man: /^-[PH](.*)$/gm,
    socat: /^(?:exec|system):(.*)$/gim,
    sed: /^.*\/e;?$()/gm,
    sqlite3: /^\.(?:shell|system) (.*)$/gm,
    git: /^--upload-pack=(.*)$/gm,
    watch: /^((?!-).* .*)$/gm,
  }),
);

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
]);

const INTERPRETER =
  /^(?:python[\d.]*|pypy3?|perl|ruby|node|nodejs|deno|bun|php|lua[\d.]*|osascript|tclsh|expect|gawk|mawk|nawk|awk|Rscript|groovy|irb|elixir|julia)$/;

/** A call in code that hands its text to a shell. */
const RUNS =
  /(?:system|popen|exec\w*|spawn\w*|shell_exec|passthru|proc_open|check_output|check_call|getoutput|subprocess\.\w+|os\.\w+|run|call|do shell script|IO\.popen|%x)\s*[(\s[{]\s*(["'])((?:(?!\1)[^\\]|\\.)+)\1(?=\s*[,\])};\n]|\s*$)/g;
/** The same with one word a list item: `subprocess.run(["rm", "-rf", "/"])`. */
const LISTS = /(?:run|call|check_\w+|Popen|exec\w*|spawn\w*)\s*\(\s*\[([^\]]*)\]/g;
const PIPED = /(["'])((?:(?!\1)[^\\]|\\.)+)\1\s*\|&?\s*getline|\|&?\s*(["'])((?:(?!\3)[^\\]|\\.)+)\3/g;
const TICKS = /`([^`]+)`/g;
const TCL = /\bexec\s+([^\n;\]]+)/g;

/** Deletes of whole folders by library calls. */
const REMOVES =
  /(?:rmtree|rm_rf|rm_r|remove_dir_all|removeSync|rmSync|rmdirSync|rimraf(?:\.sync)?|remove_tree|rmdir_r|removedirs)\s*\(?\s*(?:(["'])([^"'\n]+)\1|[^"'\n)]{0,120}?(expanduser|homedir|environ|getenv|Dir\.home|Path\.home|ENV|os\.path\.sep))/g;

/** Every command that is found. */
export function embeddedScripts(call: ShellCall): string[] {
  const { program, args } = call;
  const out = call.assignments.length === 0 ? [] : call.assignments.flatMap(helperOf);
  if (program === null || (args.length === 0 && call.input.kind !== 'text')) return out;
  if (APPLETS.has(program)) out.push(args.map((word) => `'${word.value.replaceAll("'", "'\\''")}'`).join(' '));
  addFromWords(out, call, program);
  return out.length === 0 ? out : out.filter((text) => text.trim() !== '').slice(0, MAX_FOUND);
}

/** What stands in the words of a program that takes commands or code among them; most take neither. */
function addFromWords(out: string[], { args, input }: ShellCall, program: string): void {
  const flags = FLAGS.get(program);
  const isCode = INTERPRETER.test(program);
  if (flags === undefined && !isCode) return;
  const words = args.map((word) => word.value).join('\n');
  if (flags !== undefined) out.push(...groupsOf(words, flags, [1]));
  if (isCode) out.push(...codeScripts(program, input.kind === 'text' ? `${words}\n${input.text}` : words));
}

const MAX_FOUND = 16;
const MAX_CODE = 20_000;

function codeScripts(program: string, code: string): string[] {
  if (code.length > MAX_CODE) return [];
  const out = groupsOf(code, RUNS, [2]).map(unescaped);
  for (const list of groupsOf(code, LISTS, [1])) out.push(list.replace(/["']\s*,\s*["']/g, ' ').replace(/["']/g, ''));
  if (/awk$/.test(program)) out.push(...groupsOf(code, PIPED, [2, 4]).map(unescaped));
  if (/^(?:perl|ruby|php)/.test(program)) out.push(...groupsOf(code, TICKS, [1]));
  if (/^(?:tclsh|expect)$/.test(program)) out.push(...groupsOf(code, TCL, [1]));
  for (const match of code.matchAll(REMOVES)) out.push(`rm -rf ${match[2] ?? '~'}`);
  return out;
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

/** `PAGER='sh -c x' git log`, `LESSOPEN='|x %s' less f`: variables that name a command. */
function helperOf(assignment: ShellAssignment): string[] {
  if (
    assignment.value?.literal !== true ||
    !/(?:PAGER|EDITOR|VISUAL|LESSOPEN|LESSCLOSE|SSH_COMMAND|PROMPT_COMMAND|ASKPASS|EXTERNAL_DIFF|BROWSER)$/.test(
      assignment.name,
    )
  )
    return [];
  return [assignment.value.value.replace(/^\|+-?/, '').replace(/%s/g, '')];
}
