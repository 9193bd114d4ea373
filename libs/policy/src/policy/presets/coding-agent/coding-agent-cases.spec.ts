import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { flawsOf, rowsIn } from '../../../cases/acceptance.fixture.js';

const FOLDER = new URL('../../../../../../test/data/acceptance/', import.meta.url);

const FILES = [
  ['B-matrix.jsonl', 12],
  ['B-layers.jsonl', 46],
  ['B-headless.jsonl', 15],
  ['B-commands-paths.jsonl', 103],
] as const;

describe.each(FILES)('coding-agent: %s', (file, count) => {
  const rows = rowsIn(readFileSync(new URL(file, FOLDER), 'utf8'));

  it('has all rows', () => {
    expect(rows).toHaveLength(count);
  });

  it.each(rows.map((row) => [row.id, row] as const))('%s', (_id, row) => {
    expect(flawsOf(row)).toEqual([]);
  });
});
