/** The acceptance corpus stays whole: a row that vanished would pass in silence. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const FOLDER = new URL('../data/acceptance/', import.meta.url);

/** Rows of each file. A file that gets more rows, or a new one, is entered here on purpose. */
const ROWS: Readonly<Record<string, number>> = {
  'A-bash.jsonl': 102,
  'A-modes.jsonl': 63,
  'A-paths.jsonl': 61,
  'A-precedence.jsonl': 59,
  'A-rules.jsonl': 68,
  'A-subagent-runtime.jsonl': 70,
  'A-traits.jsonl': 21,
  'B-commands-paths.jsonl': 103,
  'B-headless.jsonl': 15,
  'B-layers.jsonl': 46,
  'B-matrix.jsonl': 12,
  'C-runner.jsonl': 83,
  'D-claude.jsonl': 99,
  'claude-code-seen.jsonl': 446,
  'reports-context.jsonl': 21,
  'reports-rules.jsonl': 144,
  'sequences.jsonl': 83,
};

function idsOf(file: string): string[] {
  const lines = readFileSync(new URL(file, FOLDER), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => (JSON.parse(line) as { id: string }).id);
}

describe('the acceptance corpus', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.jsonl'));

  it('has as many rows in each file as are written down here', () => {
    expect(Object.fromEntries(files.sort().map((file) => [file, idsOf(file).length]))).toEqual(ROWS);
  });

  it('has no two rows of one id', () => {
    const ids = files.flatMap(idsOf);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });
});
