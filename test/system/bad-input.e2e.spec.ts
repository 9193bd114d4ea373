/** Whatever is wrong with a call, it ends in a clear error or a recorded deny, the calls beside it are decided, and the next one works. */
import { createHash, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PolicyInput, StoredEvent } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { effectOf, problemOfReply } from './claude-replies.js';
import { answerAsk, askOf, eventsOf, send, type Answer } from './doors.js';
import { OwnHouse } from './own-house.js';

jest.setTimeout(120_000);

/** No breaker: one session takes all denials of its test. */
const POLICY: PolicyInput = {
  ask: ['Bash(make *)'],
  allow: ['Bash(echo *)', 'mcp__notes__add'],
  breaker: { inARow: 10_000, total: 100_000, counts: [] },
};
const GOOD = 8;

let house: OwnHouse;
let ledger: Ledger;
beforeAll(async () => {
  house = await OwnHouse.open(POLICY);
  ledger = await house.openLedger();
}, 180_000);
afterAll(async () => {
  await ledger?.close();
  await house?.close();
}, 60_000);

interface Wish {
  readonly sessionId?: string;
  readonly toolUseId?: string;
  readonly tool?: string;
  readonly key?: string;
  readonly wait?: number;
}

/** Each door as agents use it; `args` is JSON text and stands in the body as it is. */
const DOORS = {
  'POST /v1/tool-calls': (args: string, wish: Wish = {}): Promise<Answer> => {
    const { sessionId = 'plain', toolUseId = randomUUID(), tool = 'Bash', key = house.endpoints.agentKey } = wish;
    const body = JSON.stringify({ sessionId, toolUseId, tool, cwd: '/tmp', wait: wish.wait ?? 60, args: '@' });
    return send(`${house.endpoints.gateway}/v1/tool-calls`, { key, body: body.replace('"@"', () => args) });
  },
  'POST /hooks/claude-code': (args: string, wish: Wish = {}): Promise<Answer> => {
    const { sessionId = 'plain', toolUseId = randomUUID(), tool = 'Bash', key = house.endpoints.agentKey } = wish;
    const common = { session_id: sessionId, cwd: '/tmp', permission_mode: 'default', hook_event_name: 'PreToolUse' };
    const body = JSON.stringify({ ...common, tool_name: tool, tool_use_id: toolUseId, tool_input: '@' });
    return send(`${house.endpoints.gateway}/hooks/claude-code`, { key, body: body.replace('"@"', () => args) });
  },
} as const;
type DoorName = keyof typeof DOORS;
const DOOR_NAMES = Object.keys(DOORS) as DoorName[];

/** What the agent was told, whichever door it used. */
function toldBy(door: DoorName, answer: Answer): string | null {
  expect(answer.status).toBe(200);
  if (door === 'POST /v1/tool-calls') return answer.body.decision ?? null;
  expect(problemOfReply('PreToolUse', answer.body)).toBeNull();
  return effectOf(answer.body);
}

const bash = (command: string): string => JSON.stringify({ command });
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const sized = (bytes: number): string => bash(`echo ${'x'.repeat(bytes)}`);

/** Name, JSON text of the arguments, and the problem that the record must name. */
const UNJUDGEABLE: readonly (readonly [string, string, string])[] = [
  ['an array', '["echo hi"]', 'not_an_object'],
  ['a string', '"echo hi"', 'not_an_object'],
  ['null', 'null', 'not_an_object'],
  ['300 KB', sized(300 * 1024), 'too_large'],
  ['10 MB', sized(10 * 1024 * 1024), 'too_large'],
  ['nested 100 deep', nested(100), 'too_deep'],
  ['nested 5,000 deep', nested(5_000), 'too_deep'],
  ['half a surrogate pair', '{"command":"echo \\ud83d"}', 'lone_surrogate'],
  ['a key twice', '{"command":"echo hi","command":"rm -rf /"}', 'duplicate_key'],
  ['a huge integer', '{"command":"echo hi","count":9007199254740993}', 'unsafe_integer'],
  ['an endless number', '{"command":"echo hi","count":1e999}', 'unsafe_integer'],
];

