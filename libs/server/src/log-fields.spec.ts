import { describe, expect, it } from '@jest/globals';
import { writableFields } from './log-fields.js';

describe('the fields of a log line', () => {
  it('pass by a list', () => {
    expect(writableFields({ callId: 'c', ms: 3, args: { a: 's3cret' }, body: 's3cret', toString: 's3cret' })).toEqual({
      callId: 'c',
      ms: 3,
      args: '[redacted]',
      body: '[redacted]',
      toString: '[redacted]',
    });
  });

  it('are plain and short', () => {
    expect(writableFields({ cause: 'x'.repeat(10_000), route: { a: 's3cret' } })).toEqual({
      cause: 'x'.repeat(500),
      route: '[redacted]',
    });
  });

  it('keep of an error what tells of a bug, and nothing that a driver hung on it', () => {
    const error = Object.assign(new TypeError('bad'), { code: '22P02', detail: 's3cret', parameters: ['s3cret'] });
    const { err } = writableFields({ err: error }) as { err: Record<string, unknown> };
    expect(err).toEqual({ type: 'TypeError', code: '22P02', message: 'bad', stack: expect.stringContaining('bad') });
    expect(JSON.stringify(err)).not.toContain('s3cret');
  });
});
