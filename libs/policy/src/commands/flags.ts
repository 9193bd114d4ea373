/** Reading a program's flags from its words. */
import type { Piece, ShellWord } from '../shell/tree.js';

/** A command's words sorted: flags (values cut off behind `=`), operands, and every flag's value. */
export interface SortedArgs {
  readonly flags: readonly string[];
  readonly operands: readonly ShellWord[];
  readonly values: ReadonlyMap<string, ShellWord>;
}

/** Sorts words into flags and operands. `valueFlags` take the next word; `--x=v` and `-xv` carry their own. */
export function sortArgs(args: readonly ShellWord[], valueFlags: readonly string[]): SortedArgs {
  const flags: string[] = [];
  const operands: ShellWord[] = [];
  const values = new Map<string, ShellWord>();
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    if (word.value === '--') {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!isFlag(word)) {
      operands.push(word);
      continue;
    }
    const { flag, attached } = splitFlag(word, valueFlags);
    const takesNext = attached === null && valueFlags.includes(flag);
    const value = takesNext ? args[at + 1] : attached;
    flags.push(flag);
    if (value !== null && value !== undefined) values.set(flag, value);
    if (takesNext) at += 1;
  }
  return { flags, operands, values };
}

/** `--output=x` and `-ox` are a flag and its value in one word. */
function splitFlag(word: ShellWord, valueFlags: readonly string[]): { flag: string; attached: ShellWord | null } {
  const { value } = word;
  if (value.startsWith('--')) {
    const equals = value.indexOf('=');
    return equals < 0
      ? { flag: value, attached: null }
      : { flag: value.slice(0, equals), attached: withoutHead(word, equals + 1) };
  }
  const short = value.slice(0, 2);
  const carries = value.length > 2 && valueFlags.includes(short);
  return carries ? { flag: short, attached: withoutHead(word, 2) } : { flag: value, attached: null };
}

/** The word without its first characters, when these are plain text. */
export function withoutHead(word: ShellWord, length: number): ShellWord {
  const first = word.pieces[0];
  if (first?.kind !== 'literal' || first.value.length < length) return word;
  const head: Piece = { kind: 'literal', value: first.value.slice(length), quoted: first.quoted };
  const pieces = word.pieces.length === 1 ? [head] : [head, ...word.pieces.slice(1)];
  return { text: word.text, value: word.value.slice(length), literal: word.literal, pieces };
}

/** True for a word that starts with a dash and is not the dash alone. */
export function isFlag(word: ShellWord): boolean {
  const { value } = word;
  return value.length > 1 && value.charCodeAt(0) === 45;
}

/** True when one of the flags is set: `-r` also inside a cluster such as `-fr`; long flags by any unambiguous beginning. */
export function hasFlag(flags: readonly string[], short: string, long: string | null = null): boolean {
  return flags.some((flag) => {
    if (flag.startsWith('--')) return long !== null && flag.length > 3 && long.startsWith(flag);
    return short !== '' && flag.includes(short, 1);
  });
}
