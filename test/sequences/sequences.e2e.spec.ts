/** Every sequence of the acceptance file, through the doors of a running stack. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { hooksOf } from './row-hooks.js';
import { openStack, type Stack } from './stack.js';
import { runSequence } from './run-sequence.js';

jest.setTimeout(60_000);

interface Row {
  readonly id: string;
  readonly section: string;
  readonly why: string;
}

const FILE = new URL('../data/acceptance/sequences.jsonl', import.meta.url);
const ROWS = readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Row);

let stack: Stack;
let ran = 0;
let passed = 0;
beforeAll(async () => {
  stack = await openStack(hooksOf(ROWS));
}, 90_000);
afterAll(async () => {
  await stack?.close();
  process.stderr.write(`sequences: ${ran} of ${ROWS.length} ran, ${passed} passed\n`);
}, 60_000);

describe('sequences of steps', () => {
  it.each(ROWS)('$id $section $why', async (row) => {
    ran += 1;
    expect(await runSequence(stack, row)).toEqual([]);
    passed += 1;
  });

  it('are 83', () => {
    expect(ROWS).toHaveLength(83);
  });
});
