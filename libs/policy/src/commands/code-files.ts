/** Files that code names: programs of other languages, queries, and what editors are told, in words or as input. */
import type { ShellCall } from '../shell/plan.js';
import { isInterpreter } from '../shell/embedded.js';

/** Programs that are told what to do in a language that opens files, besides the interpreters. */
const LANGUAGES = new Set(
  'sqlite3 duckdb psql mysql mariadb mongosh vim vi nvim view ex ed emacs gdb lldb m4 bc dc octave gnuplot'.split(' '),
);
const AWK = /^[gmn]?awk$/;
/** Without one of these a program of awk opens nothing. */
const AWK_OPENS = /getline|ARGV|[|>]/;
const SED = /^g?sed$/;
/** `r file` and `w file`, at the start of a script or behind an address, a brace or another command. */
const SED_FILES = /(?:^|[;{}\n\d$/])\s*!?\s*[rRwW]\s*([^\s;}]+)/g;
const QUOTED = /(["'`])((?:(?!\1)[^\\\n]){1,255})\1/g;
const BARE = /[^\s"'`()<>|;,=@{}[\]]{2,255}/g;
const MAX_LENGTH = 20_000;
const MAX_FILES = 64;
const NOTHING: readonly string[] = [];

/** Texts that may be files; nobody knows whether they are opened. Empty for most programs. */
export function filesInCode(call: ShellCall): readonly string[] {
  const { program } = call;
  if (program === null) return NOTHING;
  if (SED.test(program)) return fromMatches(codeOf(call), SED_FILES);
  if (!LANGUAGES.has(program) && !isInterpreter(program)) return NOTHING;
  const code = codeOf(call);
  if (AWK.test(program) && !AWK_OPENS.test(code)) return NOTHING;
  const quoted = fromMatches(code, QUOTED).filter((text) => /[./]/.test(text));
  const bare = fromMatches(code, BARE).filter((text) => /^(?:\.{0,2}\/|~\/|\.\w)|\w\//.test(text));
  return [...new Set([...quoted, ...bare])].slice(0, MAX_FILES);
}

function codeOf({ args, input }: ShellCall): string {
  const words = args.map((word) => word.value).join('\n');
  return (input.kind === 'text' ? `${words}\n${input.text}` : words).slice(0, MAX_LENGTH);
}

/** What the last group of each match holds. */
function fromMatches(text: string, form: RegExp): string[] {
  return Array.from(text.matchAll(form), (match) => match.at(-1) ?? match[0]);
}
