/** Faults that users of agents reported and that need more than the engine: each set-up through the doors of a running stack. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { contextHooks, runContext, type ContextRow } from './reports-context.js';
import { openStack, type Stack } from './stack.js';

jest.setTimeout(60_000);

const FILE = new URL('../data/acceptance/reports-context.jsonl', import.meta.url);
const ROWS = readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as ContextRow);

let stack: Stack;
let ran = 0;
let passed = 0;
beforeAll(async () => {
  stack = await openStack(contextHooks());
}, 90_000);
afterAll(async () => {
  await stack?.close();
  process.stderr.write(`reports that need a context: ${ran} of ${ROWS.length} ran, ${passed} passed\n`);
}, 60_000);

describe('reported faults', () => {
  it.each(ROWS)('$id $why', async (row) => {
    ran += 1;
    const { effect, flaws } = await runContext(stack, row);
    expect(flaws).toEqual([]);
    expect([row.expected.effect, ...(row.acceptable ?? [])]).toContain(effect);
    passed += 1;
  });

  it('are 21', () => {
    expect(ROWS).toHaveLength(21);
  });
});
