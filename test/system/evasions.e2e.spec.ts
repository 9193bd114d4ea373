/** An agent that wants more than it was given: other folders under an old id, permits after the end, looser modes; and what it gets. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { MAX_SESSION_LINE, type HookRun, type StoredEvent } from '@countersign/contracts';
import { createHooks, HOOK_DEFAULTS, type HookPlugin, type RegisteredHook } from '@countersign/hooks';
import { openHouse, TENANT, type Answer, type House } from '../calls/house.js';

jest.setTimeout(60_000);

const POLICY = {
  allow: ['Bash(echo *)', 'build', 'mcp__db__read'],
  ask: ['Bash(make *)'],
  tools: [{ name: 'build', concurrencySafe: true, causesSiblingAbort: true }],
};
const seenArgs: unknown[] = [];
const after: HookPlugin = {
  name: 'after',
  postToolUse: ({ args }) => (seenArgs.push(args), { action: 'continue' }),
};

/** A hook that waits until the test lets it go on. */
const slow: { begun: () => void; goOn: () => void } = { begun: () => undefined, goOn: () => undefined };
const waits: HookPlugin = {
  name: 'waits',
  preToolUse: () => {
    const held = new Promise<{ action: 'continue' }>((resolve) => (slow.goOn = () => resolve({ action: 'continue' })));
    slow.begun();
    return held;
  },
};

let house: House;
let admin: string;
let server: Server;
/** What the service of the hook was told, and how often it refuses before that. */
const heard: { sent: number; refuse: number; told: string[] } = { sent: 0, refuse: 0, told: [] };
const keys = new Map<string, string>();

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString('utf8')));
    request.on('end', () => {
      heard.sent += 1;
      if (heard.sent > heard.refuse) {
        const { type, data } = JSON.parse(text) as { type: string; data: { detail: { step?: number } } };
        heard.told.push(`${type} ${data.detail.step ?? ''}`.trim());
      }
      response.writeHead(heard.sent > heard.refuse ? 200 : 503).end('thanks');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  house = await openHouse({ policy: POLICY, hooks: createHooks(hooksAt(url)) });
  await house.publish('short', { ...POLICY, sessionSeconds: 1 });
  await house.publish('plan', { ...POLICY, mode: 'plan', agentModes: ['plan'] });
  await house.publish('capped', { ...POLICY, askCaps: { perSession: 2, perMinute: 100 } });
  await house.publish('remembers', { ...POLICY, denialMemorySeconds: 600 });
  for (const name of ['told', 'after', 'slow']) await house.publish(name, POLICY);
  for (const name of ['short', 'plan', 'capped', 'remembers', 'told', 'after', 'slow']) {
    keys.set(name, await house.makeKey({ policy: name }));
  }
  admin = await house.makeKey({ role: 'admin' });
}, 90_000);
afterAll(async () => {
  server?.close();
  await house?.close();
}, 30_000);

function hooksAt(url: string): RegisteredHook[] {
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  const terms = { ...HOOK_DEFAULTS, retries: 0 };
  return [
    { kind: 'plugin', plugin: waits, terms: { ...terms, name: 'waits', policies: ['slow'] } },
    { kind: 'plugin', plugin: after, terms: { ...terms, name: 'after', policies: ['after'] } },
    {
      kind: 'http',
      terms: { ...terms, name: 'watcher', policies: ['told'] },
      http: { url, secret, allowPrivate: true, on: ['SessionStart', 'StepComplete', 'SessionStop'] },
    },
  ];
}

