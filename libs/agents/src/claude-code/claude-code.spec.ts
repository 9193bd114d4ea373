/** Claude Code's recorded payloads read into our words, and our answers checked against its documented output. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import type { CallOutcome } from '@countersign/contracts';
import { isGate, readHook, renderReply, type HookInput, type HookReply } from '../index.js';

const FOLDER = join(process.cwd(), 'test/data/payloads');

interface Payload {
  readonly file: string;
  readonly body: Record<string, unknown>;
}

const PAYLOADS: Payload[] = readdirSync(FOLDER)
  .filter((file) => /^(0\d|1[0-8])-claude/.test(file))
  .sort()
  .map((file) => ({ file, body: JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Record<string, unknown> }));

const payload = (start: string) => structuredClone(PAYLOADS.find(({ file }) => file.startsWith(start))!.body);

const gateOf = (body: unknown) => {
  const input = readHook('claude-code', body);
  if (input.kind !== 'gate') throw new Error(`expected a gate, got ${JSON.stringify(input)}`);
  return input.toolCall;
};

const text = z.string().min(1).max(10_000);
const stopKeys = { continue: z.literal(false).optional(), stopReason: text.optional() };
const object = z.record(z.string(), z.unknown());
const block = z.strictObject({ decision: z.literal('block'), reason: text });
const nothing = z.strictObject({});

/** The documented output of each event; strict, so that one key too many fails. */
const OUTPUTS: Record<string, z.ZodType> = {
  PreToolUse: z.strictObject({
    ...stopKeys,
    hookSpecificOutput: z
      .strictObject({
        hookEventName: z.literal('PreToolUse'),
        permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']),
        permissionDecisionReason: text,
        updatedInput: object.optional(),
        additionalContext: text.optional(),
      })
      .optional(),
  }),
  PermissionRequest: z.strictObject({
    ...stopKeys,
    hookSpecificOutput: z
      .strictObject({
        hookEventName: z.literal('PermissionRequest'),
        decision: z.union([
          z.strictObject({ behavior: z.literal('allow'), updatedInput: object.optional() }),
          z.strictObject({ behavior: z.literal('deny'), message: text, interrupt: z.boolean().optional() }),
        ]),
      })
      .optional(),
  }),
  PreSkillShellCommand: z.strictObject({
    ...stopKeys,
    hookSpecificOutput: z
      .strictObject({
        hookEventName: z.literal('PreSkillShellCommand'),
        permissionDecision: z.enum(['allow', 'deny']),
        permissionDecisionReason: text,
      })
      .optional(),
  }),
  UserPromptSubmit: z.union([block, nothing]),
  Elicitation: z.union([
    nothing,
    z.strictObject({
      hookSpecificOutput: z.strictObject({ hookEventName: z.literal('Elicitation'), action: z.literal('decline') }),
    }),
  ]),
};

const outputOf = (event: string) => OUTPUTS[event] ?? nothing;

const outcome = (over: Partial<CallOutcome> = {}): CallOutcome => ({
  id: 'call_1',
  decision: 'allow',
  ruleId: 'r1',
  reason: 'because',
  layer: 'allow',
  approvalStatus: 'not_required',
  ...over,
});

const REPLIES: HookReply[] = [
  { kind: 'nothing' },
  { kind: 'refusal', reason: 'overloaded' },
  { kind: 'refusal', reason: '' },
  { kind: 'refusal', reason: 'x'.repeat(100_000) },
  { kind: 'pending-released', askId: 'ask_1' },
  { kind: 'decision', outcome: outcome() },
  { kind: 'decision', outcome: outcome({ reason: '', additionalContext: 'note' }) },
  { kind: 'decision', outcome: outcome({ updatedInput: { command: 'ls' } }) },
  { kind: 'decision', outcome: outcome({ updatedInput: 'ls' }) },
  { kind: 'decision', outcome: outcome({ decision: 'deny', reason: '' }) },
  { kind: 'decision', outcome: outcome({ decision: 'deny', stop: true }) },
  { kind: 'decision', outcome: outcome({ decision: 'pending', approvalStatus: null, askId: 'ask_1' }) },
  { kind: 'decision', outcome: outcome({ decision: 'pending', approvalStatus: null, askId: 'ask_1', passAsk: true }) },
];

