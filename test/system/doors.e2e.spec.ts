/** Every door of the house: closed without a key and to the wrong roles, open to the right ones, and blind to another tenant's ids. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DOORS, ROLES, type Door, type Role } from '@countersign/contracts';
import { openAsks, send, type Answer } from './doors.js';
import { OwnHouse } from './own-house.js';

jest.setTimeout(60_000);

/** Things of one tenant that doors name: `fresh` ones, since what is cancelled or answered stays so. */
interface Things {
  readonly sessionId: string;
  readonly callId: string;
  readonly askId: string;
  readonly personId: string;
  readonly keyId: string;
  readonly policy: string;
  /** Only for the doors that name one. */
  readonly killId: string;
  readonly permit: string;
}

interface Probe {
  readonly path: (things: Things) => string;
  readonly body?: (things: Things) => unknown;
  /** Of a door that names no id in its path: what another tenant must not find in the answer, or reach through it. */
  readonly foreign?: 'not listed' | 'not found' | 'own only';
  /** Status for whoever may use the door; 200 or 201 unless given. */
  readonly usual?: number;
}

const at = (path: string, more: Omit<Probe, 'path'> = {}): Probe => ({ path: () => path, ...more });
const onSession = (name: string, body: object): Probe => ({
  path: ({ sessionId }) => `/v1/sessions/${sessionId}/${name}`,
  body: () => body,
});
const call = (sessionId: string) => ({
  sessionId,
  toolUseId: randomUUID(),
  tool: 'Bash',
  args: { command: 'make it' },
  wait: 0,
});

/** Read-only, so it runs unasked. */
const ALLOWED = { command: 'echo hi' };
/** Freezes what nobody uses. */
const unusedTool = () => ({ scope: 'tool', value: `Unused-${randomUUID()}`, reason: 'probe' });

