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
  readonly FAULT_SERIES: Readonly<Record<string, readonly number[]>>;
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
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/['"`]([A-Z]\d{2}) \S/g)].map(([, id]) => id)),
);

const reportOf = (...tests: [string, string][]) => ({
  testResults: [{ assertionResults: tests.map(([title, status]) => ({ title, status })) }],
});

describe('faults', () => {
  it.each(Object.keys(count.FAULT_SERIES))('of series %s each have a test', (series) => {
    expect(count.idsOf(series).filter((id) => !named.has(id))).toEqual([]);
  });

  it('are counted once each, however many tests carry the name', () => {
    const [line] = count.tellFaults(
      reportOf(['C01 one', 'passed'], ['C01 two', 'passed'], ['C02 three', 'pending'], ['about C03', 'passed']),
    );
    expect(line).toMatch(/^faults: C 1 of \d+ ran; not run: C02 C03 C04/);
  });

  it('are named when their test failed, even where another one of the name passed', () => {
    const [line] = count.tellFaults(reportOf(['C01 one', 'passed'], ['C01 two', 'failed']));
    expect(line).toMatch(/failed: C01$/);
  });
});
