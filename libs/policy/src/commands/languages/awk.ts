/** Reads awk programs, as far as it takes to say that one only prints. */

/** Words that run programs, open files, load code or show the environment, wherever they stand. */
const NEVER = /\b(?:system|getline|ENVIRON|PROCINFO|ARGV|ARGC|SYMTAB|FUNCTAB|extension)\b/;
/** Behind the brackets of a condition a slash opens a regular expression, behind all others it divides. */
const UNCLEAR_SLASH = /\)\s*\//;
const CONDITION = /\b(?:if|while|for|switch)\b/;
const MAX_LENGTH = 4_000;

type Token = 'operand' | 'operator' | 'print' | 'end' | 'open' | 'close' | 'redirect' | 'pipe' | 'step';

/**
 * True when the program does nothing but print to standard output. `>` is a redirect behind `print` and `printf` outside of
 * brackets, a comparison elsewhere; a single `|` is always a pipe. INVARIANT: what is not understood is false.
 */
export function readsOnlyAwk(program: string): boolean {
  if (program.length > MAX_LENGTH || NEVER.test(program)) return false;
  if (UNCLEAR_SLASH.test(program) && CONDITION.test(program)) return false;
  const state: State = { last: 'end', depth: 0, printing: null };
  let at = 0;
  while (at < program.length) {
    const next = tokenAt(program, at, state.last);
    if (next === null || (next.token !== null && !takes(state, next.token))) return false;
    at = next.end;
  }
  return true;
}

/** Where the reader stands: the token before, the brackets open, and those that were open at the last `print`. */
interface State {
  last: Token;
  depth: number;
  printing: number | null;
}

/** Takes the next token; false when it would write or run. */
function takes(state: State, token: Token): boolean {
  state.last = token;
  const printing = state.printing !== null && state.depth <= state.printing;
  switch (token) {
    case 'pipe':
      return false;
    case 'redirect':
      return !printing;
    case 'open':
      state.depth += 1;
      return true;
    case 'close':
      state.depth -= 1;
      return true;
    case 'print':
      state.printing = state.depth;
      return true;
    case 'end':
      if (printing) state.printing = null;
      return true;
    case 'operand':
    case 'operator':
    case 'step':
      return true;
  }
}

interface Found {
  /** Null: blanks and comments. */
  readonly token: Token | null;
  readonly end: number;
}

const BLANK = /(?:[ \t\r]|\\\r?\n|#[^\n]*)+/y;
const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const STRING = /"(?:[^"\\\n]|\\[^])*"/y;
const REGEX = /\/(?:[^/\\\n[]|\\.|\[\^?\]?(?:[^\]\\\n/]|\\.)*\])+\//y;
const TWO = /\|\||&&|[<>=!]=|\+\+|--|[-+*/%^]=|\*\*=?|!~/y;

const KEYWORDS = new Set(['in', 'return', 'else', 'do', 'delete', 'case']);

function lengthAt(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return form.exec(text)?.[0].length ?? 0;
}

/** The token at the place; null when it is not understood. */
function tokenAt(text: string, at: number, last: Token): Found | null {
  const blank = lengthAt(BLANK, text, at);
  if (blank > 0) return { token: null, end: at + blank };
  const name = lengthAt(NAME, text, at);
  if (name > 0) return { token: nameToken(text.slice(at, at + name)), end: at + name };
  for (const form of [NUMBER, STRING]) {
    const length = lengthAt(form, text, at);
    if (length > 0) return { token: 'operand', end: at + length };
  }
  if (text.charAt(at) === '/') return slashAt(text, at, last);
  const two = lengthAt(TWO, text, at);
  if (two > 0) return { token: /^(?:\+\+|--)$/.test(text.slice(at, at + two)) ? 'step' : 'operator', end: at + two };
  const token = CHARACTERS[text.charAt(at)];
  return token === undefined ? null : { token, end: at + 1 };
}

function nameToken(name: string): Token {
  if (name === 'print' || name === 'printf') return 'print';
  return KEYWORDS.has(name) ? 'operator' : 'operand';
}

/** A slash divides behind a value and opens a regular expression elsewhere; behind `++` it could be either. */
function slashAt(text: string, at: number, last: Token): Found | null {
  if (last === 'step') return null;
  if (last === 'operand' || last === 'close')
    return { token: 'operator', end: at + (text.charAt(at + 1) === '=' ? 2 : 1) };
  const length = lengthAt(REGEX, text, at);
  return length === 0 ? null : { token: 'operand', end: at + length };
}

const CHARACTERS: Readonly<Record<string, Token>> = {
  '{': 'end',
  '}': 'end',
  ';': 'end',
  '\n': 'end',
  '(': 'open',
  '[': 'open',
  ')': 'close',
  ']': 'close',
  '>': 'redirect',
  '|': 'pipe',
  '<': 'operator',
  '+': 'operator',
  '-': 'operator',
  '*': 'operator',
  '%': 'operator',
  '^': 'operator',
  '!': 'operator',
  '~': 'operator',
  '?': 'operator',
  ':': 'operator',
  ',': 'operator',
  '=': 'operator',
  '&': 'operator',
  $: 'operator',
};
