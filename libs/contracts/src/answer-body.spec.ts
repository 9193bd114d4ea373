import { describe, expect, it } from '@jest/globals';
import { answerBodySchema } from './answer-body.js';

const problemOf = (body: unknown) => answerBodySchema.safeParse(body).error?.issues[0]?.message ?? null;

describe('an answer', () => {
  it.each(['updatedinput', 'updated_input', 'Scope', 'grantId', '__proto__'])('may not say %s', (name) => {
    const body = JSON.parse(`{"answer": "approve", "${name}": {"command": "ls"}}`) as unknown;
    expect(problemOf(body)).toMatch(/Unrecognized key/);
  });

  it.each([
    [{ scope: 'session', uses: 1 }, 'needs the scope `always`'],
    [{ uses: 1 }, 'needs the scope `always`'],
    [{ ttl: 60 }, 'needs the scope `session` or `always`'],
    [{ scope: 'once', pattern: 'Bash(ls *)' }, 'needs the scope `session` or `always`'],
  ])('is refused with a bound that its scope would drop: %j', (bounds, message) => {
    expect(problemOf({ answer: 'approve', ...bounds })).toBe(message);
    expect(problemOf({ answer: 'reject', ...bounds })).toBeNull();
  });

  it('keeps edited arguments as they came, whatever their names', () => {
    const body: unknown = JSON.parse('{"answer":"approve","updatedInput":{"a":1,"__proto__":{"b":2}}}');
    expect(JSON.stringify(answerBodySchema.parse(body).updatedInput)).toBe('{"a":1,"__proto__":{"b":2}}');
    for (const updatedInput of [[1], null, 'ls']) {
      expect(problemOf({ answer: 'approve', updatedInput })).toBe('must be an object');
    }
  });

  it('may bound what it allows', () => {
    const bounds = { pattern: 'Bash(ls *)', ttl: 60 };
    expect(problemOf({ answer: 'approve', scope: 'session', ...bounds })).toBeNull();
    expect(problemOf({ answer: 'approve', scope: 'always', uses: 3, ...bounds })).toBeNull();
  });
});
