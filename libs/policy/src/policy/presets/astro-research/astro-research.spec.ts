import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { flawsOf, rowsIn } from '../../../cases/acceptance.fixture.js';

const FOLDER = new URL('../../../../../../test/data/acceptance/', import.meta.url);

const FILES = [
  ['A-bash.jsonl', 102],
  ['A-modes.jsonl', 63],
  ['A-paths.jsonl', 61],
  ['A-precedence.jsonl', 59],
  ['A-rules.jsonl', 68],
  ['A-subagent-runtime.jsonl', 70],
  ['A-traits.jsonl', 21],
] as const;

describe.each(FILES)('astro-research: %s', (file, count) => {
  const rows = rowsIn(readFileSync(new URL(file, FOLDER), 'utf8'));

  it('has all rows', () => {
    expect(rows).toHaveLength(count);
  });

  it.each(rows.map((row) => [row.id, row] as const))('%s', (_id, row) => {
    expect(flawsOf(row)).toEqual([]);
  });
});
