/** A quick check never says more than its schema: whatever it takes, the schema takes unchanged. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { toolCallBodySchema } from './doors.js';
import { sessionEventSchema } from './events.js';
import { evaluateJobSchema, replySchema } from './jobs.js';
import { quickCheck, quickParser } from './quick-check.js';
import { toolCallSchema } from './tool-call.js';

const opening = {
  agent: 'claude-code',
  parentId: null,
  policy: 'default',
  mode: 'default',
  cwd: '/work',
  roots: ['/work', '/tmp'],
  silent: false,
  tools: null,
  labels: { team: 'a' },
  home: null,
};
const args = { state: 'ok', json: '{"command":"ls"}', hash: 'ab' };
const path = { real: '/work/a', exists: true, failed: false };
const call = {
  ...{ id: 'call_1', tenantId: 't', keyId: 'k', sessionId: 's', agent: 'a', toolUseId: 'u', attempt: 1, tool: 'Bash' },
  ...{ args, cwd: null, mode: null, resolvedPaths: { '/work/a': path }, sameHost: false, description: null },
  ...{ joinsByHash: false, mcpServer: 'files', opening, ancestors: [{ sessionId: 'p', opening }] },
};
const match = {
  ...{ layer: 'allow', effect: 'allow', ruleId: 'r', reason: 'because', source: 'project', pattern: 'Bash(ls)' },
  ...{ subject: 'ls', level: null },
};
const verdict = {
  ...{ effect: 'allow', ruleId: 'r', reason: 'because', layer: 'allow', risk: 'low', mode: 'default' },
  matches: [match, { ...match, source: null }],
};
const session = {
  ...{ sessionId: 's', cancelled: false, stopped: false, breakerOpen: false, heldBy: null, mode: 'plan', silent: true },
  ...{ subagent: false, tools: ['Bash'], rules: [], grants: [], roots: ['/work'], cwd: null, home: null },
  progress: { step: 1, repeat: 1, tokens: 0, diminishingReturns: false },
};
const facts = { now: '2026-01-01T00:00:00.000000Z', session, protectedPaths: ['/x'], platform: 'linux' };
const request = {
  ...{ callId: 'call_1', keyId: 'k', agent: 'a', toolUseId: 'u', attempt: 1, tool: 'Bash', args, cwd: null },
  ...{ mode: null, resolvedPaths: { '/work/a': path }, description: 'Look' },
};
const basis = { policyName: 'default', policyHash: 'h', epoch: 1, seqs: { s: 4 }, facts };
const decision = {
  ...{ effect: 'allow', approvalStatus: 'not_required', ruleId: 'r', reason: 'because', layer: 'allow', askId: null },
  ...{ answeredBy: null, updatedInput: null, stop: false, counted: false },
};
const decided = { type: 'ToolCallDecided', version: 1, body: { request, verdict, decision, basis } };
const opened = { type: 'AskOpened', version: 1, body: { askId: 'q', request, verdict, basis, timeoutMs: null } };
const started = { type: 'SessionStarted', version: 1, body: { keyId: 'k', opening, rootId: 's', at: 'now' } };
const body = {
  ...{
    sessionId: 's',
    toolUseId: 'toolu_1',
    attempt: 2,
    tool: 'Bash',
    args: { command: 'ls' },
    cwd: '/work',
    agent: 'a',
  },
  ...{ resolvedPaths: { '/work/a': path }, mcpServer: 'm', wait: 2.5, permit: true, description: 'Look' },
};
const outcome = { id: 'call_1', decision: 'allow', ruleId: 'r', reason: 'x', layer: 'allow', approvalStatus: null };

const limited = z.object({
  ...{ text: z.string().min(1).max(4).regex(/^[^@]/), count: z.number().min(0).max(60), whole: z.number().int() },
  ...{
    either: z.literal('').or(z.string().max(3)),
    listed: z
      .array(z.enum(['a', 'b']))
      .min(1)
      .max(2),
  },
  ...{ odd: z.string().refine((text) => text !== 'odd'), more: z.unknown().optional(), none: z.null() },
});
const withDefault = z.object({ a: z.string().default('x'), b: z.string().transform((text) => text.length) });

const SAMPLES: readonly (readonly [string, z.ZodType, unknown])[] = [
  ['a call', toolCallSchema, call],
  ['a body', toolCallBodySchema, body],
  ['a decision', sessionEventSchema, decided],
  ['an opened ask', sessionEventSchema, opened],
  ['a started session', sessionEventSchema, started],
  ['a reply', replySchema, { callId: 'call_1', outcome }],
  ['a job', evaluateJobSchema, { replyTo: 'g', calls: 'x', count: 1, traces: [null, '00-1'] }],
  ['limits', limited, { text: 'a', count: 1.5, whole: 3, either: '', listed: ['a'], odd: 'even', more: 1, none: null }],
  ['a strict object', z.strictObject({ a: z.string() }), { a: 'x' }],
];

const odd = fc.constantFrom<unknown>(
  ...[undefined, null, '', '@', 'odd', 'a/b', '.', 'x'.repeat(300), 0, -1, 1.5, 2 ** 53, NaN, Infinity, true, false],
  ...[[], {}, [undefined], new Array(1), new Date(0), { __proto__: null }, JSON.parse('{"__proto__":{"a":1}}')],
  ...['allow', 'ok', 'invalid', 'ToolCallDecided', 'SessionStarted', 'default', 'standard'],
);
const anything = fc.oneof(odd, fc.anything({ maxDepth: 2 }));

/** The sample with something else at one of its places, or with a field more or less. */
function changed(value: unknown, steps: readonly number[], next: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== 'object' || value === null) return next;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  const keys = Object.keys(copy);
  const isMore = step % 7 === 6 && !Array.isArray(value);
  const key = isMore ? `more${step}` : keys[step % keys.length];
  if (key === undefined) return next;
  if (step % 11 === 10) Reflect.deleteProperty(copy, key);
  else copy[key] = changed(copy[key], rest, next);
  return copy;
}

