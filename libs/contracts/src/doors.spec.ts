/** Bounds of what people name: sessions' labels, persons, policies; and the form of a step. */
import { describe, expect, it } from '@jest/globals';
import {
  batchBodySchema,
  openSessionBodySchema,
  personBodySchema,
  policyNameSchema,
  toolCallBodySchema,
} from './doors.js';

const labelled = (labels: Record<string, string>) => openSessionBodySchema.safeParse({ agent: 'a', labels }).success;
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`label-${index}`, '']));

describe('names and labels', () => {
  it('takes at most 32 labels', () => {
    expect(labelled(many(32))).toBe(true);
    expect(labelled(many(33))).toBe(false);
  });

  it.each(['\u0000', '\n', '\u007f', '\u0085', '\u061c', '\u200f', '\u2028', '\u202e', '\u2066'])(
    'refuse %j',
    (odd) => {
      expect(labelled({ team: `a${odd}` })).toBe(false);
      expect(labelled({ [`a${odd}`]: 'x' })).toBe(false);
      expect(personBodySchema.safeParse({ name: `a${odd}b` }).success).toBe(false);
    },
  );

  it('are free to be anything that reads as it stands', () => {
    expect(labelled({ 'équipe 李': '👩‍💻 ~/x' })).toBe(true);
    expect(personBodySchema.safeParse({ name: 'Zoë O’Hara' }).success).toBe(true);
  });

  it('names policies by letters, digits and three marks', () => {
    for (const name of ['default', 'a', 'Team-1.strict_v2', '0'])
      expect(policyNameSchema.safeParse(name).success).toBe(true);
    for (const name of ['', '@tenant', '../..', '.a', '-a', 'a b', 'a\n', 'a\u0000', 'a'.repeat(65)]) {
      expect(policyNameSchema.safeParse(name).success).toBe(false);
    }
  });
});

describe('a step', () => {
  const whole = {
    sessionId: 's',
    toolUseId: 'id',
    attempt: 2,
    tool: 'mcp__foo_bar__read',
    args: { path: 'x' },
    cwd: '/srv',
    agent: 'lead',
    resolvedPaths: { '/srv/x': { real: '/srv/x', exists: true } },
    mcpServer: 'foo.bar',
    wait: 1,
    permit: true,
    description: 'why',
  };
  const { sessionId, wait, permit, ...call } = whole;

  it('takes of a call whatever the single door takes, but for what is of the step', () => {
    expect(Object.keys(whole).sort()).toEqual(Object.keys(toolCallBodySchema.shape).sort());
    const step = { sessionId, wait, permit, cwd: '/other', agent: 'other', calls: [call] };
    expect(batchBodySchema.parse(step)).toEqual(step);
  });

  it.each([{ sessionId }, { wait }, { permit }])('refuses %j inside of a call', (more) => {
    expect(batchBodySchema.safeParse({ sessionId, calls: [{ ...call, ...more }] }).error?.issues).toMatchObject([
      { path: ['calls', 0, Object.keys(more)[0]] },
    ]);
  });

  it.each(['tool', 'toolUseId', 'attempt', 'args', 'resolvedPaths', 'mcpServer', 'description'] as const)(
    'refuses `%s` beside its calls',
    (name) => {
      const body = { sessionId, calls: [call], [name]: whole[name] };
      expect(batchBodySchema.safeParse(body).error?.issues).toMatchObject([{ path: [name] }]);
    },
  );
});