const call = (command: string, more: object = {}) => ({
  sessionId: randomUUID(),
  toolUseId: randomUUID(),
  tool: 'Bash',
  args: { command },
  cwd: '/srv/app',
  wait: 0,
  ...more,
});
const send = (body: object, key?: string): Promise<Answer> => house.post('/v1/tool-calls', body, key);
const said = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? `${body.decision} ${body.ruleId}`}`;
const reasonOf = ({ body }: Answer) => (body.error as { details?: { reason?: string } } | undefined)?.details?.reason;
const eventsOf = (streamId: string): Promise<StoredEvent[]> =>
  house.ledger.events.ofStream({ tenantId: TENANT, streamId }, 0, 500);
/** Telling again takes a while, on a busy machine a long one. */
const inTime = async <T>(look: () => Promise<T | false>): Promise<T> => {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const found = await look();
    if (found !== false) return found;
    await pause(20);
  }
  throw new Error('it did not happen');
};
const countOf = async (sessionId: string, type: string): Promise<number> =>
  (await eventsOf(sessionId)).filter((event) => event.type === type).length;

describe('the same id for another call', () => {
  it.each([
    ['another folder', { cwd: '/srv/app/deep' }],
    ['a folder outside', { cwd: '/etc' }],
    ['no folder', { cwd: undefined }],
    ['other evidence', { resolvedPaths: { '/srv/app/x': { real: '/etc/passwd', exists: true } } }],
    ['an MCP server', { mcpServer: 'db' }],
    ['other arguments', { args: { command: 'echo ho' } }],
  ])('with %s is a deny on record, and the first answer stays', async (_what, over) => {
    const body = call('echo hi');
    const first = await send(body);
    expect(said(first)).toMatch(/^200 allow/);
    expect(said(await send({ ...body, ...over, permit: true }))).toBe('200 deny call.id_reused');
    expect((await send(body)).body).toEqual(first.body);
    expect(await countOf(body.sessionId, 'ToolCallDecided')).toBe(2);
  });

  it('at the same moment lets one of the two through', async () => {
    for (let round = 0; round < 5; round += 1) {
      const body = call('echo hi');
      const folders = ['/srv/app', '/srv/app/deep'];
      const answers = await Promise.all(folders.map((cwd) => send({ ...body, cwd })));
      expect(answers.map(({ body: { decision } }) => decision).sort()).toEqual(['allow', 'deny']);
    }
  });

  it('of an MCP server’s tool under another server’s name is refused', async () => {
    const body = call('', { tool: 'mcp__db__read', args: {}, mcpServer: 'db' });
    expect(said(await send(body))).toMatch(/^200 allow/);
    expect(said(await send({ ...body, mcpServer: 'other' }))).toBe('200 deny call.id_reused');
  });

  it('a call without id joins its own call alone: a hook in another folder is a call of its own', async () => {
    const sessionId = randomUUID();
    const hook = (event: string, cwd: string, more: object = {}) =>
      house.post('/hooks/claude-code', {
        session_id: sessionId,
        hook_event_name: event,
        tool_name: 'Bash',
        tool_input: { command: 'echo hi' },
        cwd,
        ...more,
      });
    await hook('PreToolUse', '/srv/app', { tool_use_id: 'toolu_1' });
    await hook('PermissionRequest', '/srv/app');
    expect(await countOf(sessionId, 'ToolCallDecided')).toBe(1);
    await hook('PermissionRequest', '/srv/app/deep');
    expect(await countOf(sessionId, 'ToolCallDecided')).toBe(2);
  });
});

describe('an approval', () => {
  it('of a call that nobody waits for any more holds in its own folder', async () => {
    const body = call('make it');
    const { sessionId } = body;
    const asked = await send(body);
    const askId = String(asked.body.askId);
    await house.ledger.execute({ tenantId: TENANT, sessionId }, { type: 'ParkAsk', askId });
    const again = (cwd: string) => send({ ...body, toolUseId: randomUUID(), cwd });
    const elsewhere = await again('/srv/app/deep');
    expect([elsewhere.body.decision, elsewhere.body.askId === askId]).toEqual(['pending', false]);
    await house.answer(sessionId, askId, 'approve');
    expect((await again('/srv/app/deep')).body.decision).toBe('pending');
    expect((await again('/srv/app')).body.decision).toBe('allow');
    expect((await again('/srv/app')).body.decision).toBe('pending');
  });
});

describe('a permit', () => {
  const redeem = (permit: unknown, key?: string) =>
    house.post('/v1/permits/redeem', { permit, args: { command: 'echo hi' } }, key);
  const poll = ({ body }: Answer, key?: string) => house.get(`/v1/tool-calls/${String(body.id)}?permit=true`, key);

  it('of a session whose time is up is neither redeemed nor made', async () => {
    const key = keys.get('short');
    const body = call('echo hi', { permit: true });
    const allowed = await send(body, key);
    expect(said(allowed)).toMatch(/^200 allow/);
    await pause(1_300);
    const [late, none, again] = [
      await redeem(allowed.body['permit'], key),
      await poll(allowed, key),
      await send(body, key),
    ];
    for (const answer of [late, none, again]) {
      expect([said(answer), reasonOf(answer)]).toEqual(['409 permit.refused', 'deadline']);
    }
    const look = await house.get(`/v1/tool-calls/${String(allowed.body.id)}`, key);
    expect(look.body).toMatchObject({ decision: 'allow' });
    expect(await countOf(body.sessionId, 'PermitRedeemed')).toBe(0);
  });

  it.each([
    ['cancel', 'cancelled'],
    ['stop', 'stopped'],
  ])('is not made after %s, of the session or of one above it', async (end, reason) => {
    const [root, child] = [randomUUID(), randomUUID()];
    for (const [id, parentId] of [[root], [child, root]]) {
      await house.post('/v1/sessions', { id, agent: 'lead', cwd: '/srv/app', ...(parentId ? { parentId } : {}) });
    }
    const own = await send(call('echo hi', { sessionId: root, permit: true }));
    const below = await send(call('echo hi', { sessionId: child }));
    await house.post(`/v1/sessions/${root}/${end}`, {});
    for (const answer of [await poll(own), await poll(below), await redeem(own.body['permit'])]) {
      expect([said(answer), reasonOf(answer)]).toEqual(['409 permit.refused', reason]);
    }
    expect((await poll(own)).body.error?.message).toBe(`no permit: session \`${root}\` was ${reason}`);
  });
});

