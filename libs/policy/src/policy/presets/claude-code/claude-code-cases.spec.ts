import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Effect } from '@countersign/contracts';
import { flawsOf, rowsIn, type AcceptanceRow } from '../../../cases/acceptance.fixture.js';
import { runCase } from '../../../cases/run-case.js';

const FOLDER = new URL('../../../../../../test/data/acceptance/', import.meta.url);

interface SeenRow extends AcceptanceRow {
  readonly expected: { readonly effect: Effect };
  readonly acceptable?: readonly Effect[];
}

const described = rowsIn(readFileSync(new URL('D-claude.jsonl', FOLDER), 'utf8'));
const seen = rowsIn(readFileSync(new URL('claude-code-seen.jsonl', FOLDER), 'utf8')) as SeenRow[];

const STRICTNESS: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/** Where we are stricter than the product was seen to be, by kind. */
const STRICTER: Readonly<Record<string, readonly string[]>> = {
  'an alias changes what later names mean': ['cc-0157'],
  'a denied program inside arithmetic is denied, not asked about': ['cc-0175'],
  'what a server sends would be run': ['cc-0576'],
  'xargs fills in names that nobody has seen': ['cc-0644', 'cc-0648'],
};

function effectOf(row: SeenRow): Effect {
  const result = runCase(row);
  if (result.status === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result.verdict.effect;
}

function mildest(row: SeenRow): number {
  return Math.min(...[row.expected.effect, ...(row.acceptable ?? [])].map((effect) => STRICTNESS[effect]));
}

describe('claude-code as described', () => {
  it('has all rows', () => {
    expect(described).toHaveLength(99);
  });

  it.each(described.map((row) => [row.id, row] as const))('%s', (_id, row) => {
    expect(flawsOf(row)).toEqual([]);
  });
});

describe('claude-code as seen', () => {
  it('has all rows', () => {
    expect(seen).toHaveLength(446);
  });

  it.each(seen.map((row) => [row.id, row] as const))('%s is never looser', (_id, row) => {
    expect(STRICTNESS[effectOf(row)]).toBeGreaterThanOrEqual(mildest(row));
  });

  it('is the same but for the named rows', () => {
    const different = seen.filter((row) => flawsOf(row).length > 0).map((row) => row.id);
    expect(different).toEqual(Object.values(STRICTER).flat().sort());
    expect(1 - different.length / seen.length).toBeGreaterThan(0.98);
  });
});