/** `METHOD path` of the table -> how to knock so that only key, role and ownership can be what closes the door. */
const PROBES: Readonly<Record<string, Probe>> = {
  'POST /v1/sessions': at('/v1/sessions', {
    body: ({ sessionId }) => ({ agent: 'prober', parentId: sessionId }),
    foreign: 'not found',
  }),
  'POST /v1/tool-calls': at('/v1/tool-calls', { body: ({ sessionId }) => call(sessionId), foreign: 'own only' }),
  'GET /v1/tool-calls/:id': { path: ({ callId }) => `/v1/tool-calls/${callId}` },
  // Nothing was reported of the call yet.
  'GET /v1/tool-calls/:id/output': { path: ({ callId }) => `/v1/tool-calls/${callId}/output`, usual: 404 },
  'POST /v1/tool-calls/:id/result': {
    path: ({ callId }) => `/v1/tool-calls/${callId}/result`,
    body: () => ({ status: 'failed', error: 'not run' }),
  },
  'POST /v1/sessions/:id/cancel': onSession('cancel', {}),
  'POST /v1/sessions/:id/stop': onSession('stop', {}),
  'POST /v1/sessions/:id/mode': onSession('mode', { mode: 'plan' }),
  'POST /v1/sessions/:id/rules': onSession('rules', { deny: ['Bash(dd *)'] }),
  'POST /v1/permits/redeem': at('/v1/permits/redeem', {
    body: ({ permit }) => ({ permit, args: ALLOWED }),
    foreign: 'not found',
  }),
  'GET /v1/sessions/:id/stream': { path: ({ sessionId }) => `/v1/sessions/${sessionId}/stream?follow=false` },
  'GET /v1/sessions/:id/metrics': { path: ({ sessionId }) => `/v1/sessions/${sessionId}/metrics` },
  'GET /v1/agent-audit-log': { path: ({ sessionId }) => `/v1/agent-audit-log?session=${sessionId}` },
  'GET /v1/channels': at('/v1/channels', { foreign: 'not listed' }),
  'GET /v1/kill-switches': at('/v1/kill-switches?limit=500', { foreign: 'not listed' }),
  'POST /v1/kill-switches': at('/v1/kill-switches', { body: () => unusedTool(), foreign: 'own only' }),
  'GET /v1/kill-switches/:id': { path: ({ killId }) => `/v1/kill-switches/${killId}` },
  'POST /v1/kill-switches/:id/release': {
    path: ({ killId }) => `/v1/kill-switches/${killId}/release`,
    body: () => ({}),
  },
  'POST /v1/tool-calls/batch': at('/v1/tool-calls/batch', {
    body: ({ sessionId }) => ({ sessionId, wait: 0, calls: [{ toolUseId: randomUUID(), tool: 'Bash', args: {} }] }),
    foreign: 'own only',
  }),
  'POST /v1/sessions/:id/mode/next': onSession('mode/next', {}),
  'GET /v1/sessions/:id/rules': { path: ({ sessionId }) => `/v1/sessions/${sessionId}/rules` },
  'POST /v1/sessions/:id/limits': onSession('limits', { silent: true }),
  'POST /v1/sessions/:id/steps': onSession('steps', { step: 1 }),
  'POST /v1/sessions/:id/usage': onSession('usage', { tokens: 1 }),
  'POST /v1/sessions/:id/prompts': onSession('prompts', { text: 'go on' }),
  'POST /v1/sessions/:id/compactions': onSession('compactions', { phase: 'post', ok: true }),
  'POST /v1/policies/analyse': at('/v1/policies/analyse', { body: ({ policy }) => ({ policy }), foreign: 'not found' }),
  'POST /v1/policies/simulate': at('/v1/policies/simulate', {
    body: ({ policy }) => ({ policy, calls: [{ tool: 'Bash', args: { command: 'ls' } }] }),
    foreign: 'not found',
  }),
  'POST /v1/sessions/:id/reset-breaker': onSession('reset-breaker', {}),
  'GET /sign-in/session': at('/sign-in/session', { foreign: 'own only' }),
  'POST /sign-out': at('/sign-out', { body: () => ({}), foreign: 'own only' }),
  'GET /v1/asks': at('/v1/asks?status=all&limit=500', { foreign: 'not listed' }),
  'GET /v1/asks/:id': { path: ({ askId }) => `/v1/asks/${askId}` },
  'POST /v1/asks/:id/answer': {
    path: ({ askId }) => `/v1/asks/${askId}/answer`,
    body: () => ({ answer: 'approve' }),
  },
  'GET /v1/grants': at('/v1/grants?limit=500', { foreign: 'not listed' }),
  'POST /v1/grants': at('/v1/grants', {
    body: () => ({ pattern: `Bash(probe-${randomUUID()} *)`, uses: 1 }),
    foreign: 'own only',
  }),
  // Nobody has this grant: whoever may take it away is told so.
  'DELETE /v1/grants/:id': at('/v1/grants/grant_that_nobody_made', { usual: 404 }),
  'GET /v1/sessions': at('/v1/sessions?limit=500', { foreign: 'not listed' }),
  'GET /v1/sessions/:id': { path: ({ sessionId }) => `/v1/sessions/${sessionId}` },
  'GET /v1/events': {
    path: ({ sessionId }) => `/v1/events?limit=500&session=${sessionId}&type=SessionStarted`,
    foreign: 'not listed',
  },
  'GET /v1/verify': at('/v1/verify', { foreign: 'not listed' }),
  // The role alone is not enough: the keys of a home do not have the right.
  'GET /v1/tool-calls/:id/original': { path: ({ callId }) => `/v1/tool-calls/${callId}/original`, usual: 403 },
  'GET /admin/queues': at('/admin/queues', { foreign: 'not listed' }),
  'GET /admin/queues/*': at('/admin/queues/api/queues?status=waiting', { foreign: 'not listed' }),
  'GET /v1/people': at('/v1/people', { foreign: 'not listed' }),
  'POST /v1/people': at('/v1/people', { body: () => ({ name: `Prober ${randomUUID()}` }), foreign: 'own only' }),
  'POST /v1/people/:id/keys': { path: ({ personId }) => `/v1/people/${personId}/keys`, body: () => ({}) },
  'POST /v1/people/:id/identities': {
    path: ({ personId }) => `/v1/people/${personId}/identities`,
    body: () => ({ provider: 'email', externalId: `${randomUUID()}@example.com` }),
  },
  // Nobody has this identity: whoever may take it away is told so.
  'DELETE /v1/people/:id/identities/:provider/:externalId': {
    path: ({ personId }) => `/v1/people/${personId}/identities/slack/T1:U1`,
    usual: 404,
  },
  'POST /v1/keys': at('/v1/keys', {
    body: ({ policy }) => ({ role: 'agent', policy }),
    foreign: 'not found',
  }),
  'DELETE /v1/keys/:id': { path: ({ keyId }) => `/v1/keys/${keyId}` },
  'GET /v1/policies/:name': { path: ({ policy }) => `/v1/policies/${policy}` },
  'PUT /v1/policies/:name': {
    path: ({ policy }) => `/v1/policies/${policy}`,
    body: () => ({ deny: ['Bash(dd *)'] }),
    foreign: 'own only',
  },
};

