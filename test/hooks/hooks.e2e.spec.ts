/** Hooks around calls, through the doors of a running house: what they change, what is recorded, and what they cannot do. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { SessionEvent, StoredEvent } from '@countersign/contracts';
import { createHooks, HOOK_DEFAULTS, type HookPlugin, type HookTerms, type RegisteredHook } from '@countersign/hooks';
import { readPermit, hashOf } from '@countersign/permits';
import { eventually, openHouse, TENANT, type Answer, type House } from '../calls/house.js';

jest.setTimeout(60_000);

const POLICY = { allow: ['Bash(echo *)', 'Bash(touch *)'], ask: ['Bash(make *)'], deny: ['Bash(rm *)'] };
const registered: RegisteredHook[] = [];
const told: string[] = [];
let runs = 0;

/** A hook of the policy that has its name. */
function on(policy: string, members: Omit<HookPlugin, 'name'>, terms: Partial<HookTerms> = {}): void {
  const name = terms.name ?? `${policy}-${registered.length}`;
  registered.push({
    kind: 'plugin',
    plugin: { name, ...members },
    terms: { ...HOOK_DEFAULTS, ...terms, name, policies: [policy] },
  });
}
const command = (args: unknown): string => String((args as { command?: string } | null)?.command);

on('block', {
  preToolUse: ({ args }) =>
    command(args) === 'echo no' ? { action: 'block', reason: 'not that' } : { action: 'continue' },
});
on('rewrite', { preToolUse: ({ args }) => rewrite(command(args)) });
on('require', { preToolUse: () => ({ action: 'require_permission', reason: 'somebody should look' }) });
on('broken', { preToolUse: () => Promise.reject(new Error('secret-4711')) });
on('strict', { preToolUse: () => Promise.reject(new Error('no')) }, { onFailure: 'deny' });
on('loose', { preToolUse: () => Promise.reject(new Error('no')) }, { onFailure: 'continue' });
on('counted', { preToolUse: () => ((runs += 1), { action: 'continue' }) });
on('slow', {
  preToolUse: async ({ args }) => {
    if (command(args) === 'echo slow') await pause(1_500);
    return { action: 'continue' };
  },
});
on('after', {
  postToolUse: ({ output }) => ({
    action: 'mutate_output',
    updatedOutput: (output ?? '').replaceAll('SECRET', '[gone]'),
  }),
});
on('life', {
  onSessionStart: ({ sessionId }) => void told.push(`start ${sessionId}`),
  onSubagentStart: ({ sessionId, parentId }) => void told.push(`sub ${sessionId} of ${parentId ?? ''}`),
  onStepComplete: ({ detail }) => void told.push(`step ${String(detail['step'])}`),
  onPermissionDecision: ({ detail }) =>
    void told.push(`decision ${String(detail['effect'])} ${String(detail['ruleId'])}`),
  onUserPromptSubmit: () => void told.push('prompt'),
  onPreCompact: () => void told.push('pre'),
  onPostCompact: () => void told.push('post'),
  onSubagentStop: () => void told.push('sub stop'),
  onSessionStop: ({ detail }) => void told.push(`stop ${String(detail['reason'])}`),
});

function rewrite(said: string): ReturnType<NonNullable<HookPlugin['preToolUse']>> {
  const [, to] = / :: (.*)/.exec(said) ?? [];
  if (to === undefined) return { action: 'continue' };
  return { action: 'mutate', updatedArgs: { command: to }, additionalContext: 'was rewritten' };
}

let house: House;
const keys = new Map<string, string>();
beforeAll(async () => {
  house = await openHouse({ policy: POLICY, hooks: createHooks(registered) });
  for (const { terms } of registered) {
    const [policy = ''] = terms.policies ?? [];
    await house.publish(policy, POLICY);
    keys.set(policy, await house.makeKey({ policy }));
  }
  await house.publish('headless', { ...POLICY, preset: 'claude-code' });
}, 90_000);
afterAll(() => house?.close(), 30_000);

