/** `test` and `[`: conditions, which evaluate an index inside of `-v` and so may run what stands in it. */
import type { ShellPlan } from '../../shell/plan.js';
import type { ShellWord } from '../../shell/tree.js';
import { NO_FILES, type ProgramFamily, type ProgramRow } from './program.js';

const UNARY = /^-[abcdefghkLnoprsStuwxzGNO]$/;
const BINARY = /^(?:==?|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

const CONDITION: ProgramRow = { reads: isPlainCondition, operands: NO_FILES, takesUnknown: true };

export const TEST_PROGRAMS: ProgramFamily = { test: CONDITION, '[': CONDITION };

/** Every operator is written out, and no word can split into several. */
function isPlainCondition(args: readonly ShellWord[], _call: unknown, plan: ShellPlan | undefined): boolean {
  if (args.every((word) => word.literal)) return !args.some((word) => /^-[vR]$/.test(word.value));
  if (!args.every((word) => isOneWord(word, plan))) return false;
  const words = args.at(-1)?.value === ']' ? args.slice(0, -1) : args;
  return partsOf(words).every(isPlainPart);
}

/** Quoted, or a variable that the script only gives numbers. */
function isOneWord(word: ShellWord, plan: ShellPlan | undefined): boolean {
  if (word.literal || /^"[^"]*"$/.test(word.text)) return true;
  const [only, ...more] = word.pieces;
  if (only?.kind !== 'variable' || more.length > 0) return false;
  const binding = plan?.bindings.get(only.name);
  return binding !== undefined && !binding.unknown && binding.readers.length === 0 && binding.words.every(isNumeric);
}

function isNumeric(word: ShellWord): boolean {
  return /^-?\d+$/.test(word.value) || /^\{\d+\.\.\d+\}$/.test(word.text) || /^\$\(\([\w\s+*/%-]*\)\)$/.test(word.text);
}

function partsOf(words: readonly ShellWord[]): ShellWord[][] {
  const parts: ShellWord[][] = [[]];
  for (const word of words) {
    if (word.literal && /^-[ao]$/.test(word.value)) parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return parts;
}

function isPlainPart(part: readonly ShellWord[]): boolean {
  const words = part[0]?.literal === true && part[0].value === '!' ? part.slice(1) : part;
  const [first, second, third, ...more] = words;
  if (more.length > 0 || first === undefined) return false;
  if (second === undefined) return true;
  if (third === undefined) return first.literal && UNARY.test(first.value);
  return second.literal && BINARY.test(second.value);
}
