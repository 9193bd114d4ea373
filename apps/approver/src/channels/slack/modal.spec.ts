/** What a submitted dialog is read as. */
import { describe, expect, it } from '@jest/globals';
import { readModal } from './modal.js';

const submitted = (input: string) => ({
  values: { answer: { answer: { selected_option: { value: 'approve' } } }, input: { input: { value: input } } },
});
const read = (input: string) => readModal('ask_1.1', submitted(input), '{"command":"ls"}');

describe('edited arguments in a dialog', () => {
  it('are taken as they are written', () => {
    expect(read('{"command":"ls -l"}')).toMatchObject({ ok: true, body: { updatedInput: { command: 'ls -l' } } });
    expect(read('{"command":"ls"}')).toMatchObject({ ok: true, body: { version: 1 } });
    expect(read('{"command":"ls"}')).not.toHaveProperty('body.updatedInput');
  });

  it.each([
    ['{"command":"ls","command":"rm x"}', 'has a flaw: duplicate key'],
    ['{"command":"ls","timeout":12345678901234567891}', 'has a flaw: unsafe integer'],
    ['{"command":"\\ud800"}', 'has a flaw: lone surrogate'],
    ['{"command"', 'is not JSON'],
    ['[1]', 'must be a JSON object'],
  ])('%s is not: %s', (input, problem) => {
    expect(read(input)).toEqual({ ok: false, problems: { input: problem } });
  });
});