describe.each(SAMPLES)('the quick check of %s', (_what, schema, sample) => {
  const check = quickCheck(schema);

  it('takes the usual value', () => {
    expect(check(sample)).toBe(true);
    expect(quickParser(schema)(sample)).toEqual({ success: true, data: sample });
  });

  it('takes nothing that the schema refuses or changes', () => {
    const steps = fc.array(fc.nat(1_000), { maxLength: 6 });
    fc.assert(
      fc.property(steps, anything, (path, next) => {
        const value = changed(sample, path, next);
        if (!check(value)) return;
        const parsed = schema.safeParse(value);
        expect(parsed.success).toBe(true);
        expect(parsed.data).toStrictEqual(value);
      }),
      { numRuns: 1_500 },
    );
  });
});

describe('a quick check', () => {
  it('leaves to the schema what it does not understand', () => {
    expect(quickCheck(withDefault)({ a: 'y', b: 'z' })).toBe(false);
    expect(quickParser(withDefault)({ b: 'abc' })).toEqual({ success: true, data: { a: 'x', b: 3 } });
    expect(quickCheck(z.looseObject({ a: z.string() }))({ a: 'x' })).toBe(false);
    expect(quickCheck(z.iso.datetime())('2026-01-01T00:00:00Z')).toBe(false);
    expect(quickCheck(z.object({ a: z.string() }).or(z.object({ b: z.string() })))({ a: 'x' })).toBe(false);
    expect(quickCheck(z.string().regex(/a/g))('a')).toBe(false);
    expect(quickCheck(z.string().trim())('a')).toBe(false);
  });

  it('tells what is wrong as the schema does', () => {
    expect(quickParser(toolCallBodySchema)({ ...body, wait: 61 })).toEqual(
      toolCallBodySchema.safeParse({ ...body, wait: 61 }),
    );
  });
});
