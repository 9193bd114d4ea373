/** An environment is read whole: all problems at once, no values in them. */
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { toDoorError } from './error-mapping.js';
import { readEnv } from './read-env.js';

const schema = z.object({
  PORT: z.coerce.number().int().max(65_535).default(4610),
  DATABASE_URL: z.url(),
  KEY: z.string().min(32),
});

describe('readEnv', () => {
  it('types values and fills defaults in; empty counts as absent', () => {
    const source = { DATABASE_URL: 'postgres://h/d', KEY: 'k'.repeat(32), PORT: '', OTHER: 'x' };
    expect(readEnv(schema, source)).toEqual({
      ok: true,
      env: { PORT: 4610, DATABASE_URL: 'postgres://h/d', KEY: 'k'.repeat(32) },
    });
  });

  it('gives a line per problem without the value', () => {
    const result = readEnv(schema, { PORT: '70000', KEY: 'secret' });
    if (result.ok) throw new Error('it passed');
    expect(result.problems).toHaveLength(3);
    expect(result.problems.join('\n')).toMatch(/PORT: .*65535[^]*DATABASE_URL: must be set[^]*KEY: /);
    expect(result.problems.join('\n')).not.toContain('secret');
  });
});

describe('toDoorError', () => {
  it.each([
    [Object.assign(new Error('x'), { code: '57P01' }), 'unavailable'],
    [Object.assign(new Error('x'), { code: '53300' }), 'unavailable'],
    [new Error('timeout exceeded when trying to connect'), 'unavailable'],
    [new Error('Connection terminated unexpectedly'), 'unavailable'],
    [Object.assign(new Error('x'), { code: '23505' }), 'internal.error'],
    [Object.assign(new Error('x'), { code: 'toString' }), 'internal.error'],
    [Object.assign(new Error('x'), { statusCode: 413 }), 'request.too_large'],
    [Object.assign(new Error('x'), { code: 'overloaded' }), 'overloaded'],
    ['a text', 'internal.error'],
    [null, 'internal.error'],
    [undefined, 'internal.error'],
  ])('%#', (error, code) => {
    expect(toDoorError(error).code).toBe(code);
  });
});