describe('reading', () => {
  it.each(PAYLOADS)('$file translates', ({ file, body }) => {
    const input = readHook('claude-code', body);
    const kinds: Record<string, HookInput['kind']> = { '15': 'result', '16': 'note', '17': 'note' };
    expect(input.kind).toBe(kinds[file.slice(0, 2)] ?? 'gate');
    if (input.kind !== 'gate') return;
    expect(input.toolCall).toMatchObject({ tool: body['tool_name'], args: body['tool_input'], cwd: body['cwd'] });
    expect(input.toolCall.toolUseId).toBe(body['tool_use_id'] ?? null);
  });

  it('reads every recorded payload', () => {
    expect(PAYLOADS).toHaveLength(18);
  });

  it('gives a subagent a session of its own below its parent', () => {
    const call = gateOf(payload('09'));
    expect(call.parentSessionId).toBe('6b1f0c0e-52d1-4e57-9a0c-3f0f8f1a7d21');
    expect(call.sessionId).toBe('6b1f0c0e-52d1-4e57-9a0c-3f0f8f1a7d21/ac41f7d2b9e60d183');
  });

  it('lets a permission request join by hash, for it has no id', () => {
    expect(gateOf(payload('14'))).toMatchObject({ toolUseId: null, joinsByHash: true });
    expect(gateOf({ ...payload('14'), tool_use_id: 'toolu_9' })).toMatchObject({ toolUseId: null, joinsByHash: true });
  });

  it('keeps the description apart, for people', () => {
    expect(gateOf(payload('01')).description).toBe('Run API tests then push the branch');
    expect(gateOf(payload('04')).description).toBeNull();
  });

  it('reads the evidence that our own command adds, and drops what is malformed', () => {
    const evidence = { '/srv/a': { real: '/data/a', exists: true } };
    const body = { ...payload('06'), countersign: { resolvedPaths: evidence, home: '/home/mira' } };
    expect(gateOf(body)).toMatchObject({ resolvedPaths: evidence, home: '/home/mira' });
    expect(gateOf({ ...body, countersign: { resolvedPaths: { '/srv/a': 'yes' } } }).resolvedPaths).toEqual({});
    expect(gateOf({ ...body, countersign: 'x' })).toMatchObject({ resolvedPaths: {}, home: null });
  });

  it('reads results of every kind', () => {
    expect(readHook('claude-code', payload('15'))).toMatchObject({
      kind: 'result',
      results: [{ toolUseId: 'toolu_01P0stWr1te7Mn8Bv4Cx3Za', status: 'succeeded', elapsedMs: 14, error: null }],
    });
    const failure = { ...payload('15'), hook_event_name: 'PostToolUseFailure', error: 'no space' };
    expect(readHook('claude-code', failure)).toMatchObject({ results: [{ status: 'failed', error: 'no space' }] });
    expect(readHook('claude-code', { ...failure, is_interrupt: true })).toMatchObject({
      results: [{ status: 'cancelled' }],
    });
    const batch = {
      session_id: 's',
      hook_event_name: 'PostToolBatch',
      tool_calls: [{ tool_name: 'Read', tool_use_id: 'a', tool_response: 'text' }, null, { tool_name: 'Read' }, 7],
    };
    expect(readHook('claude-code', batch)).toMatchObject({ results: [{ toolUseId: 'a', output: 'text' }] });
  });

  it('reads the ends and starts of sessions and subagents', () => {
    const base = { session_id: 's', cwd: '/srv', permission_mode: 'plan' };
    const read = (more: object) => readHook('claude-code', { ...base, ...more });
    expect(read({ hook_event_name: 'SessionStart', source: 'resume' })).toMatchObject({
      kind: 'session-start',
      session: { sessionId: 's', mode: 'plan', cwd: '/srv' },
      detail: 'resume',
    });
    expect(read({ hook_event_name: 'SessionEnd', reason: 'logout' })).toMatchObject({
      kind: 'session-end',
      reason: 'logout',
    });
    expect(read({ hook_event_name: 'SubagentStart', agent_id: 'a', agent_type: 'reviewer' })).toMatchObject({
      kind: 'subagent-start',
      session: { sessionId: 's/a', parentSessionId: 's' },
      detail: 'reviewer',
    });
    expect(read({ hook_event_name: 'SubagentStop', agent_id: 'a' })).toMatchObject({ kind: 'subagent-stop' });
    // Without an agent id the session itself must not end.
    expect(read({ hook_event_name: 'SubagentStop' })).toMatchObject({ kind: 'note' });
  });

  it('tells of calls that the agent refused by itself', () => {
    expect(readHook('claude-code', payload('16'))).toMatchObject({
      kind: 'note',
      denied: { toolUseId: 'toolu_01Den1edByCl4ss1f1er2Qw', tool: 'Bash', reason: 'Blocked by classifier' },
    });
  });

  it('takes unknown events as notes', () => {
    const input = readHook('claude-code', { session_id: 's', hook_event_name: 'SomethingNew', prompt: 'secret text' });
    expect(input).toMatchObject({ kind: 'note', event: 'SomethingNew', denied: null });
    expect(JSON.stringify(input)).not.toContain('secret');
  });
});

