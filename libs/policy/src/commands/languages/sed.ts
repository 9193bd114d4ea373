/** Reads sed scripts, as far as it takes to say that one only prints. */

/** A script being read. */
interface Reader {
  readonly text: string;
  at: number;
  /** A delimiter inside brackets is one of the characters that they mean. */
  skipsBrackets: boolean;
}

/** Commands that stand alone, and those that may take a number or a label. */
const PLAIN = new Set([...'=dDgGhHlnNpPxzF']);
const WITH_NUMBER = new Set([...'qQlL']);
const WITH_LABEL = new Set([...':btT']);
const WITH_TEXT = new Set([...'aic']);

/**
 * True when every command of the script only changes what is printed: no file is read or written besides the input, nothing is
 * run. INVARIANT: what is not understood is false.
 */
export function readsOnlySed(script: string): boolean {
  const reader: Reader = { text: script, at: 0, skipsBrackets: false };
  let budget = 1_000;
  skip(reader, /[\s;]/);
  while (reader.at < script.length) {
    budget -= 1;
    if (budget < 0 || !readAddresses(reader) || !readCommand(reader)) return false;
    skip(reader, /[\s;]/);
  }
  return true;
}

function peek(reader: Reader): string {
  return reader.text.charAt(reader.at);
}

function skip(reader: Reader, form: RegExp): void {
  while (reader.at < reader.text.length && form.test(peek(reader))) reader.at += 1;
}

function take(reader: Reader, form: RegExp): string {
  const start = reader.at;
  skip(reader, form);
  return reader.text.slice(start, reader.at);
}

/** Nothing, one address, or two; then `!`. */
function readAddresses(reader: Reader): boolean {
  const first = readAddress(reader);
  if (first === null) return false;
  skip(reader, / /);
  if (first && peek(reader) === ',') {
    reader.at += 1;
    skip(reader, / /);
    if (/[+~]/.test(peek(reader))) {
      reader.at += 1;
      if (take(reader, /\d/) === '') return false;
    } else if (readAddress(reader) !== true) return false;
  }
  skip(reader, /[ !]/);
  return true;
}

/** True: an address was read; false: there is none; null: it is not understood. */
function readAddress(reader: Reader): boolean | null {
  const char = peek(reader);
  if (char === '$') reader.at += 1;
  else if (/\d/.test(char)) {
    take(reader, /\d/);
    if (peek(reader) === '~') {
      reader.at += 1;
      if (take(reader, /\d/) === '') return null;
    }
  } else if (char === '/' || char === '\\') {
    if (char === '\\') reader.at += 1;
    const delimiter = peek(reader);
    reader.at += 1;
    if (!readDelimited(reader, delimiter)) return null;
    skip(reader, /[IM]/);
  } else return false;
  return true;
}

/** Reads up to the next unescaped delimiter. A delimiter inside brackets is read differently by different seds: not understood. */
function readDelimited(reader: Reader, delimiter: string): boolean {
  if (delimiter === '' || /[\s\\]/.test(delimiter)) return false;
  for (; reader.at < reader.text.length; reader.at += 1) {
    const char = peek(reader);
    if (char === '\\') reader.at += 1;
    else if (char === delimiter) {
      reader.at += 1;
      return true;
    } else if (char === '[' && bracketHides(reader, delimiter)) {
      if (!reader.skipsBrackets) return false;
      reader.at = bracketEnd(reader);
    } else if (char === '\n') return false;
  }
  return false;
}

/** The place of the bracket that closes the one here. */
function bracketEnd({ text, at }: Reader): number {
  let end = at + (text.charAt(at + 1) === '^' ? 3 : 2);
  while (end < text.length && text.charAt(end) !== ']') end += 1;
  return end;
}

function bracketHides(reader: Reader, delimiter: string): boolean {
  const { text } = reader;
  const first = reader.at + (text.charAt(reader.at + 1) === '^' ? 2 : 1);
  for (let at = first; at < text.length && (text.charAt(at) !== ']' || at === first); at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === delimiter) return true;
  }
  return false;
}

function readCommand(reader: Reader): boolean {
  const command = peek(reader);
  reader.at += 1;
  switch (command) {
    case '{':
    case '}':
      return true;
    case '#':
      skip(reader, /[^\n]/);
      return true;
    case 's':
      return readSubstitution(reader);
    case 'y':
      return readPair(reader) && ends(reader);
    default:
      return WITH_TEXT.has(command) ? readText(reader) : readPlain(reader, command);
  }
}

/** A command of one letter, with a label or a number at most. */
function readPlain(reader: Reader, command: string): boolean {
  const labelled = WITH_LABEL.has(command);
  if (!labelled && !PLAIN.has(command) && !WITH_NUMBER.has(command)) return false;
  skip(reader, / /);
  if (labelled) take(reader, /[\w.-]/);
  else if (WITH_NUMBER.has(command)) take(reader, /\d/);
  return ends(reader);
}

/** A command ends at a separator or a closing brace. */
function ends(reader: Reader): boolean {
  skip(reader, / /);
  return reader.at >= reader.text.length || /[;\n}#]/.test(peek(reader));
}

function readPair(reader: Reader): boolean {
  const delimiter = peek(reader);
  reader.at += 1;
  return readDelimited(reader, delimiter) && readReplacement(reader, delimiter);
}

/** In a replacement brackets mean nothing. */
function readReplacement(reader: Reader, delimiter: string): boolean {
  for (; reader.at < reader.text.length; reader.at += 1) {
    const char = peek(reader);
    if (char === '\\') reader.at += 1;
    else if (char === delimiter) {
      reader.at += 1;
      return true;
    } else if (char === '\n') return false;
  }
  return false;
}

/** The flags `e` and `w` of `s` run and write. */
function readSubstitution(reader: Reader): boolean {
  const start = reader.at;
  reader.skipsBrackets = true;
  const isPair = readPair(reader);
  reader.skipsBrackets = false;
  if (!isPair || !isRefused(reader, start)) return false;
  take(reader, /[gpIiMm\d]/);
  return ends(reader);
}

/**
 * Some seds end the pattern at a delimiter inside brackets. True when there is none, or when what would follow then is no flag, so
 * that they refuse the whole script.
 */
function isRefused({ text, at: end }: Reader, start: number): boolean {
  const delimiter = text.charAt(start);
  let at = start + 1;
  for (let left = 2; left > 0 && at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === delimiter) left -= 1;
  }
  return at === end || !/^[gpIiMmew\d;}#\s]?$/.test(text.charAt(at));
}

/** `a text` to the end of the line; a backslash goes on to the next. */
function readText(reader: Reader): boolean {
  for (; reader.at < reader.text.length; reader.at += 1) {
    const char = peek(reader);
    if (char === '\\') reader.at += 1;
    else if (char === '\n') return true;
  }
  return true;
}
