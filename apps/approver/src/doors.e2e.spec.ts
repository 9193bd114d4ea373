/** Every door of the approver: who may use it, whose things it shows, and what it keeps. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DOORS, type Door } from '@countersign/contracts';
import { openApprovers, type Approvers } from './testing/approvers.js';
import { send } from './testing/doors.js';

let house: Approvers;
let url: string;
const keys: Record<'agent' | 'approver' | 'auditor' | 'admin', string> = {
  agent: '',
  approver: '',
  auditor: '',
  admin: '',
};

beforeAll(async () => {
  house = await openApprovers(1);
  [url = ''] = house.urls;
  keys.agent = await house.agentKey();
  keys.approver = (await house.person('Ann')).key;
  keys.auditor = (await house.person('Audrey', 'auditor')).key;
  keys.admin = (await house.person('Ada', 'admin')).key;
}, 60_000);
afterAll(() => house.close());

const OURS = DOORS.filter((door) => door.app === 'approver' && door.roles.length > 0);
const knock = (door: Door, key: string | null) =>
  send(url + door.path.replace(':id', 'nobody').replace(':name', 'nothing'), key, {
    method: door.method,
    ...(door.method === 'POST' || door.method === 'PUT' ? { body: {} } : {}),
  });

describe('the role table', () => {
  it.each(OURS.map((door) => [`${door.method} ${door.path}`, door] as const))('%s', async (_name, door) => {
    expect((await knock(door, null)).body.error.code).toBe('auth.missing');
    expect((await knock(door, 'cs_admin_nobody')).body.error.code).toBe('auth.unknown_key');
    for (const role of ['agent', 'approver', 'auditor', 'admin'] as const) {
      const { status, body } = await knock(door, keys[role]);
      const refused = status === 403 && body.error.code === 'auth.wrong_role';
      expect([role, refused]).toEqual([role, !door.roles.includes(role)]);
    }
  });

  it('opens no door of the approver to an agent', () => {
    expect(OURS.filter((door) => door.roles.includes('agent'))).toEqual([]);
  });
});

describe('another tenant', () => {
  it('is not there', async () => {
    const theirs = await house.ask({ tenantId: 'other' });
    const stranger = await house.person('Zed', 'admin', 'other');
    const strangersKey = await house.ledger.keys.create({ tenantId: 'other', role: 'agent', by: 'test' });
    const admin = keys.admin;
    const body = { answer: 'approve' };
    expect((await send(`${url}/v1/asks/${theirs.askId}`, admin)).body.error.code).toBe('ask.unknown');
    expect((await send(`${url}/v1/asks/${theirs.askId}/answer`, admin, { body })).body.error.code).toBe('ask.unknown');
    expect((await send(`${url}/v1/sessions/${theirs.sessionId}`, admin)).body.error.code).toBe('session.unknown');
    expect((await send(`${url}/v1/people/${stranger.personId}/keys`, admin, { body: {} })).body.error.code).toBe(
      'person.unknown',
    );
    const revoke = await send(`${url}/v1/keys/${strangersKey.key.keyId}`, admin, { method: 'DELETE' });
    expect(revoke.body.error.code).toBe('key.unknown');
    expect((await send(`${url}/v1/events?call=${theirs.callId}`, keys.auditor)).body.items).toEqual([]);
    expect((await house.ledger.asks.get('other', theirs.askId))?.status).toBe('open');
  });
});

describe('asks', () => {
  it('lists them newest first in stable pages, with a version that grows', async () => {
    const made = [await house.ask(), await house.ask(), await house.ask()].map(({ askId }) => askId);
    const first = (await send(`${url}/v1/asks?status=open&limit=2`, keys.approver)).body;
    expect(first.items.map((ask: { id: string }) => ask.id)).toEqual([made[2], made[1]]);
    await house.ask();
    const second = (await send(`${url}/v1/asks?status=open&limit=2&cursor=${first.next}`, keys.approver)).body;
    expect(second.items[0].id).toBe(made[0]);
    expect(second.version > first.version).toBe(true);
    expect((await send(`${url}/v1/asks?limit=0`, keys.approver)).status).toBe(400);
    expect((await send(`${url}/v1/asks?status=some`, keys.approver)).status).toBe(400);
  });

  it('lists those that ended by their end, the latest first, and those of one status', async () => {
    const [early, late] = [await house.ask(), await house.ask()];
    const answer = (askId: string, word: string) =>
      send(`${url}/v1/asks/${askId}/answer`, keys.approver, { body: { answer: word } });
    await answer(late.askId, 'approve');
    await answer(early.askId, 'reject');
    await house.ask();
    const list = async (query: string) => (await send(`${url}/v1/asks?${query}`, keys.approver)).body;
    const ids = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);
    const first = await list('status=ended&limit=1');
    expect(ids(first)).toEqual([early.askId]);
    expect(ids(await list(`status=ended&limit=1&cursor=${first.next}`))).toEqual([late.askId]);
    expect(ids(await list('status=rejected&limit=1'))).toEqual([early.askId]);
    expect(ids(await list('status=approved&limit=1'))).toEqual([late.askId]);
    expect((await list('status=all&limit=1')).items[0]).toMatchObject({ status: 'open' });
  });

  it('shows a child session under its root', async () => {
    const root = await house.ask({ sessionId: 'root-session' });
    const child = await house.ask({ sessionId: 'child-session', parentId: root.sessionId });
    const { body } = await send(`${url}/v1/asks/${child.askId}`, keys.approver);
    expect(body.path).toEqual(['root-session', 'child-session']);
  });
});

describe('people and keys', () => {
  it('adds a person with a key that works until it is revoked', async () => {
    const person = await send(`${url}/v1/people`, keys.admin, { body: { name: 'Cleo', groups: ['ops'] } });
    expect(person).toMatchObject({ status: 201, body: { name: 'Cleo', roles: ['approver'] } });
    expect((await send(`${url}/v1/people`, keys.admin, { body: { name: 'Cleo' } })).body.error.code).toBe(
      'person.exists',
    );
    const made = await send(`${url}/v1/people/${person.body.id}/keys`, keys.admin, { body: {} });
    expect(made.status).toBe(201);
    expect(made.body.secret).toMatch(/^cs_approver_/);
    expect((await send(`${url}/v1/asks`, made.body.secret)).status).toBe(200);
    const more = await send(`${url}/v1/people/${person.body.id}/keys`, keys.admin, { body: { role: 'admin' } });
    expect(more.status).toBe(400);
    expect((await send(`${url}/v1/keys/${made.body.keyId}`, keys.admin, { method: 'DELETE' })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await send(`${url}/v1/asks`, made.body.secret)).status).toBe(401);
    const listed = (await send(`${url}/v1/people`, keys.admin)).body;
    expect(JSON.stringify(listed)).not.toContain('cs_');
  });

  it('takes no names that hide or turn around the text beside them', async () => {
    for (const name of ['a\u202eb', 'a\nb', 'a\u0000', 'a\u2066']) {
      expect((await send(`${url}/v1/people`, keys.admin, { body: { name } })).status).toBe(400);
      const key = { role: 'agent', label: name };
      expect((await send(`${url}/v1/keys`, keys.admin, { body: key })).status).toBe(400);
    }
    expect((await send(`${url}/v1/people`, keys.admin, { body: { name: 'Zoë O’Hara 李' } })).status).toBe(201);
  });

  it('makes agent keys bound to a policy that exists', async () => {
    const body = { role: 'agent', label: 'builder', policy: 'no such policy' };
    expect((await send(`${url}/v1/keys`, keys.admin, { body })).body.error.code).toBe('policy.unknown');
    const made = await send(`${url}/v1/keys`, keys.admin, { body: { role: 'agent', roots: ['/srv/app'] } });
    expect(made.body).toMatchObject({
      role: 'agent',
      roots: ['/srv/app'],
      secret: expect.stringMatching(/^cs_agent_/),
    });
    expect((await send(`${url}/v1/keys`, keys.admin, { body: { role: 'agent', roots: ['app'] } })).status).toBe(400);
  });
});

describe('policies', () => {
  it('publishes what compiles, raising the epoch, and refuses the rest', async () => {
    const put = (body: unknown) => send(`${url}/v1/policies/strict`, keys.admin, { method: 'PUT', body });
    expect((await send(`${url}/v1/policies/strict`, keys.admin)).body.error.code).toBe('policy.unknown');
    const before = (await house.ledger.tenants.get('acme'))!.epoch;
    expect(await put({ deny: ['Bash(rm *)'] })).toMatchObject({ status: 200, body: { version: 1 } });
    expect((await house.ledger.tenants.get('acme'))!.epoch).toBe(before + 1);
    expect(await put({ deny: ['Bash(rm *)', 'Bash(dd *)'] })).toMatchObject({ status: 200, body: { version: 2 } });
    const bad = await put({ denny: [] });
    expect(bad).toMatchObject({
      status: 422,
      body: { error: { code: 'policy.invalid', details: { problems: expect.any(Array) } } },
    });
    const { body } = await send(`${url}/v1/policies/strict`, keys.auditor);
    expect(body).not.toHaveProperty('warnings');
    expect(body).toMatchObject({ name: 'strict', version: 2, document: { preset: 'standard' } });
    const { items } = await house.ledger.events.list('acme', { type: 'PolicyPublished' });
    const ours = items.filter(({ body: event }) => (event as { name: string }).name === 'strict');
    expect(ours.map(({ body: event }) => (event as { version: number }).version)).toEqual([2, 1]);
  });
});

describe('publishing', () => {
  it.each(['%40tenant', 'a%00', 'a%0Ab', '..%2F..', '.hidden', 'a'.repeat(65)])(
    'knows no policy named %s',
    async (name) => {
      const path = `${url}/v1/policies/${name}`;
      expect((await send(path, keys.admin, { method: 'PUT', body: {} })).body.error.code).toBe('request.invalid');
      expect((await send(path, keys.admin)).body.error.code).toBe('policy.unknown');
    },
  );

  it('warns of rules that never take effect, and of forms of old', async () => {
    const body = { deny: ['Bash(git push *)', 'Bash(rm:*)'], allow: ['Bash(git push --tags)'] };
    const answer = await send(`${url}/v1/policies/warned`, keys.admin, { method: 'PUT', body });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        version: 1,
        warnings: [
          { kind: 'note', place: 'deny.1' },
          { kind: 'shadowed', place: 'allow.0', fix: expect.any(String) },
        ],
      },
    });
    const quiet = { method: 'PUT', body: { allow: ['Bash(npm test)'] } } as const;
    expect((await send(`${url}/v1/policies/quiet`, keys.admin, quiet)).body.warnings).toEqual([]);
  });

  it('takes a tenant’s own tools, and refuses those that cannot be read', async () => {
    const put = (tools: unknown) => send(`${url}/v1/policies/tools`, keys.admin, { method: 'PUT', body: { tools } });
    const tool = { name: 'deploy', kind: 'command', keyArg: 'script', interrupt: 'block' };
    expect(await put([tool])).toMatchObject({ status: 200, body: { document: { tools: [tool] } } });
    const wrong = await put([{ ...tool, interupt: 'block' }]);
    expect(wrong.status).toBe(422);
    expect(wrong.body.error.details.problems[0].path).toMatch(/^tools\.0/);
  });
});

describe('the log', () => {
  it('answers who decided what, and records that it was read', async () => {
    const { askId, callId, sessionId } = await house.ask({
      tool: 'WebFetch',
      args: { url: 'https://example.com/', prompt: 'sum it up' },
    });
    const answered = await send(`${url}/v1/asks/${askId}/answer`, keys.approver, { body: { answer: 'approve' } });
    expect(answered).toMatchObject({ status: 200 });
    const ask = (query: string) => send(`${url}/v1/events?${query}`, keys.auditor);
    const { body } = await ask(`session=${sessionId}&tool=WebFetch&decision=allow`);
    expect(body.items).toMatchObject([{ type: 'ToolCallDecided', callId, channel: 'web' }]);
    expect((await ask(`call=${callId}&type=AskOpened`)).body.items).toHaveLength(1);
    expect((await ask('from=yesterday')).status).toBe(400);
    const reads = (await ask('type=LogRead')).body.items;
    expect(reads.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(reads)).toContain(sessionId);
  });

  it('turns pages without gaps', async () => {
    const all: string[] = [];
    let cursor = '';
    do {
      const { body } = await send(`${url}/v1/events?type=AskOpened&limit=2${cursor}`, keys.auditor);
      all.push(...body.items.map((event: { position: string }) => event.position));
      cursor = body.next === null ? '' : `&cursor=${body.next}`;
    } while (cursor !== '');
    expect(new Set(all).size).toBe(all.length);
    expect(all.map(BigInt)).toEqual([...all.map(BigInt)].sort((a, b) => (a < b ? 1 : -1)));
  });

  it('verifies the chain', async () => {
    expect((await send(`${url}/v1/verify`, keys.auditor)).body).toMatchObject({ problems: [] });
  });
});

it('shows sessions', async () => {
  const { sessionId } = await house.ask();
  expect((await send(`${url}/v1/sessions/${sessionId}`, keys.approver)).body).toMatchObject({ id: sessionId });
  const { body } = await send(`${url}/v1/sessions?limit=1`, keys.auditor);
  expect(body.items).toMatchObject([{ id: sessionId }]);
  expect(body.next).not.toBeNull();
});
