/** What a webhook's words are taken for: an answer to what it was asked, or none at all. */
import { describe, expect, it } from '@jest/globals';
import { readCall, readReply } from './webhook-answer.js';

const ASKED = { id: 'ask_1', version: 2 };
const reply = (value: unknown) => readReply(typeof value === 'string' ? value : JSON.stringify(value), ASKED);

describe('a response', () => {
  it.each(['', 'ok', '<html>', '[]', 'null', '{}', '{"ok":true}', '["answer"]'])('%j answers nothing', (text) => {
    expect(reply(text)).toBeNull();
  });

  it('says all that a call may say, for the ask and the version that were sent', () => {
    const said = { scope: 'always', uses: 1, pattern: 'Bash(ls *)', ttl: 60, reason: 'fine', user: 'ann' };
    const updatedInput = { command: 'ls' };
    expect(reply({ answer: 'approve', ...said, updatedInput })).toEqual({
      ok: true,
      call: { askId: 'ask_1', version: 2, answer: 'approve', ...said, updatedInput },
    });
    expect(reply({ answer: 'reject', askId: 'ask_1', version: 1 })).toMatchObject({ ok: true, call: { version: 1 } });
  });

  it.each([
    { answer: 'approve', askId: 'ask_2' },
    { answer: 'approve', updated_input: { command: 'ls' } },
    { answer: 'approve', scope: 'forever' },
    { answer: 'approve', scope: 'session', uses: 1 },
    { answer: 'perhaps' },
    '{"answer":"reject","answer":"approve"}',
    '{"answer":"approve","updatedInput":{"n":12345678901234567891}}',
  ])('%j is no answer that can be taken', (value) => {
    expect(reply(value)).toMatchObject({ ok: false, problem: expect.any(String) });
  });
});

describe('a call', () => {
  it('is told in one line what is wrong with it', () => {
    const problemOf = (text: string) => readCall(text);
    expect(problemOf('nonsense')).toEqual({ ok: false, problem: 'the JSON is not usable: malformed' });
    expect(problemOf('{"answer":"approve"}')).toMatchObject({ problem: expect.stringMatching(/^askId: /) });
    expect(problemOf('{"askId":"ask_1","answer":"approve","updated_input":{}}')).toMatchObject({
      problem: expect.stringMatching(/^Unrecognized key/),
    });
  });
});
