/** Kill switches through the doors: what they freeze, who has confirmed, and what goes on after the release. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApprover } from '@countersign/approver';
import { eventually, openHouse, TENANT, type Answer, type House } from '../calls/house.js';
import { openLine } from '../lines/agent-line.js';
import { openStream } from '../lines/sse-client.js';
import { send } from '../system/doors.js';

jest.setTimeout(60_000);

let house: House;
let approver: Awaited<ReturnType<typeof startApprover>>;
let key: string;
beforeAll(async () => {
  house = await openHouse({ policy: { allow: ['Bash(echo *)', 'TodoWrite'], ask: ['Bash(make *)'] }, workers: 2 });
  const config = { host: '127.0.0.1', port: 0, cookieSecret: 'x'.repeat(32), logLevel: 'silent' };
  approver = await startApprover({ ledger: house.ledger, bus: house.bus, config });
  key = await house.makeKey({ role: 'approver' });
}, 90_000);
afterAll(async () => {
  await approver?.close();
  await house?.close();
}, 30_000);

const people = (path: string, body?: unknown, as = key) => send(`${approver.url}${path}`, { key: as, body });
const call = (command: string, more: object = {}) => ({
  sessionId: randomUUID(),
  toolUseId: randomUUID(),
  tool: 'Bash',
  args: { command },
  cwd: '/srv/app',
  agent: 'lead',
  wait: 0,
  ...more,
});
const decide = async (body: object): Promise<Answer['body']> => (await house.post('/v1/tool-calls', body)).body;

async function engage(scope: string, value?: string): Promise<string> {
  const { status, body } = await people('/v1/kill-switches', { scope, value, reason: 'drill' });
  expect([status, body]).toEqual([201, expect.objectContaining({ scope, value: value ?? null, releasedAt: null })]);
  return String(body.id);
}
async function release(killId: string): Promise<void> {
  expect(await people(`/v1/kill-switches/${killId}/release`, {})).toMatchObject({ status: 200, body: { id: killId } });
}

const sessionId = randomUUID();
describe.each([
  ['tenant', undefined, {}],
  ['agent', 'lead', { agent: 'other', sessionId: randomUUID() }],
  ['session', sessionId, { sessionId: randomUUID() }],
  ['tool', 'Bash', { tool: 'TodoWrite', args: { todos: [] } }],
] as const)('a kill switch over the %s', (scope, value, outside) => {
  it('freezes what is in its scope and nothing else, until it is released', async () => {
    const own = () => call('echo hi', { sessionId });
    expect(await decide(own())).toMatchObject({ decision: 'allow' });
    const killId = await engage(scope, value);
    const denied = await decide(own());
    expect(denied).toMatchObject({
      decision: 'deny',
      ruleId: 'guard.killed',
      reason: expect.stringContaining('drill'),
    });
    if (scope !== 'tenant') expect(await decide({ ...own(), ...outside })).toMatchObject({ decision: 'allow' });
    await release(killId);
    expect(await decide(own())).toMatchObject({ decision: 'allow' });
    const events = await house.ledger.events.ofStream({ tenantId: TENANT, streamId: sessionId }, 0, 500);
    expect(events.some((event) => event.callId === denied.id && event.type === 'ToolCallDecided')).toBe(true);
  });
});

describe('under a kill switch', () => {
  it('open asks wait: nobody approves, anybody may reject, and after the release they go on', async () => {
    const pending = [call('make 1'), call('make 2')];
    const asks = await Promise.all(pending.map(async (body) => String((await decide(body)).askId)));
    const killId = await engage('tool', 'Bash');
    const [first, second] = asks.map((id) => `/v1/asks/${id}`);
    expect((await people(first!)).body).toMatchObject({ status: 'open', frozen: true });
    expect(await people(`${first}/answer`, { answer: 'approve' })).toMatchObject({
      status: 423,
      body: { error: { code: 'ask.frozen' } },
    });
    expect((await people(`${second}/answer`, { answer: 'reject' })).status).toBe(200);
    await release(killId);
    expect((await people(`${first}/answer`, { answer: 'approve' })).status).toBe(200);
  });

  it('an allow of before is not handed out to whoever asks for it now, which is on record', async () => {
    const body = call('echo hi');
    const { id } = await decide(body);
    const killId = await engage('session', body.sessionId);
    await eventually(async () => (await people(`/v1/kill-switches/${killId}`)).body['reached'] === true);
    const look = () => house.get(`/v1/tool-calls/${String(id)}?permit=true`);
    expect((await look()).body).toMatchObject({ id, decision: 'deny', ruleId: 'guard.killed' });
    expect(await decide(body)).toMatchObject({ id, decision: 'deny', ruleId: 'guard.killed' });
    const events = await house.ledger.events.ofStream({ tenantId: TENANT, streamId: body.sessionId }, 0, 100);
    const withheld = events.filter((event) => (event.body as { kind?: string }).kind === 'allow_withheld');
    expect(withheld.map((event) => (event.body as { detail: string }).detail)).toEqual([
      JSON.stringify({ callId: id, killId }),
    ]);
    await release(killId);
    const again = await eventually(async () => {
      const { body: told } = await look();
      return told.decision === 'allow' && told;
    });
    expect(again).toMatchObject({ id, permit: expect.any(String) });
  });

  it.each([
    ['session', 'of its grandparent'],
    ['agent', 'that its grandparent was opened for'],
  ] as const)('an allow of before is withheld under a kill of the %s %s', async (scope, _whose) => {
    const [root, child, grandchild] = [randomUUID(), randomUUID(), randomUUID()];
    const opener = `opener-${root}`;
    const cwd = '/srv/app';
    await house.post('/v1/sessions', { id: root, agent: opener, cwd });
    await house.post('/v1/sessions', { id: child, agent: 'sub', parentId: root, cwd });
    await house.post('/v1/sessions', { id: grandchild, agent: 'sub', parentId: child, cwd });
    const body = call('echo hi', { sessionId: grandchild, agent: 'helper' });
    const { id, decision } = await decide(body);
    expect(decision).toBe('allow');
    const killId = await engage(scope, scope === 'session' ? root : opener);
    await eventually(async () => (await people(`/v1/kill-switches/${killId}`)).body['reached'] === true);
    const looked = await house.get(`/v1/tool-calls/${String(id)}?permit=true`);
    expect(looked.body).toMatchObject({ id, decision: 'deny', ruleId: 'guard.killed' });
    expect(looked.body).not.toHaveProperty('permit');
    expect(await decide(body)).toMatchObject({ id, decision: 'deny', ruleId: 'guard.killed' });
    await release(killId);
  });

  it('reaches everybody within a second although the push is lost', async () => {
    const body = call('echo hi');
    const { id } = await decide(body);
    const killId = `kill_${randomUUID()}`;
    const command = {
      type: 'EngageKill',
      killId,
      scope: 'session',
      value: body.sessionId,
      reason: 'r',
      by: 'me',
    } as const;
    // By the ledger alone: nobody is told.
    await house.ledger.executeTenant(TENANT, command);
    expect(await decide({ ...body, toolUseId: randomUUID() })).toMatchObject({ ruleId: 'guard.killed' });
    await eventually(async () => (await house.get(`/v1/tool-calls/${String(id)}`)).body.decision === 'deny');
    const details = await eventually(async () => {
      const { body: kill } = await people(`/v1/kill-switches/${killId}`);
      return kill['reached'] === true && kill;
    });
    const processes = details['processes'] as { app: string; confirmedAt: string; afterMs: number }[];
    expect(processes.map(({ app }) => app)).toEqual(['gateway', 'worker', 'worker']);
    // The bound of the issue.
    for (const { afterMs } of processes) expect(afterMs).toBeLessThan(1_000);
    await release(killId);
  });

  it('is told to agents and executors on their line, newcomers included', async () => {
    const before = await openLine(house.url, house.agentKey);
    const killId = await engage('tenant');
    const told = { killId, scope: 'tenant', value: null, reason: 'drill' };
    expect((await before.hears('kill')).message).toEqual(told);
    const after = await openLine(house.url, house.agentKey);
    expect((await after.hears('kill')).message).toEqual(told);
    for (const line of [before, after]) line.socket.disconnect();
    await release(killId);
  });

  it.each([
    ['session', (root: string) => root],
    ['agent', (root: string) => `lead of ${root}`],
  ] as const)('over a %s is told to the lines and streams that it touches, and to no other', async (scope, value) => {
    const [root, child] = [randomUUID(), randomUUID()];
    await house.post('/v1/sessions', { id: root, agent: `lead of ${root}` });
    await house.post('/v1/sessions', { id: child, agent: 'helper', parentId: root });
    const [before, after, stranger] = [
      await openLine(house.url, house.agentKey),
      await openLine(house.url, house.agentKey),
      await openLine(house.url, await house.makeKey()),
    ];
    await before.ask('watch', { sessionId: child });
    await stranger.ask('tool_call', call('echo hi'));
    const stream = await openStream(house.url, house.agentKey, child);
    const killId = await engage(scope, value(root));
    const told = { killId, scope, value: value(root), reason: 'drill' };
    expect((await before.hears('kill')).message).toEqual(told);
    expect((await stream.hears('kill')).data).toEqual(told);
    expect(after.heard).toEqual([]);
    await after.ask('watch', { sessionId: child });
    expect((await after.hears('kill')).message).toEqual(told);
    await release(killId);
    const last = await engage('tool', 'Nothing');
    expect((await stranger.hears('kill')).message).toMatchObject({ killId: last });
    for (const { socket } of [before, after, stranger]) socket.disconnect();
    await stream.close();
    await release(last);
  });
});

describe('the door', () => {
  it('lists, and says what is wrong with a wish', async () => {
    const killId = await engage('tool', 'Nothing');
    const engaged = await people('/v1/kill-switches?engaged=true');
    expect((engaged.body['items'] as { id: string }[]).map(({ id }) => id)).toEqual([killId]);
    await release(killId);
    expect((await people('/v1/kill-switches?engaged=true')).body['items']).toEqual([]);
    expect(((await people('/v1/kill-switches')).body['items'] as unknown[]).length).toBeGreaterThan(1);
    const wrong = await Promise.all([
      people('/v1/kill-switches', { scope: 'tool', reason: 'x' }),
      people('/v1/kill-switches', { scope: 'tenant', value: 'x', reason: 'x' }),
      people('/v1/kill-switches', { scope: 'tenant' }),
      people('/v1/kill-switches', { scope: 'moon', value: 'x', reason: 'x' }),
      people(`/v1/kill-switches/${killId}/release`, {}),
      people('/v1/kill-switches/kill_none'),
      people('/v1/kill-switches', { scope: 'tenant', reason: 'x' }, house.agentKey),
    ]);
    expect(wrong.map(({ status }) => status)).toEqual([400, 400, 400, 400, 404, 404, 403]);
  });

  it('takes a session that is not there yet, says so, and holds its first call', async () => {
    const later = randomUUID();
    const { status, body } = await people('/v1/kill-switches', { scope: 'session', value: later, reason: 'drill' });
    expect([status, body['sessionKnown']]).toEqual([201, false]);
    expect(await decide(call('echo hi', { sessionId: later }))).toMatchObject({ ruleId: 'guard.killed' });
    expect((await people(`/v1/kill-switches/${String(body.id)}`)).body['sessionKnown']).toBe(true);
    await release(String(body.id));
    const tool = await people('/v1/kill-switches', { scope: 'tool', value: 'Nothing', reason: 'drill' });
    expect(tool.body).not.toHaveProperty('sessionKnown');
    await release(String(tool.body.id));
  });

  it('says nothing of another tenant, and its kill switches freeze nothing here', async () => {
    await house.ledger.tenants.ensure({ id: 'neighbour', name: 'N' });
    const theirs = await house.makeKey({ tenantId: 'neighbour', role: 'approver' });
    const made = await people('/v1/kill-switches', { scope: 'tenant', reason: 'x' }, theirs);
    expect(made.status).toBe(201);
    expect((await people(`/v1/kill-switches/${String(made.body.id)}`)).status).toBe(404);
    expect((await people(`/v1/kill-switches/${String(made.body.id)}/release`, {})).status).toBe(404);
    expect(await decide(call('echo hi'))).toMatchObject({ decision: 'allow' });
  });
});
