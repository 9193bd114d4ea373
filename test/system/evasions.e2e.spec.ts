/** An agent that wants more than it was given: other folders under an old id, permits after the end, looser modes; and what it gets. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { HookRun, StoredEvent } from '@countersign/contracts';
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
  for (const name of ['short', 'told', 'after']) {
    if (name !== 'short') await house.publish(name, POLICY);
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
