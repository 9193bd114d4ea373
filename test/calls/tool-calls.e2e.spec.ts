import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openHouse, TENANT, type Answer, type House } from './house.js';

const POLICY = {
  deny: ['Bash(git push *)'],
  ask: ['Bash(make *)'],
  allow: ['Bash(echo *)', 'Bash(true)', 'mcp__db__read'],
};

let house: House;
beforeAll(async () => {
  house = await openHouse({ policy: POLICY, workers: 4 });
}, 90_000);
afterAll(() => house?.close(), 30_000);

interface Wish {
  sessionId?: string;
  toolUseId?: string;
  tool?: string;
  args?: unknown;
  wait?: number;
  [more: string]: unknown;
}

const body = (wish: Wish = {}) => ({
  sessionId: 's1',
  toolUseId: randomUUID(),
  tool: 'Bash',
  args: { command: 'echo hi' },
  cwd: '/srv/app',
  wait: 0,
  ...wish,
});
const call = (wish: Wish = {}, key?: string): Promise<Answer> => house.post('/v1/tool-calls', body(wish), key);
const bash = (command: string, wish: Wish = {}): Promise<Answer> => call({ args: { command }, ...wish });

async function eventsOf(sessionId: string) {
  const page = await house.ledger.events.list(TENANT, { session: sessionId, limit: 500 });
  return page.items;
}

describe('POST /v1/tool-calls', () => {
  it('allows and denies by rule, with the rule in the answer', async () => {
    const allowed = await bash('echo hi');
    expect(allowed).toMatchObject({
      status: 200,
      body: { decision: 'allow', approvalStatus: 'not_required', id: expect.stringMatching(/^call_/) },
    });
    const denied = await bash('git push origin main');
    expect(denied).toMatchObject({ status: 200, body: { decision: 'deny', layer: 'hard-deny' } });
    expect(denied.body.ruleId).toContain('git push');
    expect(denied.body.reason).not.toBe('');
  });

  it('asks, and tells the approval to whoever waits at once', async () => {
    const sessionId = 'asks';
    const waits = bash('make all', { sessionId, wait: 30 });
    const ask = await eventually(async () => (await house.ledger.asks.list({ tenantId: TENANT, sessionId })).items[0]);
    const started = Date.now();
    await house.answer(sessionId, ask.id, 'approve');
    const answer = await waits;
    expect(answer.body).toMatchObject({ decision: 'allow', approvalStatus: 'approved', askId: ask.id });
    expect(Date.now() - started).toBeLessThan(2_000);
  });

  it('answers pending when nobody answers in time, and the poll gets the end', async () => {
    const sessionId = 'polls';
    const pending = await bash('make later', { sessionId, wait: 0.2 });
    expect(pending).toMatchObject({ status: 200, body: { decision: 'pending', approvalStatus: null } });
    const id = String(pending.body.id);
    expect((await house.get(`/v1/tool-calls/${id}`)).body.decision).toBe('pending');
    const poll = house.get(`/v1/tool-calls/${id}?wait=30`);
    await house.answer(sessionId, String(pending.body.askId), 'reject');
    expect((await poll).body).toMatchObject({ decision: 'deny', approvalStatus: 'rejected', id });
  });

  it('joins the same call and denies another one under its id', async () => {
    const wish = { sessionId: 'again', toolUseId: 'u1' };
    const [first, second] = await Promise.all([bash('echo a', wish), bash('echo a', wish)]);
    const third = await bash('echo b', wish);
    expect(second.body.id).toBe(first.body.id);
    expect(third).toMatchObject({ status: 200, body: { decision: 'deny', ruleId: 'call.id_reused' } });
    const other = await bash('echo b', { ...wish, attempt: 2 });
    expect(other.body.decision).toBe('allow');
  });

  it('asks about an unknown tool and opens an unknown session', async () => {
    const sessionId = randomUUID();
    const answer = await call({ sessionId, tool: 'NeverHeardOf', args: { x: 1 } });
    expect(answer.body.decision).toBe('pending');
    expect((await eventsOf(sessionId)).map((event) => event.type)).toContain('SessionStarted');
  });

  it('refuses a wrong key, and the key of another role', async () => {
    expect((await call({}, 'cs_agent_nonsense')).status).toBe(401);
    const approver = await house.makeKey({ role: 'approver' });
    expect((await call({}, approver)).status).toBe(403);
  });

  it('refuses a call in the session of another key, and records it', async () => {
    await bash('echo mine', { sessionId: 'owned' });
    const foreign = await house.makeKey();
    const answer = await call({ sessionId: 'owned' }, foreign);
    expect(answer.status).toBe(403);
    expect(answer.body.error?.code).toBe('auth.not_own_session');
    const decided = (await eventsOf('owned')).filter((event) => event.ruleId === 'auth.not_own_session');
    expect(decided).toHaveLength(1);
  });

  it("does not tell one tenant about another's calls", async () => {
    await house.ledger.tenants.ensure({ id: 'neighbour', name: 'Neighbour' });
    const foreign = await house.makeKey({ tenantId: 'neighbour' });
    const mine = await bash('echo mine');
    const id = String(mine.body.id);
    expect((await house.get(`/v1/tool-calls/${id}`, foreign)).status).toBe(404);
    expect((await house.post(`/v1/tool-calls/${id}/result`, { status: 'succeeded' }, foreign)).status).toBe(404);
    expect((await house.post('/v1/sessions/s1/cancel', {}, foreign)).status).toBe(404);
    expect((await house.get('/v1/tool-calls/call_nothing')).status).toBe(404);
    const other = await house.makeKey();
    expect((await house.get(`/v1/tool-calls/${id}`, other)).status).toBe(403);
  });
});

