/** Finds where in a policy's text a problem stands that was found when the policy was compiled. */
import type { PolicyProblem } from '../policy/parse-document.js';
import { readText, type PolicyFormat, type PolicyTextProblem } from './read-policy-text.js';
import { placeOf } from './text-node.js';

/** A policy's text as it was read; `file` is only named. */
export interface PolicyText {
  readonly file: string;
  readonly text: string;
  readonly format: PolicyFormat;
}

/**
 * The problems with line and column: those of the value itself, or of the nearest table or list around it where the text does not
 * hold it (a default, a rule that came from elsewhere). A text that cannot be read places all at its start.
 */
export function placeProblems(
  { file, text, format }: PolicyText,
  problems: readonly PolicyProblem[],
): PolicyTextProblem[] {
  const read = readText(text, format);
  return problems.map((problem) => {
    const steps = problem.path === '' ? [] : problem.path.split('.').map(stepOf);
    const place = read.ok ? placeOf(read.node, steps) : { line: 1, column: 1 };
    return { file, ...place, ...problem };
  });
}

function stepOf(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part;
}