describe('an allow of before', () => {
  const permitOf = (id: unknown, key?: string) => house.get(`/v1/tool-calls/${String(id)}?permit=true`, key);
  const redeemed = (permit: unknown, key?: string) =>
    house.post('/v1/permits/redeem', { permit, args: { command: 'echo hi' } }, key);
  const refusedFor = (answer: Answer) => [said(answer), reasonOf(answer)];

  it.each(['own', 'parent'])('a cancel that was taken back is good for nothing (%s)', async (whose) => {
    const [root, child] = [randomUUID(), randomUUID()];
    for (const [id, parentId] of [[root], [child, root]]) {
      await house.post('/v1/sessions', { id, agent: 'lead', cwd: '/srv/app', ...(parentId ? { parentId } : {}) });
    }
    const { body } = await send(call('echo hi', { sessionId: child, permit: true }));
    const ended = whose === 'own' ? child : root;
    await house.post(`/v1/sessions/${ended}/cancel`, {}, admin);
    await house.post(`/v1/sessions/${ended}/stop`, {});
    await house.post(`/v1/sessions/${ended}/prompts`, { text: 'go on' });
    for (const answer of [await permitOf(body.id), await redeemed(body['permit'])]) {
      expect(refusedFor(answer)).toEqual(['409 permit.refused', 'ended_since']);
    }
    const next = await send(call('echo hi', { sessionId: child, permit: true }));
    expect((await redeemed(next.body['permit'])).status).toBe(200);
  });

  it('a rule or a policy that denies the call is good for no new permit', async () => {
    const { body } = await send(call('echo hi'));
    const { sessionId = '' } = (await house.ledger.calls.byId(TENANT, String(body.id)))?.key ?? {};
    expect((await permitOf(body.id)).body['permit']).toEqual(expect.any(String));
    await house.post(`/v1/sessions/${sessionId}/rules`, { deny: ['Bash(echo *)'] });
    expect(refusedFor(await permitOf(body.id))).toEqual(['409 permit.refused', 'denied_since']);
    expect((await house.get(`/v1/tool-calls/${String(body.id)}`)).body).toMatchObject({ decision: 'allow' });
  });
});

