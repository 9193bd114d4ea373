/** The texts that deny and ask rules see of one command. */
import { expandBraces } from './braces.js';
import type { Piece, ShellWord } from './tree.js';
import { flagForms, hasFlagForms } from './flag-forms.js';
import { globalsEnd, hasGlobals } from './global-options.js';
import { isFolded, otherNames } from './subcommand-names.js';
import { runnerWords } from './wrappers.js';

const MAX_TAILS = 16;

/** Variables that the script itself sets to known text, and the home folder. */
export interface KnownVariables {
  readonly variables: ReadonlyMap<string, string>;
  readonly home: string | null;
}

/** The file name of a program's path. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Words with their quoting undone, joined by single blanks. */
export function textOfWords(words: readonly Pick<ShellWord, 'value'>[]): string {
  let text = words[0]?.value ?? '';
  for (let at = 1; at < words.length; at += 1) text += ` ${words[at]?.value ?? ''}`;
  return text;
}

/** The same, where the words of a command as written are known to stand in `source`: most are written just so. */
export function textOfCommand(words: readonly ShellWord[], source: string): string {
  let at = 0;
  for (const { text, value } of words) {
    if (text !== value || !source.startsWith(text, at)) return textOfWords(words);
    at += text.length;
    if (at < source.length && source.charCodeAt(at) !== 32) return textOfWords(words);
    at += 1;
  }
  return at === source.length + 1 ? source : textOfWords(words);
}

/** What counts of a word here. */
type Valued = Pick<ShellWord, 'value'>;

/** As written, by base name, without global options, by other names of its subcommand, with known variables filled in. `text` is that of the words. */
export function spellingsOf(known: KnownVariables, words: readonly ShellWord[], text: string): string[] {
  const name = words[0];
  const out = [text];
  if (name === undefined) return out;
  if (words.some((word) => !word.literal)) addFilledIn(out, known, words);
  if (!name.literal) return out;
  const program = baseName(name.value);
  if (program !== name.value) out.push(program + text.slice(name.value.length));
  addPlain(out, program, words);
  return out;
}

/**
 * What words that only the running shell knows may come to: variables that the script sets are filled in, all others are taken to
 * be empty (`E=evil; $E x`, `e${NOTHING}vil x`); and whole words may vanish (`$x rm y` runs rm, `xargs npm test` may add nothing).
 */
function addFilledIn(out: string[], known: KnownVariables, words: readonly ShellWord[]): void {
  const filled = words.map((word) => ({ value: word.pieces.map((piece) => filledPiece(known, piece)).join('') }));
  const left = words.filter((word) =>
    word.pieces.some((piece) => piece.kind !== 'dynamic' && piece.kind !== 'variable'),
  );
  const opened = words.map((word) => ({ value: openedWord(word) }));
  for (const reading of [filled, left, opened]) addForms(out, reading);
  addOnce(out, left.map((word) => word.text).join(' '));
}

/** One reading of the words: by base name, and without global options. */
function addForms(out: string[], words: readonly Valued[]): void {
  addOnce(out, byBaseName(textOfWords(words).trim()));
  const there = words.filter(({ value }) => value !== '');
  if (there[0] !== undefined) addPlain(out, baseName(there[0].value), there);
}

function addOnce(out: string[], text: string): void {
  if (!out.includes(text)) out.push(text);
}

/** `p{ush,}` is two words, and `${X:-push}` is push where X is nothing. */
function openedWord({ text, value, literal }: ShellWord): string {
  if (literal) return value;
  const named = text.replace(/^"(.*)"$/, '$1').replace(/\$\{\w+:?[-=+]([\w./-]*)\}/g, '$1');
  const opened = expandBraces(named)?.filter((word) => word !== '');
  return opened === undefined ? named : opened.join(' ');
}

function byBaseName(text: string): string {
  const space = text.indexOf(' ');
  return space < 0 ? baseName(text) : baseName(text.slice(0, space)) + text.slice(space);
}

function filledPiece(known: KnownVariables, piece: Piece): string {
  switch (piece.kind) {
    case 'variable':
      return known.variables.get(piece.name) ?? '';
    case 'home':
      return known.home ?? '~';
    case 'dynamic':
      return piece.text;
    case 'literal':
    case 'glob':
    case 'brace':
      return piece.value;
  }
}

const NOTHING: readonly string[] = [];

/** Every tail of a runner's words, and what stands in its script words (`ssh host 'cd x; rm -rf y'`), each in all its forms. */
export function elsewhereOf(program: string, args: readonly ShellWord[]): readonly string[] {
  const words = runnerWords(program, args)?.slice(0, MAX_TAILS);
  if (words === undefined) return NOTHING;
  const out: string[] = [];
  words.forEach((word, at) => {
    const tail = words.slice(at);
    addOnce(out, textOfWords(tail));
    addForms(out, tail);
    if (!/[\s;|&]/.test(word.value)) return;
    for (const part of word.value.split(/[;|&\n]+/))
      addForms(
        out,
        part
          .trim()
          .split(/\s+/)
          .map((value) => ({ value })),
      );
  });
  return out;
}

/** The command without its global options, by every other name of its subcommand, and with its flags written otherwise. `words` begin with the program. */
function addPlain(out: string[], program: string, words: readonly Valued[]): void {
  const takesGlobals = hasGlobals(program);
  if (words.length < 2 || !(takesGlobals || hasFlagForms(program))) return;
  const args = words.slice(1);
  const plain = args.slice(globalsEnd(program, args));
  for (const form of flagForms(program, plain)) addOnce(out, form);
  if (!takesGlobals) return;
  if (plain.length < args.length) addOnce(out, plain.length === 0 ? program : `${program} ${textOfWords(plain)}`);
  addOtherNames(out, program, plain);
}

/** `words` begin with the subcommand. */
function addOtherNames(out: string[], program: string, words: readonly Valued[]): void {
  const [subcommand, ...rest] = words;
  if (subcommand === undefined) return;
  const others = otherNames(program, subcommand.value);
  const folded = isFolded(program, subcommand.value);
  // Most subcommands have one name.
  if (others.length === 0 && !folded) return;
  const tail = rest.length === 0 ? '' : ` ${textOfWords(rest)}`;
  for (const other of others) addOnce(out, `${program} ${other}${tail}`);
  if (!folded || tail === '') return;
  addOnce(out, program + tail);
  for (const form of flagForms(program, rest)) addOnce(out, form);
}
