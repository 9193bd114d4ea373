/** The texts that deny and ask rules see of one command. */
import { expandBraces } from './braces.js';
import type { Piece, ShellWord } from './tree.js';
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
export function textOfWords(words: readonly ShellWord[]): string {
  let text = words[0]?.value ?? '';
  for (let at = 1; at < words.length; at += 1) text += ` ${words[at]?.value ?? ''}`;
  return text;
}

/** Options before the subcommand that take the next word: skipped, so that `git -C x push` is also seen as `git push`. */
const GLOBAL_VALUES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    git: ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env', '--super-prefix'],
    docker: ['-H', '--host', '--context', '-c', '--config', '-l', '--log-level'],
    kubectl: ['-n', '--namespace', '--context', '--kubeconfig', '-s', '--server', '--cluster', '--user'],
    npm: '--prefix -w --workspace -C --registry --userconfig --globalconfig --cache --loglevel --tag --otp --access'.split(
      ' ',
    ),
    gh: ['-R', '--repo'],
    make: ['-C', '-f', '--directory', '--file'],
  }),
);

/** As written, by base name, without global options, with known variables filled in. `text` is that of the words. */
export function spellingsOf(known: KnownVariables, words: readonly ShellWord[], text: string): string[] {
  const name = words[0];
  const out = [text];
  if (name === undefined) return out;
  if (words.some((word) => !word.literal)) out.push(...filledIn(known, words));
  if (!name.literal) return out;
  const program = baseName(name.value);
  const tail = text.slice(name.value.length);
  if (program + tail !== text) out.push(program + tail);
  const plain = withoutGlobals(program, words);
  if (plain !== null) out.push(plain);
  return out;
}

/**
 * What words that only the running shell knows may come to: variables that the script sets are filled in, all others are taken to
 * be empty (`E=evil; $E x`, `e${NOTHING}vil x`); and whole words may vanish (`$x rm y` runs rm, `xargs npm test` may add nothing).
 */
function filledIn(known: KnownVariables, words: readonly ShellWord[]): string[] {
  const filled = words.map((word) => word.pieces.map((piece) => filledPiece(known, piece)).join('')).join(' ');
  const left = words.filter((word) =>
    word.pieces.some((piece) => piece.kind !== 'dynamic' && piece.kind !== 'variable'),
  );
  const texts = [filled, textOfWords(left)];
  const opened = words.map(openedWord).join(' ');
  if (opened !== texts[1]) texts.push(opened);
  return texts.map((text) => byBaseName(text.trim()));
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

/** Every tail of a runner's words, and what stands in its script words (`ssh host 'cd x; rm -rf y'`). */
export function elsewhereOf(program: string, args: readonly ShellWord[]): string[] {
  const words = runnerWords(program, args)?.slice(0, MAX_TAILS);
  if (words === undefined) return [];
  const out: string[] = [];
  words.forEach((word, at) => {
    out.push(textOfWords(words.slice(at)));
    if (/[\s;|&]/.test(word.value)) for (const part of word.value.split(/[;|&\n]+/)) out.push(part.trim());
  });
  return out;
}

function withoutGlobals(program: string, words: readonly ShellWord[]): string | null {
  const at = globalsEnd(program, words.slice(1)) + 1;
  if (at === 1) return null;
  return at < words.length ? `${program} ${textOfWords(words.slice(at))}` : program;
}

/** How many of a program's words stand in front of its subcommand. */
export function globalsEnd(program: string, args: readonly ShellWord[]): number {
  const values = GLOBAL_VALUES.get(program);
  let at = 0;
  if (values === undefined) return at;
  for (let word = args[0]; word?.value.startsWith('-') === true; word = args[at])
    at += values.includes(word.value) ? 2 : 1;
  return at;
}