describe('a mode that a hook reports', () => {
  it.each(['default', 'weird', 'bypassPermissions'])('%s does not leave the policy’s own modes', async (mode) => {
    const id = randomUUID();
    const hook = { session_id: id, hook_event_name: 'PreToolUse', tool_name: 'Bash', cwd: '/srv/app' };
    const more = { tool_input: { command: 'ls' }, tool_use_id: 'toolu_1', permission_mode: mode };
    await house.post('/hooks/claude-code', { ...hook, ...more }, keys.get('plan'));
    const events = await eventsOf(id);
    const judged = events.filter(({ type }) => type === 'ToolCallDecided');
    expect(judged.map(({ body }) => (body as { verdict: { mode: string } }).verdict.mode)).toEqual(['plan']);
    expect(await countOf(id, 'SessionModeChanged')).toBe(0);
  });
});

describe('a stop by a person', () => {
  it('that comes while the hooks of a call run is not undone by that call', async () => {
    const key = keys.get('slow');
    const sessionId = randomUUID();
    await house.post('/v1/sessions', { id: sessionId, agent: 'lead', cwd: '/srv/app' }, key);
    const begun = new Promise<void>((resolve) => (slow.begun = resolve));
    const sent = send(call('echo hi', { sessionId, wait: 10 }), key);
    await begun;
    await house.post(`/v1/sessions/${sessionId}/stop`, {}, admin);
    slow.goOn();
    expect(said(await sent)).toBe('200 deny guard.stopped');
    expect(await countOf(sessionId, 'SessionReopened')).toBe(0);
  });
});

describe('a mode that a person set', () => {
  const open = async () => {
    const id = randomUUID();
    await house.post('/v1/sessions', { id, agent: 'lead', cwd: '/srv/app' });
    return id;
  };
  const mode = (id: string, wish: string, key?: string) => house.post(`/v1/sessions/${id}/mode`, { mode: wish }, key);

  it('is not left by the agent, by whatever door, and its calls are judged by it', async () => {
    const id = await open();
    expect((await mode(id, 'acceptEdits')).status).toBe(200);
    expect((await mode(id, 'plan', admin)).status).toBe(200);
    for (const wish of ['default', 'acceptEdits', 'dontAsk', 'bypassPermissions']) {
      expect(said(await mode(id, wish))).toBe('403 auth.loosens');
    }
    expect((await house.post(`/v1/sessions/${id}/mode/next`, {})).body).toEqual({ id, mode: 'plan' });
    const hook = { session_id: id, hook_event_name: 'PreToolUse', tool_name: 'Bash', cwd: '/srv/app' };
    const more = { tool_input: { command: 'ls' }, tool_use_id: 'toolu_1', permission_mode: 'acceptEdits' };
    await house.post('/hooks/claude-code', { ...hook, ...more });
    const events = await eventsOf(id);
    const changed = events.filter(({ type }) => type === 'SessionModeChanged');
    expect(changed.map(({ body }) => (body as { mode: string }).mode)).toEqual(['acceptEdits', 'plan']);
    const judged = events.filter(({ type }) => type === 'ToolCallDecided');
    expect(judged.map(({ body }) => (body as { verdict: { mode: string } }).verdict.mode)).toEqual(['plan']);
    expect((await mode(id, 'default', admin)).status).toBe(200);
    expect((await mode(id, 'plan')).status).toBe(200);
    expect((await mode(id, 'default')).status).toBe(200);
    expect(said(await mode(id, 'acceptEdits'))).toBe('403 auth.loosens');
  });

  it('of a parent bounds what a child’s own hook reports', async () => {
    const id = await open();
    await mode(id, 'plan', admin);
    const hook = { session_id: id, agent_id: 'sub', hook_event_name: 'PreToolUse', tool_name: 'Bash', cwd: '/srv/app' };
    const more = { tool_input: { command: 'ls' }, tool_use_id: 'toolu_1', permission_mode: 'acceptEdits' };
    await house.post('/hooks/claude-code', { ...hook, ...more });
    const judged = (await eventsOf(`${id}/sub`)).filter(({ type }) => type === 'ToolCallDecided');
    expect(judged.map(({ body }) => (body as { verdict: { mode: string } }).verdict.mode)).toEqual(['plan']);
  });

  it('wins against the agent’s own change at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await open();
      await Promise.all([mode(id, 'plan', admin), mode(id, 'acceptEdits'), mode(id, 'default')]);
      const { body } = await house.post(`/v1/sessions/${id}/mode/next`, {});
      expect(body).toEqual({ id, mode: 'plan' });
    }
  });
});

