import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { runCase } from './run-case.js';

const FILE = new URL('../../../../test/data/acceptance/reports-rules.jsonl', import.meta.url);
const rows = readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as { id: string; why: string });

describe('faults that users of agents reported, under standard', () => {
  it('has all rows', () => {
    expect(rows).toHaveLength(144);
  });

  it.each(rows.map((row) => [row.id, row] as const))('%s', (_id, row) => {
    const result = runCase(row);
    const seen =
      result.status === 'failed'
        ? [...result.differences, row.why]
        : result.status === 'invalid'
          ? result.problems
          : [];
    expect(seen).toEqual([]);
  });
});
