/** Every fault that must have a test has one that is named after it, and the count at the end of a run tells the truth. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';

interface Test {
  readonly title: string;
  readonly status: string;
}

interface FaultCount {
  readonly FAULT_SERIES: Readonly<Record<string, readonly string[]>>;
  idsOf(series: string): string[];
  tellFaults(report: { testResults: { assertionResults: Test[] }[] }): string[];
}

const count = (await import(pathToFileURL(resolve('scripts/fault-count.mjs')).href)) as FaultCount;

/** Tests, and what tables of tests stand in files beside them. */
function specsBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist') return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return specsBelow(path);
    return /\.ts$/.test(entry.name) && !/\.long\.spec\.ts$/.test(entry.name) ? [path] : [];
  });
}

/** Ids at the beginning of a text in quotes, which is where names of tests stand. */
const named = new Set(
  ['apps', 'libs', 'test']
    .flatMap((folder) => specsBelow(folder))
    .filter((path) => !path.startsWith(join('test', 'gates')))
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/['"`]([A-Z]\d{2}[a-d]?) \S/g)].map(([, id]) => id)),
);

const reportOf = (...tests: [string, string][]) => ({
  testResults: [{ assertionResults: tests.map(([title, status]) => ({ title, status })) }],
});

const lineOf = (series: string, lines: readonly string[]): string =>
  lines.find((line) => line.startsWith(`faults: ${series} `)) ?? '';

describe('faults', () => {
  it.each(Object.keys(count.FAULT_SERIES))('of series %s each have a test', (series) => {
    expect(count.idsOf(series).filter((id) => !named.has(id))).toEqual([]);
  });

  it('are counted once each, however many tests carry the name', () => {
    const lines = count.tellFaults(
      reportOf(['C01 one', 'passed'], ['C01 two', 'passed'], ['C02 three', 'pending'], ['about C03', 'passed']),
    );
    expect(lineOf('C', lines)).toMatch(/^faults: C 1 of \d+ ran; not run: C02 C03 C04/);
  });

  it('are told apart by the letter at their end', () => {
    const lines = count.tellFaults(reportOf(['B25a one', 'passed'], ['B25 all', 'passed']));
    expect(lineOf('B', lines)).toMatch(/^faults: B 1 of 29 ran; .* B25c /);
  });

  it('are named when their test failed, even where another one of the name passed', () => {
    const lines = count.tellFaults(reportOf(['C01 one', 'passed'], ['C01 two', 'failed']));
    expect(lineOf('C', lines)).toMatch(/failed: C01$/);
  });
});