describe('a line of sessions', () => {
  const open = async (parentId?: string, key?: string) => {
    const id = randomUUID();
    const body = { id, agent: 'lead', cwd: '/srv/app', ...(parentId === undefined ? {} : { parentId }) };
    return { id, answer: await house.post('/v1/sessions', body, key) };
  };

  it('has an end: nothing is opened deeper, and the deepest is held by what holds the root', async () => {
    const root = await open();
    let { id } = root;
    for (let length = 2; length <= MAX_SESSION_LINE; length += 1) {
      const child = await open(id);
      expect(child.answer.status).toBe(201);
      ({ id } = child);
    }
    expect(said((await open(id)).answer)).toBe('409 session.too_deep');
    const hook = { session_id: id, agent_id: 'sub', hook_event_name: 'PreToolUse', tool_name: 'Bash', cwd: '/srv/app' };
    await house.post('/hooks/claude-code', { ...hook, tool_input: { command: 'echo hi' }, tool_use_id: 'toolu_1' });
    const bodies = (await eventsOf(`${id}/sub`))
      .filter(({ type }) => type === 'ToolCallDecided')
      .map(({ body }) => body);
    expect(bodies).toMatchObject([{ decision: { effect: 'deny', ruleId: 'session.too_deep' } }]);
    expect(said(await send(call('echo hi', { sessionId: id })))).toMatch(/^200 allow/);
    await house.post(`/v1/sessions/${root.id}/cancel`, {});
    expect(said(await send(call('echo hi', { sessionId: id })))).toBe('200 deny guard.cancelled');
  });

  it('has one time, one number of questions and one memory', async () => {
    const short = keys.get('short');
    const late = await open(undefined, short);
    await pause(1_300);
    const child = await open(late.id, short);
    expect(said(await send(call('echo hi', { sessionId: child.id }), short))).toBe('200 deny guard.deadline');
    const capped = keys.get('capped');
    const root = await open(undefined, capped);
    const children = await Promise.all(['a', 'b', 'c'].map(() => open(root.id, capped)));
    const asked: string[] = [];
    for (const { id } of children) asked.push(said(await send(call(`make ${id}`, { sessionId: id }), capped)));
    expect(asked.map((one) => one.split(' ', 2)[1])).toEqual(['pending', 'pending', 'deny']);
    expect(asked.at(-1)).toBe('200 deny ask.too_many');
    const remembers = keys.get('remembers');
    const top = await open(undefined, remembers);
    const [one, two] = [await open(top.id, remembers), await open(top.id, remembers)];
    const { body } = await send(call('make it', { sessionId: one.id }), remembers);
    await house.answer(one.id, String(body.askId), 'reject');
    for (const { id } of [two, top]) {
      expect(said(await send(call('make it', { sessionId: id }), remembers))).toBe('200 deny ask.denied_before');
    }
  });
});

