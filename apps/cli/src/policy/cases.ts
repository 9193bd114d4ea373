/** `countersign cases`: runs verdict cases, one JSON object a line, on the engine alone. */
import { readFile } from 'node:fs/promises';
import { escapeForDisplay, fileProblem, type Preset } from '@countersign/contracts';
import { runCase, type CaseResult } from '@countersign/policy';
import { GOOD, OBJECTIONS, UNUSABLE } from './exit-codes.js';
import { areSteps, isRecord, serviceNeed } from './needs-service.js';
import { print, type Streams } from './streams.js';

export interface CasesOptions {
  /** Takes the place of every row's own preset. */
  readonly preset?: Preset;
  readonly json: boolean;
  readonly onlyFailures: boolean;
}

/**
 * One line of a case file, run. `invalid`: it is no case; `unread`: the file could not be opened, or is no text; both count as
 * failed. `skipped`: it needs a running service, so nothing is known of it.
 */
interface CaseLine {
  readonly place: string;
  readonly id: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'invalid' | 'unread';
  readonly effect?: string;
  readonly ruleId?: string;
  readonly expected?: unknown;
  readonly differences: readonly string[];
  readonly why: string;
}

/**
 * Prints the cases and ends with `N passed, M failed`, above it how many were skipped, where any was. What could not be read has
 * failed, and where none was run there is no success.
 */
export async function runCaseFiles(files: readonly string[], options: CasesOptions, streams: Streams): Promise<number> {
  const seen = { passed: 0, failed: 0, skipped: 0, invalid: 0, unread: 0 };
  for (const file of files) {
    for await (const line of linesOf(file, options)) {
      seen[line.status] += 1;
      show(line, options, streams);
    }
  }
  const { passed, skipped, unread } = seen;
  const failed = seen.failed + seen.invalid + unread;
  if (skipped > 0) print(streams, `${skipped} skipped: the engine alone cannot run them`);
  print(streams, `${passed} passed, ${failed} failed`);
  if (unread > 0) return UNUSABLE;
  return failed === 0 && passed > 0 ? GOOD : OBJECTIONS;
}

async function* linesOf(file: string, options: CasesOptions): AsyncGenerator<CaseLine> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    yield { ...unreadable(file, fileProblem(error)), status: 'unread' };
    return;
  }
  if (text.includes('\0')) {
    yield { ...unreadable(file, 'this file is not text'), status: 'unread' };
    return;
  }
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() !== '') yield runLine(`${file}:${at + 1}`, line, options);
  }
}

function runLine(place: string, line: string, { preset }: CasesOptions): CaseLine {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch (error) {
    return unreadable(place, `not JSON: ${(error as Error).message}`);
  }
  const given = isRecord(row) && preset !== undefined ? { ...row, preset } : row;
  return (isRecord(given) ? setAside(place, given) : null) ?? told(place, given, runCase(given));
}

/** What the engine alone cannot run, as the line that says so; null: it can. */
function setAside(place: string, row: Readonly<Record<string, unknown>>): CaseLine | null {
  const id = textOf(row['id']) || '?';
  if ('steps' in row && !areSteps(row['steps'])) {
    return { ...unreadable(place, 'steps: expected one or more objects'), id };
  }
  const need = serviceNeed(row);
  return need === null ? null : { ...unreadable(place, need), status: 'skipped', id };
}

function told(place: string, row: unknown, result: CaseResult): CaseLine {
  const { id, status } = result;
  if (result.status === 'invalid') {
    const differences = result.problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    return { place, id, status, differences, why: '' };
  }
  const { effect, ruleId } = result.verdict;
  const { expected, why } = isRecord(row) ? row : {};
  const differences = result.status === 'failed' ? result.differences : [];
  return { place, id, status, effect, ruleId, expected, differences, why: textOf(why) };
}

function unreadable(place: string, problem: string): CaseLine {
  return { place, id: '?', status: 'invalid', differences: [problem], why: '' };
}

function show(line: CaseLine, options: CasesOptions, streams: Streams): void {
  if (options.onlyFailures && (line.status === 'passed' || line.status === 'skipped')) return;
  if (options.json) print(streams, JSON.stringify(line));
  else for (const text of textLines(line)) print(streams, escapeForDisplay(text));
}

function textLines({ place, id, status, effect, ruleId, expected, differences, why }: CaseLine): string[] {
  if (status === 'passed') return [`passed  ${id}`];
  const got = effect === undefined ? [] : [`  got ${effect} by ${ruleId ?? '?'}`];
  const wanted = expected === undefined ? [] : [`  expected ${JSON.stringify(expected)}`];
  const reason = why === '' ? [] : [`  why: ${why}`];
  return [
    `${status.padEnd(7)} ${id} (${place})`,
    ...wanted,
    ...got,
    ...differences.map((one) => `  - ${one}`),
    ...reason,
  ];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