interface Sent extends Answer {
  readonly sessionId: string;
}
async function send(policy: string, said: string, more: object = {}): Promise<Sent> {
  const sessionId = randomUUID();
  const body = {
    sessionId,
    toolUseId: randomUUID(),
    tool: 'Bash',
    args: { command: said },
    cwd: '/srv/app',
    wait: 0,
    ...more,
  };
  const answer = await house.post('/v1/tool-calls', body, keys.get(policy));
  return { ...answer, sessionId: String((body as { sessionId: string }).sessionId) };
}
const eventsOf = (sessionId: string): Promise<StoredEvent[]> =>
  house.ledger.events.ofStream({ tenantId: TENANT, streamId: sessionId }, 0, 200);
type Body<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['body'];
const bodies = async <T extends SessionEvent['type']>(sessionId: string, type: T): Promise<Body<T>[]> =>
  (await eventsOf(sessionId)).filter((event) => event.type === type).map((event) => event.body as Body<T>);

describe('before a tool', () => {
  it('A.L3.2 a block denies, with the hook’s own reason, and the run is on record', async () => {
    const { body, sessionId } = await send('block', 'echo no');
    expect(body).toMatchObject({ decision: 'deny', ruleId: 'hook.block', reason: 'not that', layer: 'hook' });
    expect(await bodies(sessionId, 'HookRan')).toMatchObject([{ on: 'PreToolUse', action: 'block', callId: body.id }]);
    expect((await send('block', 'echo yes')).body).toMatchObject({ decision: 'allow' });
  });

  it('A.L3.3 a rewrite is judged, handed out, told to the model, and bound into the permit', async () => {
    const { body, sessionId } = await send('rewrite', 'echo a :: echo b', { permit: true });
    expect(body).toMatchObject({
      decision: 'allow',
      updatedInput: { command: 'echo b' },
      additionalContext: 'was rewritten',
    });
    const keySet = await (await fetch(`${house.url}/v1/permits/keys`)).json();
    const read = readPermit(String(body['permit']), keySet as never);
    expect(read.ok && read.claims.args).toBe(hashOf({ command: 'echo b' }));
    const [decided] = await bodies(sessionId, 'ToolCallDecided');
    expect(decided?.request.args).toMatchObject({ json: '{"command":"echo a :: echo b"}' });
    expect(decided?.finalArgs).toMatchObject({ json: '{"command":"echo b"}' });
  });

  it.each([
    ['rm x :: echo x', 'deny'],
    ['echo x :: rm x', 'deny'],
    ['echo x :: make it', 'pending'],
    ['make it :: echo x', 'pending'],
  ])('A48c judges both forms of %s: %s', async (said, decision) => {
    expect((await send('rewrite', said)).body).toMatchObject({ decision });
  });

  it('what people approve is what runs: the rewritten arguments', async () => {
    const { body, sessionId } = await send('rewrite', 'echo x :: make it');
    await house.answer(sessionId, String(body.askId), 'approve');
    const look = await house.get(`/v1/tool-calls/${String(body.id)}`, keys.get('rewrite'));
    expect(look.body).toMatchObject({ decision: 'allow', updatedInput: { command: 'make it' } });
  });

  it('A.L3.4 asks people where a hook requires it, whatever the rules allow', async () => {
    expect((await send('require', 'echo hi')).body).toMatchObject({
      decision: 'pending',
      ruleId: 'hook.require_permission',
      reason: 'somebody should look',
    });
    expect((await send('require', 'rm x')).body).toMatchObject({ decision: 'deny' });
  });

  it.each([
    ['broken', 'pending'],
    ['strict', 'deny'],
    ['loose', 'allow'],
  ])('A47 the failing hook `%s` means %s, and its failure is on record without its words', async (policy, decision) => {
    const { body, sessionId } = await send(policy, 'echo hi');
    expect(body).toMatchObject({ decision });
    expect(await bodies(sessionId, 'HookRan')).toMatchObject([{ failure: 'error' }]);
    expect(JSON.stringify(await eventsOf(sessionId))).not.toContain('4711');
  });

  it('runs once for a call that is sent again, while it is judged and afterwards', async () => {
    const toolUseId = randomUUID();
    const sessionId = randomUUID();
    const both = await Promise.all([
      send('counted', 'echo hi', { toolUseId, sessionId }),
      send('counted', 'echo hi', { toolUseId, sessionId }),
    ]);
    const again = await send('counted', 'echo hi', { toolUseId, sessionId });
    expect(new Set([...both, again].map(({ body }) => body.id)).size).toBe(1);
    expect([runs, (await bodies(sessionId, 'HookRan')).length]).toEqual([1, 1]);
  });

  it('a slow hook holds up nobody else', async () => {
    const order: string[] = [];
    const slow = send('slow', 'echo slow').then(() => order.push('slow'));
    await pause(100);
    await Promise.all(['slow', 'block'].map((policy) => send(policy, 'echo yes').then(() => order.push('quick'))));
    await slow;
    expect(order).toEqual(['quick', 'quick', 'slow']);
  });

  it('hears nothing of other policies', async () => {
    const { sessionId, body } = await send('default', 'echo hi');
    expect(body).toMatchObject({ decision: 'allow' });
    expect(await bodies(sessionId, 'HookRan')).toEqual([]);
  });
});

