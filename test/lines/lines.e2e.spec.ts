/** The line `/agents` and the stream of a session: real sockets against a running gateway and worker. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually, openHouse, TENANT, type House } from '../calls/house.js';
import { connectLine, openLine, type AgentLine } from './agent-line.js';
import { openStream, type SseMessage } from './sse-client.js';

jest.setTimeout(60_000);

let house: House;
const lines: AgentLine[] = [];
beforeAll(async () => {
  const policy = { allow: ['Bash(echo *)'], ask: ['Bash(make *)'], deny: ['Bash(rm *)'] };
  house = await openHouse({ policy, gateway: { maxStreams: 20, streamPollMs: 50 } });
}, 90_000);
afterEach(() => {
  for (const { socket } of lines.splice(0)) socket.disconnect();
});
afterAll(() => house?.close(), 30_000);

async function open(key = house.agentKey): Promise<AgentLine> {
  const line = await openLine(house.url, key);
  lines.push(line);
  return line;
}
const call = (command: string, more: object = {}) => ({
  sessionId: randomUUID(),
  toolUseId: randomUUID(),
  tool: 'Bash',
  args: { command },
  cwd: '/srv/app',
  ...more,
});
type Outcome = Record<string, unknown>;
const outcomeOf = (ack: Outcome): Outcome => ack['outcome'] as Outcome;

describe('the line /agents', () => {
  it('lets in agents only, by their key', async () => {
    const admin = await house.makeKey({ role: 'admin' });
    const refusals = await Promise.all(['nobody-made-this', admin].map((key) => connectLine(house.url, key)));
    expect(refusals.map(({ refused }) => refused?.code)).toEqual(['auth.unknown_key', 'auth.wrong_role']);
    const foreign = await connectLine(house.url, house.agentKey, { extraHeaders: { origin: 'https://evil.example' } });
    expect(foreign.refused).not.toBeNull();
    const polling = await connectLine(house.url, house.agentKey, { transports: ['polling'] });
    expect(polling.refused).not.toBeNull();
  });

  it('answers calls as the door does', async () => {
    const line = await open();
    const allowed = call('echo hi', { permit: true });
    expect(outcomeOf(await line.ask('tool_call', allowed))).toMatchObject({
      decision: 'allow',
      permit: expect.any(String),
    });
    expect(outcomeOf(await line.ask('tool_call', call('rm x')))).toMatchObject({ decision: 'deny' });
    const again = await house.post('/v1/tool-calls', allowed);
    expect(again.body.id).toBe(outcomeOf(await line.ask('tool_call', allowed))['id']);
    expect(await line.ask('tool_call', { tool: 5 })).toMatchObject({ error: { code: 'request.invalid' } });
    expect(await line.ask('tool_call', '{"a":')).toMatchObject({ error: { code: 'request.malformed' } });
    const twice = JSON.stringify(call('echo hi')).replace('"command":', '"command":"rm x","command":');
    expect(outcomeOf(await line.ask('tool_call', twice))).toMatchObject({ ruleId: 'request.invalid_arguments' });
  });

  it('pushes the decision of a call that waited for people', async () => {
    const line = await open();
    const body = call('make it', { wait: 0 });
    const pending = outcomeOf(await line.ask('tool_call', body));
    expect(pending).toMatchObject({ decision: 'pending' });
    await house.answer(body.sessionId, String(pending['askId']), 'approve');
    const { message } = await line.hears('decision', ({ id }) => id === pending['id']);
    expect(message).toMatchObject({ decision: 'allow', approvalStatus: 'approved' });
  });

  it('A.CAN tells executors of a cancel: tools that stop at once, and tools that finish first', async () => {
    const agent = await open();
    const executor = await open();
    const body = call('echo hi', { permit: true });
    const { id, permit } = outcomeOf(await agent.ask('tool_call', body));
    await house.post('/v1/permits/redeem', { permit, args: body.args });
    expect(await executor.ask('watch', { sessionId: body.sessionId })).toEqual({ line: [body.sessionId] });
    await house.post(`/v1/sessions/${body.sessionId}/cancel`, {});
    const told = {
      sessionId: body.sessionId,
      how: 'cancelled',
      calls: [{ id, sessionId: body.sessionId, tool: 'Bash', interrupt: 'block' }],
    };
    expect((await executor.hears('cancel')).message).toEqual(told);
    expect((await agent.hears('cancel')).message).toEqual(told);
  });

  it('tells whoever runs a subagent’s tools of its parent’s end', async () => {
    const [root, child] = [randomUUID(), randomUUID()];
    await house.post('/v1/sessions', { id: root, agent: 'lead' });
    await house.post('/v1/sessions', { id: child, agent: 'helper', parentId: root });
    const line = await open();
    expect(await line.ask('watch', { sessionId: child })).toEqual({ line: [root, child] });
    const body = call('echo hi', { sessionId: child, permit: true });
    const { id, permit } = outcomeOf(await line.ask('tool_call', body));
    await house.post('/v1/permits/redeem', { permit, args: body.args });
    await house.post(`/v1/sessions/${root}/stop`, {});
    const calls = [{ id, sessionId: child, tool: 'Bash', interrupt: 'block' }];
    expect((await line.hears('cancel')).message).toEqual({ sessionId: root, how: 'stopped', calls });
  });

  it('lets nobody watch the session of another key', async () => {
    const { sessionId } = call('');
    await house.post('/v1/sessions', { id: sessionId, agent: 'lead' });
    const stranger = await open(await house.makeKey());
    expect(await stranger.ask('watch', { sessionId })).toMatchObject({ error: { code: 'auth.not_own_session' } });
    expect(await stranger.ask('watch', { sessionId: 'nowhere' })).toMatchObject({ error: { code: 'session.unknown' } });
    expect(await stranger.ask('watch', 5)).toMatchObject({ error: { code: 'request.invalid' } });
  });

  it('is bounded: so many connections of a key, so many calls of a connection', async () => {
    const key = await house.makeKey();
    const many = await Promise.all(Array.from({ length: 70 }, () => connectLine(house.url, key)));
    const refused = many.filter((one) => one.refused !== null);
    expect(refused.map((one) => one.refused?.code)).toEqual(Array.from({ length: 6 }, () => 'overloaded'));
    for (const { line } of many) if (line) lines.push(line);
    const line = lines.at(-1)!;
    const sessionId = randomUUID();
    const asks = Array.from({ length: 70 }, () => line.ask('tool_call', call('make it', { sessionId, wait: 3 })));
    const acks = await Promise.all(asks);
    expect(acks.filter((ack) => (ack['error'] as { code?: string } | undefined)?.code === 'overloaded')).toHaveLength(
      6,
    );
  });

  it('ends with the key', async () => {
    const { key, secret } = await house.ledger.keys.create({ tenantId: TENANT, role: 'agent', by: 'test' });
    const line = await open(secret);
    const ended = new Promise((resolve) => line.socket.on('disconnect', resolve));
    await line.ask('tool_call', call('echo hi'));
    await house.ledger.keys.revoke({ tenantId: TENANT, keyId: key.keyId, by: 'test' });
    // The doors know a key for a second too.
    await pause(1_050);
    const said = line.ask('tool_call', call('echo hi')).then(
      (ack) => (ack['error'] as { code?: string } | undefined)?.code ?? 'answered',
      () => 'cut off',
    );
    expect(['auth.unknown_key', 'cut off']).toContain(await Promise.race([said, ended.then(() => 'cut off')]));
    await ended;
  });

  it('gives a place back when a connection ends', async () => {
    const key = await house.makeKey();
    const full = await Promise.all(Array.from({ length: 64 }, () => openLine(house.url, key)));
    lines.push(...full);
    expect((await connectLine(house.url, key)).refused?.code).toBe('overloaded');
    full[0]!.socket.disconnect();
    const again = await eventually(async () => (await connectLine(house.url, key)).line);
    lines.push(again);
  });
});

describe('the stream of a session', () => {
  const about = ({ event, data }: SseMessage) => [
    event,
    data['decision'] ?? data['how'] ?? data['mode'] ?? data['askId'],
  ];

  it('tells what the agent was told, in order, and goes on after `Last-Event-ID`', async () => {
    const sessionId = randomUUID();
    await house.post('/v1/tool-calls', call('echo hi', { sessionId }));
    const stream = await openStream(house.url, house.agentKey, sessionId);
    await stream.hears('decision');
    const pending = await house.post('/v1/tool-calls', call('make it', { sessionId, wait: 0 }));
    const opened = await stream.hears('pending');
    await stream.close();
    await house.answer(sessionId, String(pending.body.askId), 'reject');
    await house.post(`/v1/sessions/${sessionId}/mode`, { mode: 'plan' });
    const resumed = await openStream(house.url, house.agentKey, sessionId, opened.id);
    await house.post(`/v1/sessions/${sessionId}/cancel`, {});
    await resumed.hears('cancel');
    expect(stream.heard.map(about)).toEqual([
      ['decision', 'allow'],
      ['pending', pending.body.askId],
    ]);
    expect(resumed.heard.map(about)).toEqual([
      ['decision', 'deny'],
      ['mode', 'plan'],
      ['cancel', 'cancelled'],
    ]);
    expect(Number(resumed.heard[0]?.id)).toBeGreaterThan(Number(opened.id));
    await resumed.close();
  });

  it('tells a subagent of every end above it, once, wherever it goes on', async () => {
    const [root, child] = [randomUUID(), randomUUID()];
    await house.post('/v1/sessions', { id: root, agent: 'lead' });
    await house.post('/v1/sessions', { id: child, agent: 'helper', parentId: root });
    const body = call('echo hi', { sessionId: child, permit: true });
    const { body: allowed } = await house.post('/v1/tool-calls', body);
    await house.post('/v1/permits/redeem', { permit: allowed['permit'], args: body.args });
    const stream = await openStream(house.url, house.agentKey, child);
    const decided = await stream.hears('decision');
    await house.post(`/v1/sessions/${root}/cancel`, { reason: 'enough' });
    const cancelled = await stream.hears('cancel');
    const calls = [{ id: allowed.id, sessionId: child, tool: 'Bash', interrupt: 'block' }];
    expect(cancelled.data).toEqual({ sessionId: root, how: 'cancelled', reason: 'enough', calls });
    await stream.close();
    await house.post(`/v1/sessions/${root}/stop`, {});
    const ends = async (after?: string) => {
      const resumed = await openStream(house.url, house.agentKey, child, after);
      await eventually(async () => resumed.heard.some(({ data }) => data['how'] === 'stopped'));
      await resumed.close();
      return resumed.heard.filter(({ event }) => event === 'cancel').map(({ data }) => data['how']);
    };
    expect(await ends(decided.id)).toEqual(['cancelled', 'stopped']);
    expect(await ends(cancelled.id)).toEqual(['stopped']);
    expect(await ends()).toEqual(['stopped']);
  });

  it('ends with the key', async () => {
    const { key, secret } = await house.ledger.keys.create({ tenantId: TENANT, role: 'agent', by: 'test' });
    const sessionId = randomUUID();
    await house.post('/v1/sessions', { id: sessionId, agent: 'lead' }, secret);
    const response = await fetch(`${house.url}/v1/sessions/${sessionId}/stream`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    await house.ledger.keys.revoke({ tenantId: TENANT, keyId: key.keyId, by: 'test' });
    expect(await response.text()).toContain('retry:');
  });

  it('answers HEAD with the headers alone, and ends', async () => {
    const sessionId = randomUUID();
    await house.post('/v1/sessions', { id: sessionId, agent: 'lead' });
    const response = await fetch(`${house.url}/v1/sessions/${sessionId}/stream`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${house.agentKey}` },
      signal: AbortSignal.timeout(10_000),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(await response.text()).toBe('');
  });

  it('is closed to others, and bounded', async () => {
    const sessionId = randomUUID();
    await house.post('/v1/sessions', { id: sessionId, agent: 'lead' });
    const path = `/v1/sessions/${sessionId}/stream`;
    expect((await house.get(path, await house.makeKey())).status).toBe(403);
    expect((await house.get('/v1/sessions/nowhere/stream')).status).toBe(404);
    const streams = await Promise.all(
      Array.from({ length: 16 }, () => openStream(house.url, house.agentKey, sessionId)),
    );
    expect(await house.get(path)).toMatchObject({ status: 503, body: { error: { code: 'overloaded' } } });
    await Promise.all(streams.map((stream) => stream.close()));
  });
});

describe('a gateway that goes', () => {
  it('tells every line and every stream to come back elsewhere', async () => {
    const own = await openHouse({ policy: { allow: ['Bash(echo *)'] } });
    try {
      const line = await openLine(own.url, own.agentKey);
      const body = call('echo hi');
      await line.ask('tool_call', body);
      const stream = await openStream(own.url, own.agentKey, body.sessionId);
      await stream.hears('decision');
      const closing = own.closeGateway();
      await Promise.all([line.hears('reconnect'), stream.hears('reconnect')]);
      await closing;
    } finally {
      await own.close();
    }
  });
});