/** A request together with good calls of the same door: the first ones keep the queue busy, so that the others leave together. */
async function amongGoodOnes(door: DoorName, sendBad: () => Promise<Answer>): Promise<Answer> {
  const sendGood = (index: number) => DOORS[door](bash(`echo beside ${index}`), { sessionId: `beside-${index % 2}` });
  const before = [sendGood(0), sendGood(1)];
  const bad = sendBad();
  const after = Array.from({ length: GOOD - 2 }, (_, index) => sendGood(index + 2));
  const told = (await Promise.all([...before, ...after])).map((answer) => toldBy(door, answer));
  expect(told).toEqual(Array(GOOD).fill('allow'));
  const answer = await bad;
  expect(toldBy(door, await DOORS[door](bash('echo next')))).toBe('allow');
  return answer;
}

const decisionsOf = (sessionId: string): Promise<StoredEvent[]> =>
  eventsOf(house.auditor, `session=${encodeURIComponent(sessionId)}&type=ToolCallDecided`);

describe.each(DOOR_NAMES)('arguments that cannot be judged, at %s', (door) => {
  it.each(UNJUDGEABLE)('%s: a recorded deny that says why', async (name, args, problem) => {
    const sessionId = `unjudgeable ${door} ${name}`;
    const answer = await amongGoodOnes(door, () => DOORS[door](args, { sessionId }));
    expect(toldBy(door, answer)).toBe('deny');
    if (door === 'POST /v1/tool-calls') expect(answer.body.ruleId).toBe('request.invalid_arguments');
    const hash = createHash('sha256').update(args).digest('hex');
    const bytes = Buffer.byteLength(args);
    expect(await decisionsOf(sessionId)).toMatchObject([
      {
        decision: 'deny',
        ruleId: 'request.invalid_arguments',
        body: { request: { args: { state: 'invalid', problem, bytes, hash } } },
      },
    ]);
  });

  it('NUL in the arguments of a tool that may have it stays what it was', async () => {
    const sessionId = `nul ${door}`;
    const args = '{"text":"a\\u0000b"}';
    const answer = await amongGoodOnes(door, () => DOORS[door](args, { sessionId, tool: 'mcp__notes__add' }));
    expect(toldBy(door, answer)).toBe('allow');
    const [decided] = await decisionsOf(sessionId);
    expect(decided).toMatchObject({ decision: 'allow', body: { request: { args: { state: 'ok', json: args } } } });
  });

  it('NUL in a command is never allowed unasked', async () => {
    const sessionId = `nul in a command ${door}`;
    const waiting = amongGoodOnes(door, () => DOORS[door]('{"command":"echo a\\u0000b"}', { sessionId }));
    const ask = await askOf(house.approver, sessionId);
    expect((await answerAsk(house.approver, ask.id, 'reject')).status).toBe(200);
    expect(toldBy(door, await waiting)).toBe('deny');
  });

  it('a raw NUL byte is no JSON', async () => {
    const answer = await amongGoodOnes(door, () => DOORS[door]('{"command":"echo a\0b"}'));
    if (door === 'POST /v1/tool-calls') {
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'request.malformed' } } });
    } else {
      expect(answer).toMatchObject({ status: 200, body: { decision: 'block', reason: expect.stringMatching(/./) } });
    }
  });
});

it('refuses a PermissionRequest with bad arguments in its own form', async () => {
  const body = {
    session_id: 'prompt',
    cwd: '/tmp',
    hook_event_name: 'PermissionRequest',
    tool_name: 'Bash',
    tool_input: ['echo hi'],
  };
  const { agentKey: key, gateway } = house.endpoints;
  const answer = await send(`${gateway}/hooks/claude-code`, { key, body });
  expect([answer.status, problemOfReply('PermissionRequest', answer.body)]).toEqual([200, null]);
  expect(effectOf(answer.body)).toBe('deny');
});

describe.each(DOOR_NAMES)('an unknown tool, at %s', (door) => {
  it('asks people under the preset `standard`', async () => {
    const sessionId = `unknown tool ${door}`;
    const waiting = amongGoodOnes(door, () => DOORS[door]('{"x":1}', { sessionId, tool: 'NeverHeardOf' }));
    const ask = await askOf(house.approver, sessionId);
    expect(ask.ruleId).toBe('tool.unknown');
    expect((await answerAsk(house.approver, ask.id, 'approve')).status).toBe(200);
    expect(toldBy(door, await waiting)).toBe('allow');
  });

  it('is a recorded deny where the policy says so', async () => {
    const key = await keyUnder('strict', { ...POLICY, unknownTool: 'deny' });
    const sessionId = `unknown tool denied ${door}`;
    const answer = await amongGoodOnes(door, () => DOORS[door]('{"x":1}', { sessionId, tool: 'NeverHeardOf', key }));
    expect(toldBy(door, answer)).toBe('deny');
    expect(await decisionsOf(sessionId)).toMatchObject([{ decision: 'deny', ruleId: 'tool.unknown' }]);
  });
});

