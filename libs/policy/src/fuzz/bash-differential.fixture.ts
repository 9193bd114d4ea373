/** Compares the shell reader with the real bash on generated input. */
import { parseShell } from '../shell/parse.js';
import { bashAccepts, bashWords, type Bash } from './real-bash.fixture.js';
import { createChance } from './chance.js';
import { makeLiteralLine } from './literal-words.js';
import { minimise } from './minimise.js';
import { makeScript, mutate } from './scripts.js';

/** A line that the reader takes for literal words, and bash for others. */
export interface WordDifference {
  readonly line: string;
  readonly reader: readonly string[];
  readonly bash: readonly string[];
}

/** `literal`: lines that the reader called literal throughout; the rest it calls dynamic or doubtful, which asks. */
export interface WordReport {
  readonly lines: number;
  readonly literal: number;
  readonly differences: readonly WordDifference[];
}

const BATCH = 200;

/** Compares word splitting and quoting on `count` generated lines. */
export function compareWords(bash: Bash, seed: number, count: number): WordReport {
  const chance = createChance(seed);
  const differences: WordDifference[] = [];
  let literal = 0;
  let compared = 0;
  for (let done = 0; done < count; done += BATCH) {
    const lines = Array.from({ length: BATCH }, () => makeLiteralLine(chance));
    compared += lines.length;
    const oracle = bashWords(bash, lines);
    lines.forEach((line, at) => {
      const reader = literalWords(line);
      if (reader === null) return;
      literal += 1;
      const words = oracle[at] ?? [];
      if (JSON.stringify(reader) !== JSON.stringify(words)) differences.push({ line, reader, bash: words });
    });
  }
  return { lines: compared, literal, differences };
}

/** The words of a line's only command, when the reader vouches for all of them. */
export function literalWords(line: string): string[] | null {
  const { commands, doubts } = parseShell(line, 10_000);
  const [command] = commands;
  if (doubts.length > 0 || command === undefined || commands.length !== 1) return null;
  return command.words.every((word) => word.literal) ? command.words.slice(1).map((word) => word.value) : null;
}

/**
 * `refused`: scripts that bash refuses. `missed`: those of them that the reader took without a doubt, made small; `lenient`: how many
 * more it took by a leniency of its parser that is known.
 */
export interface RefusalReport {
  readonly scripts: number;
  readonly refused: number;
  readonly lenient: number;
  readonly missed: readonly string[];
}

/**
 * What the parser takes and bash does not: an opening bracket right behind a word, and a `;` at the start of a line. What is read
 * around them is judged all the same, and bash runs none of it.
 */
const LENIENT = /[^\s(]\(|\n\s*;/;

/** Compares what is refused on `count` generated and mutated scripts. */
export function compareRefusals(bash: Bash, seed: number, count: number): RefusalReport {
  const chance = createChance(seed);
  const missed: string[] = [];
  const isMissed = (script: string): boolean =>
    isComparable(script) && parseShell(script, 65_536).doubts.length === 0 && !bashAccepts(bash, script);
  let refused = 0;
  let lenient = 0;
  for (let done = 0; done < count; done += 1) {
    const script = mutate(chance, makeScript(chance));
    if (!isComparable(script) || bashAccepts(bash, script)) continue;
    refused += 1;
    if (!isMissed(script)) continue;
    const smallest = minimise(script, isMissed);
    if (LENIENT.test(smallest)) lenient += 1;
    else missed.push(smallest);
  }
  return { scripts: count, refused, lenient, missed };
}

/** A NUL is skipped by bash, and a lone surrogate cannot be handed to it. */
function isComparable(script: string): boolean {
  return !script.includes('\0') && !/\p{Surrogate}/u.test(script);
}