describe('hostile bodies', () => {
  const bodies: unknown[] = [
    null,
    undefined,
    [],
    'text',
    7,
    true,
    {},
    { hook_event_name: 7 },
    { hook_event_name: '' },
    { hook_event_name: 'PreToolUse' },
    { hook_event_name: 'PreToolUse', session_id: 's' },
    { hook_event_name: 'PreToolUse', session_id: 's', tool_name: ['Bash'] },
    { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash', tool_use_id: 7, tool_input: {} },
    { hook_event_name: 'PreToolUse', session_id: '@tenant', tool_name: 'Bash', tool_use_id: 'a', tool_input: {} },
    { hook_event_name: 'PreToolUse', session_id: 'a\u0000b', tool_name: 'Bash', tool_use_id: 'a', tool_input: {} },
    { hook_event_name: 'PreToolUse', session_id: 'a\ud800', tool_name: 'Bash', tool_use_id: 'a', tool_input: {} },
    { hook_event_name: 'PreToolUse', session_id: 's'.repeat(257), tool_name: 'Bash', tool_use_id: 'a' },
    { hook_event_name: 'PreToolUse', session_id: 's', agent_id: { x: 1 }, tool_name: 'Bash', tool_use_id: 'a' },
    { hook_event_name: 'PreToolUse', session_id: 's', agent_id: 'a'.repeat(255), tool_name: 'B', tool_use_id: 'a' },
    JSON.parse('{"__proto__": {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash"}}'),
  ];

  it.each(bodies.map((body) => [body]))('%j is unreadable', (body) => {
    const input = readHook('claude-code', body);
    expect(input.kind).toBe('unreadable');
    if (input.kind !== 'unreadable') return;
    const reply = renderReply('claude-code', input.event, { kind: 'refusal', reason: input.reason });
    expect(input.event === null ? reply : outputOf(input.event).parse(reply)).toEqual(reply);
    expect(JSON.stringify(reply)).toMatch(/"(deny|block)"/);
  });

  it('passes arguments of any shape on to be judged', () => {
    const base = { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash', tool_use_id: 'a' };
    for (const args of [null, [], 'rm', 7, { command: ['a'] }]) {
      expect(gateOf({ ...base, tool_input: args }).args).toEqual(args);
    }
    expect(gateOf(base).args).toBeNull();
  });

  it('survives huge and deep values', () => {
    const huge = 'x'.repeat(5_000_000);
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown;
    const base = { session_id: 's', tool_name: 'Bash', tool_use_id: 'a', cwd: huge, permission_mode: huge };
    expect(
      gateOf({ ...base, hook_event_name: 'PreToolUse', tool_input: { command: huge, description: huge } }),
    ).toMatchObject({ cwd: null, mode: null });
    const result = readHook('claude-code', {
      ...base,
      hook_event_name: 'PostToolUse',
      tool_response: deep,
      error: huge,
    });
    expect(result.kind).toBe('result');
  });

  it('never throws, and answers every body with an object', () => {
    const names = fc.constantFrom('PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolBatch', 'SessionEnd', 'X');
    const body = fc.oneof(
      fc.anything(),
      fc.record(
        {
          hook_event_name: fc.oneof(names, fc.anything()),
          session_id: fc.oneof(fc.string(), fc.anything()),
          agent_id: fc.anything(),
          tool_name: fc.oneof(fc.string(), fc.anything()),
          tool_use_id: fc.oneof(fc.string(), fc.anything()),
          tool_input: fc.anything(),
          tool_calls: fc.oneof(fc.array(fc.anything()), fc.anything()),
          countersign: fc.anything(),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(body, fc.constantFrom(...REPLIES), (value, reply) => {
        const input = readHook('claude-code', value);
        const rendered = renderReply('claude-code', input.event, reply);
        return typeof rendered === 'object' && rendered !== null;
      }),
      { numRuns: 500 },
    );
  });
});

describe('replying', () => {
  const events = [
    'PreToolUse',
    'PermissionRequest',
    'PreSkillShellCommand',
    'UserPromptSubmit',
    'Elicitation',
    'Stop',
    'New',
  ];

  it.each(events)('%s gets documented output only', (event) => {
    for (const reply of REPLIES) {
      const rendered = renderReply('claude-code', event, reply);
      expect(outputOf(event).safeParse(rendered)).toMatchObject({ success: true });
    }
  });

  it.each(PAYLOADS)('$file: every answer fits its event', ({ body }) => {
    const { event } = readHook('claude-code', body);
    for (const reply of REPLIES) {
      expect(outputOf(event!).safeParse(renderReply('claude-code', event, reply))).toMatchObject({ success: true });
    }
  });

  it('knows which events gate a tool', () => {
    expect(events.filter((event) => isGate(event))).toEqual([
      'PreToolUse',
      'PermissionRequest',
      'PreSkillShellCommand',
    ]);
  });

  it('denies with a reason, and stops the run when told to', () => {
    const reply = renderReply('claude-code', 'PreToolUse', REPLIES[10]!);
    expect(reply).toEqual({
      continue: false,
      stopReason: 'because',
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'because',
      },
    });
    expect(renderReply('claude-code', 'PermissionRequest', REPLIES[10]!)).toMatchObject({
      hookSpecificOutput: { decision: { behavior: 'deny', message: 'because', interrupt: true } },
    });
  });

  it('names the ask that waits', () => {
    const reply = renderReply('claude-code', 'PreToolUse', {
      kind: 'pending-released',
      askId: 'ask_7',
      reason: 'push',
    });
    expect(JSON.stringify(reply)).toMatch(/"deny".*pending, id ask_7.*push.*retry/);
  });

  it('hands a question over only where the agent can put it', () => {
    const pass = REPLIES.at(-1)!;
    expect(renderReply('claude-code', 'PreToolUse', pass)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'ask' },
    });
    expect(renderReply('claude-code', 'PermissionRequest', pass)).toEqual({});
    expect(renderReply('claude-code', 'PreSkillShellCommand', pass)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
  });

  it('never runs a rewriting that it cannot say', () => {
    expect(renderReply('claude-code', 'PreToolUse', REPLIES[8]!)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
    expect(renderReply('claude-code', 'PreSkillShellCommand', REPLIES[7]!)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
  });

  it("leaves the agent's own dialogs to its user", () => {
    for (const tool of ['AskUserQuestion', 'ExitPlanMode']) {
      const reply: HookReply = { kind: 'decision', outcome: outcome(), tool };
      expect(renderReply('claude-code', 'PreToolUse', reply)).toEqual({});
      expect(renderReply('claude-code', 'PermissionRequest', reply)).toEqual({});
      const answered: HookReply = { kind: 'decision', outcome: outcome({ updatedInput: { answers: {} } }), tool };
      expect(renderReply('claude-code', 'PreToolUse', answered)).toMatchObject({
        hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { answers: {} } },
      });
    }
  });

  it('asks nobody a second time about a plan that a person approved', () => {
    const approved = outcome({ approvalStatus: 'approved' });
    const reply: HookReply = { kind: 'decision', outcome: approved, tool: 'ExitPlanMode' };
    expect(renderReply('claude-code', 'PreToolUse', reply)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'allow' },
    });
    expect(renderReply('claude-code', 'PreToolUse', { ...reply, tool: 'AskUserQuestion' })).toEqual({});
  });

  it('an unknown decision denies', () => {
    const odd = { kind: 'decision', outcome: outcome({ decision: 'perhaps' as never }) } as const;
    expect(renderReply('claude-code', 'PreToolUse', odd)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
    expect(renderReply('claude-code', 'PreToolUse', { kind: 'shrug' } as never)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
  });

  it('refuses an unreadable body in the form that no event rejects', () => {
    expect(renderReply('claude-code', null, { kind: 'refusal', reason: 'too large' })).toEqual({
      decision: 'block',
      reason: 'too large',
    });
  });
});