describe('an unknown session', () => {
  it.each(DOOR_NAMES)('is opened by a call, at %s', async (door) => {
    const sessionId = randomUUID();
    const answer = await amongGoodOnes(door, () => DOORS[door](bash('echo hi'), { sessionId }));
    expect(toldBy(door, answer)).toBe('allow');
    const events = await eventsOf(house.auditor, `session=${sessionId}`);
    expect(events.map(({ type }) => type)).toEqual(['ToolCallDecided', 'SessionStarted']);
  });

  it.each([
    ['cancel', {}],
    ['stop', {}],
    ['mode', { mode: 'plan' }],
    ['rules', { deny: ['Bash(echo *)'] }],
  ])('is 404 at the session door `%s`', async (name, body) => {
    const { gateway, agentKey: key } = house.endpoints;
    const act = () => send(`${gateway}/v1/sessions/${randomUUID()}/${name}`, { key, body });
    expect(await amongGoodOnes('POST /v1/tool-calls', act)).toMatchObject({
      status: 404,
      body: { error: { code: 'session.unknown' } },
    });
  });

  it('is 404 as a parent and at the approver', async () => {
    const { gateway, console: approver, agentKey, approverKey } = house.endpoints;
    const opened = await send(`${gateway}/v1/sessions`, {
      key: agentKey,
      body: { agent: 'x', parentId: randomUUID() },
    });
    expect(opened).toMatchObject({ status: 404, body: { error: { code: 'session.unknown' } } });
    expect((await send(`${approver}/v1/sessions/${randomUUID()}`, { key: approverKey })).status).toBe(404);
  });
});

describe.each(DOOR_NAMES)('a tool-use id that was used before, at %s', (door) => {
  it('is a recorded deny with other arguments or another tool, and the same answer with the same ones', async () => {
    const wish = { sessionId: `reused ${door}`, toolUseId: 'toolu_1' };
    expect(toldBy(door, await DOORS[door](bash('echo one'), wish))).toBe('allow');
    const other = await amongGoodOnes(door, () => DOORS[door](bash('echo two'), wish));
    expect(toldBy(door, other)).toBe('deny');
    const tool = await DOORS[door](bash('echo one'), { ...wish, tool: 'mcp__notes__add' });
    expect(toldBy(door, tool)).toBe('deny');
    expect(toldBy(door, await DOORS[door](bash('echo one'), wish))).toBe('allow');
    const decisions = await decisionsOf(wish.sessionId);
    expect(decisions.map(({ decision, ruleId }) => [decision, ruleId])).toEqual([
      ['deny', 'call.id_reused'],
      ['deny', 'call.id_reused'],
      ['allow', expect.stringMatching(/./)],
    ]);
  });
});

describe('a wrong key', () => {
  const wrong = { key: 'cs_agent_that_nobody_made', sessionId: 'wrong key' };

  it('is 401 at the doors, and a refusal in the agent’s own form at the hook', async () => {
    const answer = await amongGoodOnes('POST /v1/tool-calls', () =>
      DOORS['POST /v1/tool-calls'](bash('echo hi'), wrong),
    );
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'auth.unknown_key' } } });
    const hook = 'POST /hooks/claude-code';
    expect(toldBy(hook, await amongGoodOnes(hook, () => DOORS[hook](bash('echo hi'), wrong)))).toBe('deny');
    const { approverKey: key } = house.endpoints;
    expect(toldBy(hook, await DOORS[hook](bash('echo hi'), { ...wrong, key }))).toBe('deny');
    expect((await DOORS['POST /v1/tool-calls'](bash('echo hi'), { ...wrong, key })).status).toBe(403);
    expect(await decisionsOf('wrong key')).toEqual([]);
  });
});

