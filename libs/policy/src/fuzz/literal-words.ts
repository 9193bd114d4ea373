/** Makes words that every shell hands on as they stand, in every way of quoting, for a comparison with a real shell. */
import type { Chance } from './chance.js';

/** A line `p word… end` without any expansion; the last word keeps a joined line from standing at the end of the text. */
export function makeLiteralLine(chance: Chance): string {
  const gap = (): string => chance.pick([' ', '  ', '\t', ' \\\n ']);
  const words = Array.from({ length: chance.below(5) + 1 }, () => gap() + makeLiteralWord(chance));
  return `p${words.join('')} end${chance.often(0.1) ? ' # not "a word' : ''}`;
}

function makeLiteralWord(chance: Chance): string {
  const start = chance.pick<() => string>([() => bare(chance), () => piece(chance)])();
  return start + chance.many(3, () => piece(chance)).join('');
}

function piece(chance: Chance): string {
  return chance.pick<() => string>([
    () => bare(chance),
    () => escaped(chance),
    () => `'${chance.many(6, () => chance.pick(IN_SINGLE)).join('')}'`,
    () => `"${chance.many(6, () => chance.pick(IN_DOUBLE)).join('')}"`,
    () => `$'${chance.many(5, () => chance.pick(IN_ANSI)).join('')}'`,
  ])();
}

const BARE = ['a', 'B7', '-x', '--y=', '/', '.', '..', '+', ',', ':', '@', '%', '_', '^', 'é', '世', 'a=b', 'a#b', '}', 'a~', 'if', 'do', '{', '!', ']'] as const; // prettier-ignore
const ESCAPED = [' ', '$', '"', "'", '\\', '`', '*', '?', '[', '(', ')', '<', '>', '|', '&', ';', '#', '~', '{', '!', 'n', 'a', '\n', '\t'] as const; // prettier-ignore
const IN_SINGLE = [
  'a',
  ' ',
  '"',
  '$x',
  '`',
  '\\',
  '\\n',
  '*',
  '\n',
  '#',
  '!',
  '~',
  '{a,b}',
  '$(x)',
  '\\\n',
  '世',
] as const;
const IN_DOUBLE = ['a', ' ', "'", '\\$', '\\"', '\\\\', '\\`', '\\n', '\\a', '*', '\n', '\\\n', '#', '~', '{a,b}', '$ ', '$', '%', ';', '|', '世'] as const; // prettier-ignore
const IN_ANSI = ['a', ' ', '"', "\\'", '\\\\', '\\n', '\\t', '\\x41', '\\x7e', '\\101', '\\u00e9', '\\U0001F600', '\\e', '\\a', '\\"', '\\?', '$x', '\\cA', '\\q', '\\x4g', '\\18'] as const; // prettier-ignore

function bare(chance: Chance): string {
  return chance.pick(BARE);
}

function escaped(chance: Chance): string {
  return `\\${chance.pick(ESCAPED)}`;
}
