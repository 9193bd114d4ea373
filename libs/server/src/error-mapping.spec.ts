/** Whatever is told of a failure, in text or details, holds no secret of what was sent. */
import { describe, expect, it } from '@jest/globals';
import { DoorError } from '@countersign/contracts';
import { toDoorError } from './error-mapping.js';

const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

describe('what is told of a failure', () => {
  it('has no secret in its message or details', () => {
    const problems = [{ path: SECRET, message: `\`Bash(curl -H ${SECRET})\` is no rule` }];
    const told = toDoorError(new DoorError('grant.invalid', `no rule: ${SECRET}`, { problems, [SECRET]: 1 }));
    expect(told).toMatchObject({ code: 'grant.invalid', status: 422 });
    expect(JSON.stringify([told.message, told.details])).not.toContain(SECRET);
    expect(told.message).toMatch(/^no rule: \[redacted:[^\]]+\]$/);
    expect(told.details?.['problems']).toHaveLength(1);
  });

  it.each(
    [
      new DoorError('grant.unknown'),
      new DoorError('grant.invalid', '`Bash(re:[)` is no rule'),
      new DoorError('ask.already_resolved', undefined, { by: 'Ann', at: '2026-01-01T00:00:00Z', via: 'web' }),
      new DoorError('request.invalid', undefined, { problems: [{ path: 'a.b', message: 'must be set' }] }),
    ].map((error) => [error.code, error] as const),
  )('stays the same error where there is none: %s', (_code, error) => {
    expect(toDoorError(error)).toBe(error);
  });
});