describe('arguments that cannot be judged', () => {
  const raw = (args: string): string =>
    JSON.stringify(body({ sessionId: 'bad', args: '@@' })).replace('"@@"', () => args);
  const deep = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
  const cases: [string, string, string][] = [
    ['an array', '[1,2]', 'not_an_object'],
    ['a string', '"rm -rf /"', 'not_an_object'],
    ['null', 'null', 'not_an_object'],
    ['300 KB', JSON.stringify({ command: 'echo ' + 'x'.repeat(300 * 1024) }), 'too_large'],
    ['10 MB', JSON.stringify({ command: 'echo ' + 'x'.repeat(10 * 1024 * 1024) }), 'too_large'],
    ['deep nesting', deep(100), 'too_deep'],
    ['very deep nesting', deep(5_000), 'too_deep'],
    ['a lone surrogate', '{"command":"echo \\ud800"}', 'lone_surrogate'],
    ['a duplicate key', '{"command":"echo hi","command":"git push x"}', 'duplicate_key'],
    ['a huge integer', '{"command":"echo hi","n":9007199254740993}', 'unsafe_integer'],
  ];

  it('are recorded denies, and the calls beside them are decided', async () => {
    const good = Array.from({ length: cases.length }, (_, index) => bash(`echo ${index}`, { sessionId: 'good' }));
    const bad = cases.map(([, args]) => house.post('/v1/tool-calls', raw(args)));
    const answers = await Promise.all(bad);
    answers.forEach((answer, index) => {
      const name = cases[index]![0];
      expect([name, answer.status, answer.body.decision, answer.body.ruleId]).toEqual([
        name,
        200,
        'deny',
        'request.invalid_arguments',
      ]);
    });
    expect((await Promise.all(good)).map((answer) => answer.body.decision)).toEqual(good.map(() => 'allow'));
    const records = (await eventsOf('bad')).filter((event) => event.type === 'ToolCallDecided');
    const problems = records.map(
      (event) => (event.body as { request: { args: { problem: string } } }).request.args.problem,
    );
    expect(problems.sort()).toEqual(cases.map(([, , problem]) => problem).sort());
  }, 30_000);

  it('does not include NUL, which stays an escape', async () => {
    const sessionId = 'nul';
    const answer = await call({ sessionId, tool: 'mcp__db__read', args: { note: 'a\0b' } });
    expect(answer).toMatchObject({ status: 200, body: { decision: 'allow' } });
    expect(JSON.stringify(await eventsOf(sessionId))).toContain('a\\\\u0000b');
  });

  it.each([
    ['no JSON', '{"sessionId":'],
    ['no object', '[]'],
    ['no tool', JSON.stringify({ sessionId: 's1', toolUseId: 'u' })],
    ['a session id of our own', JSON.stringify(body({ sessionId: '@tenant' }))],
    ['a key twice', '{"sessionId":"a",' + JSON.stringify(body()).slice(1)],
    ['an attempt that is no number', JSON.stringify(body({ attempt: 'x' }))],
  ])('differ from a request with %s, which is refused', async (_name, text) => {
    const answer = await house.post('/v1/tool-calls', text);
    expect(answer.status).toBe(400);
    expect(answer.body.error?.code).toMatch(/^request\./);
  });
});

