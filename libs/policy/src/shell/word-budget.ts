/** How many words of a line are looked at: each is held against many tables, and one that the shell opens costs far more than plain text. */
import type { ShellCommand, ShellWord } from './tree.js';

/** INVARIANT: more than this is not looked at, and the line is asked about. A plain word costs one. */
const MOST = 6_000;
/** A word or target with a wildcard, a variable or a substitution; and each brace, which may stand for many words. */
const OPEN = 24;
const BRACE = 72;

/** What one line has cost so far, over all the commands in it. */
export interface WordBudget {
  spent: number;
}

/** The command without the words and redirects that are past the budget: the same object when all fit. */
export function withinBudget(budget: WordBudget, command: ShellCommand): ShellCommand {
  const { words, redirects } = command;
  // Nearly every line fits as a whole.
  if (fits(budget, costOfAll(command))) return command;
  const kept = words.filter((word) => fits(budget, costOf(word)));
  const targets = redirects.filter(() => fits(budget, OPEN));
  if (kept.length === words.length && targets.length === redirects.length) return command;
  return { ...command, words: kept, redirects: targets };
}

function fits(budget: WordBudget, cost: number): boolean {
  if (budget.spent + cost > MOST) return false;
  budget.spent += cost;
  return true;
}

function costOfAll({ words, redirects }: ShellCommand): number {
  let cost = redirects.length * OPEN;
  for (const word of words) cost += costOf(word);
  return cost;
}

function costOf(word: ShellWord): number {
  if (word.literal) return 1;
  return word.pieces.reduce((sum, { kind }) => sum + (kind === 'brace' ? BRACE : 0), OPEN);
}