/** What whoever may use the door is answered. */
const usualOf = (name: string): readonly number[] => {
  const usual = PROBES[name]?.usual;
  return usual === undefined ? [200, 201] : [usual];
};
const nameOf = ({ method, path }: Door): string => `${method} ${path}`;
const KEYED = DOORS.filter(({ roles }) => roles.length > 0);
const OPEN = DOORS.filter(({ roles }) => roles.length === 0);
/** They check by themselves who knocks, or hold nothing that is not public. */
const OPEN_DOORS = [
  'GET /channels/email/answer',
  'GET /metrics',
  'GET /v1/permits/keys',
  'POST /channels/email/answer',
  'POST /channels/slack/interactions',
  'POST /channels/webhook/answers',
  'POST /hooks/:agent',
  'POST /sign-in',
];

type Keys = Readonly<Record<Role, string>>;

let house: OwnHouse;
let ours: Keys;
let theirs: Keys;
beforeAll(async () => {
  house = await OwnHouse.open();
  const { agentKey, approverKey, auditorKey, adminKey } = house.endpoints;
  ours = { agent: agentKey, approver: approverKey, auditor: auditorKey, admin: adminKey };
  theirs = await makeNeighbour();
}, 180_000);
afterAll(() => house?.close(), 60_000);

/** No door makes a tenant, so the ledger does. */
async function makeNeighbour(): Promise<Keys> {
  const ledger = await house.openLedger();
  try {
    await ledger.tenants.ensure({ id: 'neighbour', name: 'Neighbour' });
    const make = async (role: Role) =>
      [
        role,
        (await ledger.keys.create({ tenantId: 'neighbour', role, rights: ['originals.read'], by: 'test' })).secret,
      ] as const;
    return Object.fromEntries(await Promise.all(ROLES.map(make))) as unknown as Keys;
  } finally {
    await ledger.close();
  }
}

const baseOf = ({ app }: Door): string => (app === 'gateway' ? house.endpoints.gateway : house.endpoints.console);

function knock(door: Door, key: string | null, things: Things): Promise<Answer> {
  const probe = PROBES[nameOf(door)];
  if (probe === undefined) throw new Error(`no probe for ${nameOf(door)}: add one`);
  const body = probe.body?.(things);
  return send(baseOf(door) + probe.path(things), { method: door.method, key, ...(body === undefined ? {} : { body }) });
}

/** One of each thing, made through our own tenant's doors; `name`: of the door that they are for. */
async function makeThings(name = ''): Promise<Things> {
  const { gateway, console: approver } = house.endpoints;
  const sessionId = randomUUID();
  const policy = `policy-${sessionId}`;
  const put = { method: 'PUT', key: ours.admin, body: {} };
  const [pending, person, key, published, killId, permit] = await Promise.all([
    send(`${gateway}/v1/tool-calls`, { key: ours.agent, body: call(sessionId) }),
    send(`${approver}/v1/people`, { key: ours.admin, body: { name: `Person ${sessionId}` } }),
    send(`${approver}/v1/keys`, { key: ours.admin, body: { role: 'agent' } }),
    send(`${approver}/v1/policies/${policy}`, put),
    makeKill(name),
    makePermit(name),
  ]);
  expect([pending.body.decision, person.status, key.status, published.status]).toEqual(['pending', 201, 201, 200]);
  const { id: callId = '', askId = '' } = pending.body;
  const ids = { sessionId, callId, askId, personId: String(person.body.id), keyId: String(key.body['keyId']), policy };
  return { ...ids, killId, permit };
}

