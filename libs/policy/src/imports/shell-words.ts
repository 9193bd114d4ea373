/** Splits example commands into words, by the plain quoting rules of POSIX shells. */
import type { StarlarkValue } from './starlark.js';

/** Words of a command line without expansion of any kind; undefined when a quote is not closed. */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  const piece = /\s+|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/y;
  let word: string | undefined;
  for (let at = 0; at < line.length; at = piece.lastIndex) {
    piece.lastIndex = at;
    const found = piece.exec(line);
    if (!found) return undefined;
    if (/^\s/.test(found[0])) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + plainPiece(found);
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** A piece of a word with its quoting undone. */
function plainPiece([, single, double, escaped, bare]: RegExpExecArray): string {
  return single ?? double?.replace(/\\([\\"$`\n])/g, '$1') ?? escaped ?? bare ?? '';
}

/** Example commands of a rule, each as words; undefined when one of them is not an example. No examples are no flaw. */
export function examplesOf(value: StarlarkValue | undefined): string[][] | undefined {
  if (value === undefined || (value.kind === 'word' && value.word === 'None')) return [];
  if (value.kind !== 'list') return undefined;
  const out: string[][] = [];
  for (const item of value.items) {
    const words = exampleWords(item);
    if (words === undefined || words.length === 0) return undefined;
    out.push(words);
  }
  return out;
}

function exampleWords(item: StarlarkValue): string[] | undefined {
  if (item.kind === 'text') return splitWords(item.text);
  if (item.kind !== 'list') return undefined;
  const words = item.items.map((word) => (word.kind === 'text' ? word.text : undefined));
  return words.includes(undefined) ? undefined : (words as string[]);
}