describe('results', () => {
  it('close the call once; the same again is fine, a different one is not', async () => {
    const answer = await bash('echo done', { sessionId: 'results' });
    const door = `/v1/tool-calls/${String(answer.body.id)}/result`;
    const report = { status: 'succeeded', output: 'done\n', elapsedMs: 5 };
    expect(await house.post(door, report)).toMatchObject({ status: 200, body: { output: 'done\n' } });
    expect((await house.post(door, report)).status).toBe(200);
    expect((await house.post(door, { ...report, status: 'failed' })).body.error?.code).toBe('call.result_differs');
    const background = { ...report, background: true };
    expect((await house.post(door, background)).body.error?.code).toBe('call.result_differs');
    const types = (await eventsOf('results')).map((event) => event.type);
    expect(types.filter((type) => type === 'ToolResultReported')).toHaveLength(1);
    expect(types).toContain('AgentReported');
  });

  it('differ also by what stands at the far end of an error', async () => {
    const { body: allowed } = await bash('echo fails', { sessionId: 'long errors' });
    const door = `/v1/tool-calls/${String(allowed.id)}/result`;
    const report = { status: 'failed', error: `${'e'.repeat(5_000)} one` };
    expect((await house.post(door, report)).status).toBe(200);
    expect((await house.post(door, report)).status).toBe(200);
    const other = { ...report, error: `${'e'.repeat(5_000)} two` };
    expect((await house.post(door, other)).body.error?.code).toBe('call.result_differs');
  });
});

describe('POST /v1/tool-calls/batch', () => {
  it('judges each call as it is judged alone: with its server and in its own folder', async () => {
    const { sessionId: _own, wait: _wait, ...named } = body({ tool: 'mcp__db__read', args: {}, mcpServer: 'd.b' });
    const { cwd: _cwd, ...unplaced } = { ...named, toolUseId: randomUUID(), mcpServer: 'db' };
    const step = { sessionId: 'step', cwd: '/srv/step', wait: 0, calls: [named, unplaced] };
    const { status, body: answer } = await house.post('/v1/tool-calls/batch', step);
    const calls = answer['calls'] as { decision: string }[];
    expect([status, ...calls.map(({ decision }) => decision)]).toEqual([200, 'pending', 'allow']);
    const again = (toolUseId: string, more: object) => call({ ...unplaced, sessionId: 'step', toolUseId, ...more });
    expect((await again(unplaced.toolUseId, { cwd: '/srv/step' })).body.decision).toBe('allow');
    expect((await again(unplaced.toolUseId, { cwd: '/srv/app' })).body.ruleId).toBe('call.id_reused');
    expect((await again(named.toolUseId, { mcpServer: 'd.b', cwd: '/srv/app' })).body.decision).toBe('pending');
    const misplaced = { ...step, mcpServer: 'db' };
    expect((await house.post('/v1/tool-calls/batch', misplaced)).body.error?.code).toBe('request.invalid');
  });
});

