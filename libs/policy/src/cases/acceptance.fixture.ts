/** Reads and runs the rows of acceptance files, for specs. */
import { runCase } from './run-case.js';

export interface AcceptanceRow {
  readonly id: string;
  readonly why: string;
}

/** The rows of a file's text, one a line. */
export function rowsIn(text: string): AcceptanceRow[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AcceptanceRow);
}

/** What is wrong with the row's outcome, its own reason last; empty when it passes. */
export function flawsOf(row: AcceptanceRow): unknown[] {
  const result = runCase(row);
  if (result.status === 'failed') return [...result.differences, row.why];
  return result.status === 'invalid' ? [...result.problems] : [];
}
