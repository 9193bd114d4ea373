import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { flawsOf, rowsIn } from '../../../cases/acceptance.fixture.js';

const FOLDER = new URL('../../../../../../test/data/acceptance/', import.meta.url);

describe('governed-runner: C-runner.jsonl', () => {
  const rows = rowsIn(readFileSync(new URL('C-runner.jsonl', FOLDER), 'utf8'));

  it('has all rows', () => {
    expect(rows).toHaveLength(83);
  });

  it.each(rows.map((row) => [row.id, row] as const))('%s', (_id, row) => {
    expect(flawsOf(row)).toEqual([]);
  });
});