describe('rules', () => {
  it('that an agent adds again are the same answer, and one that is not there cannot be removed', async () => {
    const sessionId = randomUUID();
    await send(call('echo hi', { sessionId }));
    const change = (body: object, key?: string) => house.post(`/v1/sessions/${sessionId}/rules`, body, key);
    const first = await change({ deny: ['Bash(rm *)'], ask: [{ rule: 'Bash(curl *)', reason: 'the net' }] });
    const again = await change({ deny: ['Bash(rm *)'], ask: [{ rule: 'Bash(curl *)', reason: 'the net' }] });
    expect([first.status, again]).toEqual([200, first]);
    expect(await countOf(sessionId, 'SessionRulesChanged')).toBe(1);
    expect(said(await change({ remove: ['nothing'] }, admin))).toBe('404 rule.unknown');
    expect(said(await change({ remove: ['deny:Bash(rm *)'] }))).toBe('403 auth.loosens');
    expect((await change({ remove: ['deny:Bash(rm *)'] }, admin)).body['rules']).toHaveLength(1);
  });
});

describe('streams', () => {
  it('of one key are bounded, and the answer says by what', async () => {
    const sessionId = randomUUID();
    await send(call('echo hi', { sessionId }));
    const open = () =>
      fetch(`${house.url}/v1/sessions/${sessionId}/stream`, { headers: { authorization: `Bearer ${house.agentKey}` } });
    const streams = [];
    for (let count = 0; count < 16; count += 1) streams.push(await open());
    const refused = await house.get(`/v1/sessions/${sessionId}/stream`);
    expect([said(refused), refused.body.error?.message]).toEqual([
      '503 overloaded',
      'this key has 16 streams open, which is all that it may have',
    ]);
    for (const stream of streams) await stream.body?.cancel();
  });
});

describe('a failure that stops others', () => {
  it('names them again when it is reported again', async () => {
    const one = (args: object) => ({ toolUseId: randomUUID(), tool: 'build', args });
    const body = { sessionId: randomUUID(), cwd: '/srv/app', calls: [one({ n: 1 }), one({ n: 2 }), one({ n: 3 })] };
    const { body: step } = await house.post('/v1/tool-calls/batch', body);
    const [failed = '', ...others] = (step['calls'] as { id: string }[]).map(({ id }) => id);
    const report = () => house.post(`/v1/tool-calls/${failed}/result`, { status: 'failed', error: 'no', elapsedMs: 3 });
    const first = await report();
    expect(first.body['siblingAbort']).toEqual(others);
    await house.post(`/v1/tool-calls/${others[0] ?? ''}/result`, { status: 'cancelled', elapsedMs: 1 });
    expect(await report()).toEqual(first);
    expect(await countOf(body.sessionId, 'SiblingsStopped')).toBe(1);
  });
});

describe('hooks', () => {
  it('hear after a tool what ran', async () => {
    const key = keys.get('after');
    const { body } = await send(call('echo hi'), key);
    await house.post(`/v1/tool-calls/${String(body.id)}/result`, { status: 'succeeded', output: 'hi' }, key);
    expect(seenArgs).toEqual([{ command: 'echo hi' }]);
  });

  it('that observe are told all of it in order, although they could not be reached at first', async () => {
    const key = keys.get('told');
    heard.refuse = heard.sent + 3;
    const id = randomUUID();
    await house.post('/v1/sessions', { id, agent: 'lead', cwd: '/srv/app' }, key);
    for (const step of [1, 2]) await house.post(`/v1/sessions/${id}/steps`, { step, completed: true }, key);
    await house.post(`/v1/sessions/${id}/stop`, { reason: 'done' }, key);
    await inTime(async () => heard.told.length === 4);
    expect(heard.told).toEqual(['hook.SessionStart', 'hook.StepComplete 1', 'hook.StepComplete 2', 'hook.SessionStop']);
    const runs = await inTime(async () => {
      const bodies = (await eventsOf(id)).filter(({ type }) => type === 'HookRan').map(({ body }) => body as HookRun);
      return bodies.length >= 4 && bodies;
    });
    expect(runs.map(({ on, failure }) => [on, failure])).toEqual([
      ['SessionStart', null],
      ['StepComplete', null],
      ['StepComplete', null],
      ['SessionStop', null],
    ]);
  });
});