describe('another tenant’s ids', () => {
  it('are not there', async () => {
    const sessionId = 'mine alone';
    const mine = await DOORS['POST /v1/tool-calls'](bash('make it'), { sessionId, wait: 0 });
    const { id, askId } = mine.body;
    await ledger.tenants.ensure({ id: 'neighbour', name: 'Neighbour' });
    const made = (role: 'agent' | 'admin') => ledger.keys.create({ tenantId: 'neighbour', role, by: 'test' });
    const [{ secret: agent }, { secret: admin }] = await Promise.all([made('agent'), made('admin')]);
    const { gateway, console: approver } = house.endpoints;
    const attempts = [
      () => send(`${gateway}/v1/tool-calls/${id}`, { key: agent }),
      () => send(`${gateway}/v1/tool-calls/${id}/result`, { key: agent, body: { status: 'succeeded' } }),
      () => send(`${gateway}/v1/sessions/${encodeURIComponent(sessionId)}/cancel`, { key: agent, body: {} }),
      () => send(`${approver}/v1/asks/${askId}`, { key: admin }),
      () => send(`${approver}/v1/asks/${askId}/answer`, { key: admin, body: { answer: 'approve' } }),
    ];
    const answers = await Promise.all(attempts.map((attempt) => amongGoodOnes('POST /v1/tool-calls', attempt)));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    const { agentKey: key } = house.endpoints;
    expect((await send(`${gateway}/v1/tool-calls/${id}`, { key })).body.decision).toBe('pending');
  });
});

describe('an ask that expired', () => {
  it('is 410 for whoever answers, and denied to whoever waits', async () => {
    const key = await keyUnder('brief', { ...POLICY, askTimeout: { after: 1, outcome: 'deny' } });
    for (const door of DOOR_NAMES) {
      const sessionId = `expires ${door}`;
      const told = await amongGoodOnes(door, () => DOORS[door](bash('make it'), { sessionId, key }));
      expect(toldBy(door, told)).toBe('deny');
      const [ended] = await decisionsOf(sessionId);
      expect(ended).toMatchObject({ decision: 'deny', body: { decision: { approvalStatus: 'expired' } } });
      const late = () => answerAsk(house.approver, ended?.askId ?? '', 'approve');
      expect(await amongGoodOnes(door, late)).toMatchObject({ status: 410, body: { error: { code: 'ask.expired' } } });
      const refused = await eventsOf(house.auditor, `session=${encodeURIComponent(sessionId)}&type=AskAnswerRefused`);
      expect(refused).toHaveLength(1);
    }
  });
});

it('a client that offers HTTP/2 on its own is answered at every door, also when the answer takes a while', async () => {
  const { gateway, console: page, agentKey } = house.endpoints;
  const offer = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQAoAAAAAIAAAAA' };
  const sent = (url: string, body?: object): Promise<{ status: number | undefined; text: string }> =>
    new Promise((resolve, reject) => {
      const headers = { ...offer, Authorization: `Bearer ${agentKey}`, 'Content-Type': 'application/json' };
      const going = request(url, { method: body === undefined ? 'GET' : 'POST', headers }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
      going.on('error', reject);
      going.end(body === undefined ? undefined : JSON.stringify(body));
    });
  for (const url of [gateway, page]) expect(await sent(`${url}/healthz`)).toMatchObject({ status: 200 });
  const call = { sessionId: 'offers', toolUseId: 'o1', tool: 'Bash', args: { command: 'make it' }, wait: 2 };
  const { status, text } = await sent(`${gateway}/v1/tool-calls`, call);
  expect({ status, ...(JSON.parse(text) as object) }).toMatchObject({ status: 200, decision: 'pending' });
});

it('leaves chains that hold', async () => {
  const verified = await send(`${house.endpoints.console}/v1/verify`, { key: house.endpoints.auditorKey });
  expect(verified).toMatchObject({ status: 200, body: { problems: [] } });
});

/** An agent's key that is bound to a policy of its own, both made as an administrator makes them. */
async function keyUnder(name: string, policy: PolicyInput): Promise<string> {
  const { console: approver, adminKey: key } = house.endpoints;
  const published = await send(`${approver}/v1/policies/${name}`, { method: 'PUT', key, body: policy });
  const made = await send(`${approver}/v1/keys`, { key, body: { role: 'agent', policy: name } });
  expect([published.status, made.status]).toEqual([200, 201]);
  return String(made.body['secret']);
}