describe('after a tool', () => {
  it('A.L3.6 the output is what the hooks left of it, and the ledger holds nothing else', async () => {
    const { body, sessionId } = await send('after', 'echo hi');
    const report = { status: 'succeeded', output: 'a SECRET line', elapsedMs: 3 };
    const answer = await house.post(`/v1/tool-calls/${String(body.id)}/result`, report, keys.get('after'));
    expect(answer).toMatchObject({ status: 200, body: { output: 'a [gone] line' } });
    expect(await bodies(sessionId, 'HookRan')).toMatchObject([{ on: 'PostToolUse', action: 'mutate_output' }]);
    expect(JSON.stringify(await eventsOf(sessionId))).not.toContain('SECRET');
  });
});

describe('the life of a session', () => {
  it('A.L3.10 is told in order, after it was stored, and every telling is on record', async () => {
    const key = keys.get('life');
    const [root, child] = [randomUUID(), randomUUID()];
    await house.post('/v1/sessions', { id: root, agent: 'lead', cwd: '/srv/app' }, key);
    await send('life', 'echo hi', { sessionId: root });
    await house.post(`/v1/sessions/${root}/prompts`, { text: 'go on' }, key);
    await house.post(`/v1/sessions/${root}/compactions`, { phase: 'pre' }, key);
    await house.post(`/v1/sessions/${root}/compactions`, { phase: 'post', ok: true }, key);
    await house.post(`/v1/sessions/${root}/steps`, { step: 1, completed: true }, key);
    await eventually(async () => told.includes('step 1'));
    await house.post('/v1/sessions', { id: child, agent: 'helper', parentId: root }, key);
    await house.post(`/v1/sessions/${child}/stop`, {}, key);
    await eventually(async () => told.includes('sub stop'));
    await house.post(`/v1/sessions/${root}/stop`, { reason: 'done' }, key);
    await eventually(async () => told.includes('stop done'));
    expect(told).toEqual([
      `start ${root}`,
      expect.stringMatching(/^decision allow /),
      'prompt',
      'pre',
      'post',
      'step 1',
      `sub ${child} of ${root}`,
      'sub stop',
      'stop done',
    ]);
    const recorded = await eventually(async () => {
      const all = [...(await bodies(root, 'HookRan')), ...(await bodies(child, 'HookRan'))];
      return all.length === told.length && all;
    });
    expect(recorded.map(({ action, failure }) => [action, failure])).toEqual(
      Array(told.length).fill(['observed', null]),
    );
  });
});