describe('sessions', () => {
  it('open with what the key allows, and only so', async () => {
    const bound = await house.makeKey({ roots: ['/srv/app'], mode: 'plan' });
    const opened = await house.post('/v1/sessions', { agent: 'x', roots: ['/srv/app/web'], silent: true }, bound);
    expect(opened).toMatchObject({ status: 201, body: { mode: 'plan', roots: ['/srv/app/web'], silent: true } });
    const wider = await house.post('/v1/sessions', { agent: 'x', roots: ['/'] }, bound);
    expect(wider.body.error?.code).toBe('auth.loosens');
    const bypass = await house.post('/v1/sessions', { agent: 'x', mode: 'bypassPermissions' }, bound);
    expect(bypass.status).toBe(403);
    expect((await house.post('/v1/sessions', { agent: 'x', policy: 'other' }, bound)).status).toBe(403);
  });

  it('are opened again by the same opening, and never by another one or another key', async () => {
    const id = randomUUID();
    expect((await house.post('/v1/sessions', { id, agent: 'x' })).status).toBe(201);
    expect((await house.post('/v1/sessions', { id, agent: 'x' })).status).toBe(201);
    expect((await house.post('/v1/sessions', { id, agent: 'y' })).status).toBe(409);
    expect((await house.post('/v1/sessions', { id, agent: 'x' }, await house.makeKey())).status).toBe(403);
    expect((await house.post('/v1/sessions', { agent: 'x', parentId: 'nobody' })).status).toBe(404);
  });

  it('cancel ends the asks, wakes who waits, and denies what follows', async () => {
    const sessionId = 'cancels';
    const waits = bash('make it', { sessionId, wait: 30 });
    await eventually(async () => (await house.ledger.asks.list({ tenantId: TENANT, sessionId })).items[0]);
    expect((await house.post(`/v1/sessions/${sessionId}/cancel`, { reason: 'enough' })).status).toBe(200);
    expect((await waits).body).toMatchObject({ decision: 'deny', approvalStatus: 'cancelled' });
    expect((await bash('echo hi', { sessionId })).body).toMatchObject({ decision: 'deny', ruleId: 'guard.cancelled' });
  });

  it('take tighter modes and rules from agents, and anything from approvers', async () => {
    const sessionId = 'tightens';
    await bash('echo hi', { sessionId });
    const door = `/v1/sessions/${sessionId}`;
    const approver = await house.makeKey({ role: 'approver' });
    expect((await house.post(`${door}/mode`, { mode: 'plan' })).status).toBe(200);
    expect((await house.post(`${door}/mode`, { mode: 'bypassPermissions' })).body.error?.code).toBe('auth.loosens');
    expect((await house.post(`${door}/rules`, { allow: ['Bash(make *)'] })).body.error?.code).toBe('auth.loosens');
    expect((await house.post(`${door}/rules`, { deny: ['Bash(echo *)'] })).status).toBe(200);
    expect((await bash('echo hi', { sessionId })).body.decision).toBe('deny');
    expect((await house.post(`${door}/rules`, { deny: ['Bash('] })).status).toBe(422);
    expect((await house.post(`${door}/mode`, { mode: 'bypassPermissions' }, approver)).status).toBe(200);
    expect((await house.post('/v1/sessions/unknown/mode', { mode: 'plan' })).status).toBe(404);
  });

  it('are not anybody else’s to cancel', async () => {
    await bash('echo hi', { sessionId: 'not-yours' });
    const other = await house.makeKey();
    expect((await house.post('/v1/sessions/not-yours/cancel', {}, other)).body.error?.code).toBe(
      'auth.not_own_session',
    );
    expect((await house.post('/v1/sessions/not-yours/stop', {})).status).toBe(200);
  });
});