/** A tenant has a limited number of them, so only for doors that name one. */
async function makeKill(name: string): Promise<string> {
  if (!name.includes('/kill-switches/:id')) return '';
  const url = `${house.endpoints.console}/v1/kill-switches`;
  return String((await send(url, { key: ours.approver, body: unusedTool() })).body.id);
}

async function makePermit(name: string): Promise<string> {
  if (!name.includes('/permits/')) return '';
  const body = { ...call(randomUUID()), args: ALLOWED, permit: true };
  const allowed = await send(`${house.endpoints.gateway}/v1/tool-calls`, { key: ours.agent, body });
  expect(allowed.body.decision).toBe('allow');
  return String(allowed.body['permit']);
}

/** Everything of ours that somebody else could have changed. */
async function snapshot({ sessionId, callId, askId, personId, policy }: Things): Promise<unknown> {
  const { gateway, console: approver } = house.endpoints;
  const reads = await Promise.all([
    send(`${approver}/v1/sessions/${sessionId}`, { key: ours.admin }),
    send(`${approver}/v1/asks/${askId}`, { key: ours.admin }),
    send(`${approver}/v1/policies/${policy}`, { key: ours.admin }),
    send(`${gateway}/v1/tool-calls/${callId}`, { key: ours.agent }),
    send(`${approver}/v1/people`, { key: ours.admin }),
  ]);
  expect(reads.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const people = (reads[4]?.body['items'] as { id: string }[]).filter(({ id }) => id === personId);
  const document = reads[2]?.body['document'];
  return [reads[0]?.body, reads[1]?.body, document, reads[3]?.body, people];
}

it('has a probe for every door, and a door for every probe', () => {
  expect(Object.keys(PROBES).sort()).toEqual(KEYED.map(nameOf).sort());
  expect([...new Set(OPEN.map(nameOf))].sort()).toEqual(OPEN_DOORS);
});

it('is told, at every door that is read, of a parameter that the door does not know', async () => {
  const read = KEYED.filter(({ method, path }) => method === 'GET' && path.startsWith('/v1/'));
  const things = await makeThings('/kill-switches/:id');
  const answers = read.map(async (door) => {
    const path = PROBES[nameOf(door)]?.path(things) ?? '';
    const url = `${baseOf(door)}${path}${path.includes('?') ? '&' : '?'}sesion=x`;
    const { status, body } = await send(url, { key: ours[door.roles[0] ?? 'admin'] });
    return { door: nameOf(door), status, body };
  });
  const problems = [{ path: 'sesion', message: expect.stringContaining('is no known parameter: this door takes ') }];
  expect(await Promise.all(answers)).toEqual(
    read.map((door) => ({
      door: nameOf(door),
      status: 400,
      body: { error: expect.objectContaining({ code: 'request.invalid', details: { problems } }) },
    })),
  );
});

describe.each(KEYED.map((door) => [nameOf(door), door] as const))('%s', (name, door) => {
  // Whoever is refused changes nothing, so all of them knock on the same things, which the last test finds as they were at first.
  let closed: Things;
  let before: unknown;
  beforeAll(async () => {
    closed = await makeThings(name);
    before = await snapshot(closed);
  });

  it('is 401 without a key and with one that nobody made', async () => {
    expect(await knock(door, null, closed)).toMatchObject({ status: 401, body: { error: { code: 'auth.missing' } } });
    expect(await knock(door, 'cs_admin_that_nobody_made', closed)).toMatchObject({
      status: 401,
      body: { error: { code: 'auth.unknown_key' } },
    });
  });

  it.each(ROLES)(`for the role %s`, async (role) => {
    if (door.roles.includes(role)) {
      const answer = await knock(door, ours[role], await makeThings(name));
      expect(usualOf(name)).toContain(answer.status);
      return;
    }
    expect(await knock(door, ours[role], closed)).toMatchObject({
      status: 403,
      body: { error: { code: 'auth.wrong_role' } },
    });
  });

  it('knows nothing of another tenant', async () => {
    const kind = PROBES[name]?.foreign ?? 'not found';
    for (const role of door.roles) {
      const answer = await knock(door, theirs[role], closed);
      if (kind === 'not found') expect([role, answer.status]).toEqual([role, 404]);
      else expect([200, 201]).toContain(answer.status);
      expect(mentions(answer, closed)).toEqual([]);
    }
  });

  it('has changed nothing for whom it is closed to', async () => {
    expect(await snapshot(closed)).toEqual(before);
  });
});

/** Ids of ours that stand in an answer; the session id and the policy's name are what the stranger said. */
function mentions({ body }: Answer, { callId, askId, personId, keyId }: Things): string[] {
  const text = JSON.stringify(body);
  return [callId, askId, personId, keyId].filter((id) => text.includes(id));
}

describe('doors that need no key', () => {
  it('POST /hooks/:agent answers 200 and refuses every key but an agent’s', async () => {
    const hook = {
      session_id: randomUUID(),
      cwd: '/tmp',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_use_id: 'toolu_1',
    };
    const url = `${house.endpoints.gateway}/hooks/claude-code`;
    for (const key of [null, 'cs_agent_nobody', ours.approver, ours.auditor, ours.admin]) {
      expect(await send(url, { key, body: hook })).toMatchObject({
        status: 200,
        body: { hookSpecificOutput: { permissionDecision: 'deny' } },
      });
    }
    expect((await send(`${house.endpoints.gateway}/hooks/nobody`, { key: ours.agent, body: hook })).status).toBe(200);
    const stream = await send(`${house.endpoints.console}/v1/sessions/${hook.session_id}`, { key: ours.admin });
    expect(stream.status).toBe(404);
  });

  it('GET /v1/permits/keys gives public keys and nothing private', async () => {
    const { status, body } = await send(`${house.endpoints.gateway}/v1/permits/keys`, { key: null });
    expect([status, Object.keys(body)]).toEqual([200, ['keys']]);
    const keys = body['keys'] as Record<string, string>[];
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x']]);
  });

  it('channels take nothing that is not signed, whoever knocks', async () => {
    const base = `${house.endpoints.console}/channels`;
    for (const key of [null, ...ROLES.map((role) => ours[role])]) {
      for (const name of ['slack/interactions', 'webhook/answers']) {
        expect((await send(`${base}/${name}`, { key, body: { askId: 'ask_1', answer: 'approve' } })).status).toBe(401);
      }
      const at = `${base}/email/answer?t=made.up`;
      expect((await fetch(at, { headers: key === null ? {} : { authorization: `Bearer ${key}` } })).status).toBe(404);
      expect((await fetch(at, { method: 'POST', body: 't=made.up&answer=approve' })).status).toBe(404);
    }
  });

  it('POST /sign-in takes keys of approvers and admins only', async () => {
    const signIn = (body: object) => send(`${house.endpoints.console}/sign-in`, { key: null, body });
    const keys = ROLES.map(async (role) => (await signIn({ key: ours[role] })).status);
    expect(await Promise.all(keys)).toEqual([403, 200, 403, 200]);
    expect((await signIn({ key: 'cs_admin_nobody' })).status).toBe(401);
    expect((await signIn({ code: 'made-up' })).status).toBe(401);
    expect((await signIn({})).status).toBe(400);
  });
});

describe('what is no door', () => {
  it.each([
    ['GET', '/v1/nothing'],
    ['POST', '/v1/asks'],
    ['DELETE', '/v1/events'],
    ['GET', '/v1/tool-calls'],
  ])('%s %s is refused at both apps, whoever knocks', async (method, path) => {
    for (const base of [house.endpoints.gateway, house.endpoints.console]) {
      for (const key of [null, ours.admin]) {
        const { status } = await send(base + path, { method, key });
        expect([401, 404, 405]).toContain(status);
      }
    }
  });

  it('each app serves its own doors only', async () => {
    const things = await makeThings();
    for (const door of KEYED) {
      const other = { ...door, app: door.app === 'gateway' ? ('approver' as const) : ('gateway' as const) };
      const served = DOORS.some((one) => one.app === other.app && nameOf(one) === nameOf(door));
      if (served) continue;
      const { status } = await knock(other, ours.admin, things);
      expect([404, 405]).toContain(status);
    }
  });
});

it('leaves no ask of the neighbour on our list', async () => {
  const sessionId = randomUUID();
  const asked = await send(`${house.endpoints.gateway}/v1/tool-calls`, { key: theirs.agent, body: call(sessionId) });
  expect(asked.status).toBe(200);
  expect((await openAsks(house.approver)).filter((ask) => ask.sessionId === sessionId)).toEqual([]);
});