describe('a breaker that opens', () => {
  it('ends the open asks of its session and of those below, and wakes who waits', async () => {
    await bash('echo hi', { sessionId: 'boss' });
    const opened = await house.post('/v1/sessions', { id: 'below', agent: 'agent', parentId: 'boss', cwd: '/srv/app' });
    expect(opened.body).toMatchObject({ parentId: 'boss', rootId: 'boss' });
    const waits = ['boss', 'below'].map((sessionId) => bash('make it', { sessionId, wait: 30 }));
    for (const sessionId of ['boss', 'below']) {
      await eventually(async () => (await house.ledger.asks.list({ tenantId: TENANT, sessionId })).items[0]);
    }
    const denials = [];
    for (let count = 0; count < 3; count += 1) denials.push(await bash('git push x', { sessionId: 'boss' }));
    expect(denials.map((answer) => answer.body.stop ?? false)).toEqual([false, false, true]);
    for (const answer of await Promise.all(waits)) {
      expect(answer.body).toMatchObject({ decision: 'deny', approvalStatus: 'cancelled' });
    }
    expect((await bash('echo hi', { sessionId: 'below' })).body).toMatchObject({ ruleId: 'guard.breaker' });
  });

  it('is reset by a person with the role, never by the agent', async () => {
    for (let count = 0; count < 3; count += 1) await bash('git push x', { sessionId: 'stuck' });
    expect((await bash('echo hi', { sessionId: 'stuck' })).body).toMatchObject({ ruleId: 'guard.breaker', stop: true });
    const reset = '/v1/sessions/stuck/reset-breaker';
    expect((await house.post(reset, {})).status).toBe(403);
    const approver = await house.makeKey({ role: 'approver' });
    expect((await house.post(reset, {}, approver)).status).toBe(200);
    expect((await bash('echo hi', { sessionId: 'stuck' })).body).toMatchObject({ decision: 'allow' });
  });
});

describe('an agent on the worker’s own host', () => {
  it('is allowed what lies inside of its roots, and not what a link leads out to', async () => {
    const root = await realpath(await mkdtemp(path.join(tmpdir(), 'roots-')));
    const inside = path.join(root, 'app');
    await mkdir(inside);
    await writeFile(path.join(root, 'secret.txt'), 'x');
    await writeFile(path.join(inside, 'a.txt'), 'x');
    await symlink(path.join(root, 'secret.txt'), path.join(inside, 'link.txt'));
    try {
      const near = await house.makeKey({ sameHost: true });
      const read = (name: string, key: string, sessionId: string) =>
        call({ tool: 'Read', args: { file_path: path.join(inside, name) }, cwd: inside, sessionId }, key);
      expect((await read('a.txt', near, 'near')).body.decision).toBe('allow');
      expect((await read('link.txt', near, 'near')).body.decision).not.toBe('allow');
      const link = path.join(inside, 'link.txt');
      const claim = { resolvedPaths: { [link]: { real: link, exists: true } } };
      const claimed = { tool: 'Read', args: { file_path: link }, cwd: inside, sessionId: 'near', ...claim };
      expect((await call(claimed, near)).body.decision).not.toBe('allow');
      expect((await read('a.txt', await house.makeKey(), 'far')).body.decision).not.toBe('allow');
    } finally {
      await rm(root, { recursive: true });
    }
  });
});

describe('200 parallel calls to one session', () => {
  it('make one unbroken chain', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => bash(`echo ${index}`, { sessionId: 'crowd' })),
    );
    expect(answers.every((answer) => answer.body.decision === 'allow')).toBe(true);
    expect((await house.ledger.verify(TENANT)).problems).toEqual([]);
    expect((await eventsOf('crowd')).length).toBe(201);
  }, 30_000);
});

describe('asks that nobody answers', () => {
  it('expire at their deadline, and whoever waits is told', async () => {
    await house.publish('short', { ask: ['Bash(make *)'], askTimeout: { after: 1, outcome: 'deny' } });
    const key = await house.makeKey({ policy: 'short' });
    const answer = await house.post(
      '/v1/tool-calls',
      body({ sessionId: 'expires', args: { command: 'make x' }, wait: 20 }),
      key,
    );
    expect(answer.body).toMatchObject({ decision: 'deny', approvalStatus: 'expired' });
  }, 30_000);
});
