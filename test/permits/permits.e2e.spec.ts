/** Permits through the doors of a running gateway and worker: made when asked for, bound to what was allowed, redeemed once. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { hashOf, newPermitSeed, readPermit, verifyPermit, type PermitKeySet } from '@countersign/permits';
import { openHouse, TENANT, type Answer, type House } from '../calls/house.js';
import { raceCancel } from './race-cancel.js';

jest.setTimeout(60_000);

const seed = newPermitSeed();
let house: House;
beforeAll(async () => {
  const policy = { allow: ['Bash(echo *)', 'Read'], ask: ['Bash(make *)'], deny: ['Bash(rm *)'] };
  // The key of before is published still; its permits may live on.
  house = await openHouse({ policy, permitKeys: [seed, newPermitSeed()], gateway: { permitSeconds: 2 } });
}, 90_000);
afterAll(() => house?.close(), 30_000);

const call = (command: string, more: object = {}) => ({
  sessionId: randomUUID(),
  toolUseId: randomUUID(),
  tool: 'Bash',
  args: { command },
  cwd: '/srv/app',
  permit: true,
  ...more,
});
const permitOf = (answer: Answer): string => String(answer.body['permit']);
const publicKeys = async () => {
  const response = await fetch(`${house.url}/v1/permits/keys`);
  expect(response.status).toBe(200);
  return (await response.json()) as PermitKeySet;
};
const allowed = async (command = 'echo hi', more: object = {}) => {
  const body = call(command, more);
  const answer = await house.post('/v1/tool-calls', body);
  expect(answer.body).toMatchObject({ decision: 'allow' });
  return { ...body, id: String(answer.body.id), permit: permitOf(answer) };
};
const redeem = (permit: string, args: object = { command: 'echo hi' }, more: object = {}) =>
  house.post('/v1/permits/redeem', { permit, args, ...more });
const code = ({ status, body }: Answer) => `${status} ${body.error?.code ?? ''}`.trim();

describe('a permit', () => {
  it('comes with an allow when it is asked for, and verifies with the published keys alone', async () => {
    const made = await allowed();
    const keys = await publicKeys();
    expect(keys.keys).toHaveLength(2);
    const check = verifyPermit(made.permit, keys, {
      now: Date.now(),
      tool: 'Bash',
      args: { command: 'echo hi' },
      cwd: '/srv/app',
      tenant: TENANT,
      session: made.sessionId,
      call: made.id,
    });
    expect(check).toMatchObject({
      ok: true,
      claims: {
        attempt: 1,
        args: hashOf({ command: 'echo hi' }),
        obligations: { interrupt: 'block', sandbox: 'none' },
      },
    });
    const other = { now: Date.now(), tool: 'Bash', cwd: '/srv/app', args: { command: 'echo ho' } };
    expect(verifyPermit(made.permit, keys, other)).toEqual({ ok: false, reason: 'other_arguments' });
    expect(verifyPermit(made.permit, { keys: [] }, other)).toEqual({ ok: false, reason: 'unknown_key' });
  });

  it('does not come unasked, with a deny, or with a question', async () => {
    const { permit: _unasked, ...body } = call('echo hi');
    expect((await house.post('/v1/tool-calls', body)).body).not.toHaveProperty('permit');
    expect((await house.post('/v1/tool-calls', call('rm x'))).body).not.toHaveProperty('permit');
    const pending = await house.post('/v1/tool-calls', call('make it', { wait: 0 }));
    expect(pending.body).toMatchObject({ decision: 'pending' });
    expect(pending.body).not.toHaveProperty('permit');
  });

  it('comes with each call of a step that is allowed', async () => {
    const sessionId = randomUUID();
    const one = (command: string) => ({ toolUseId: randomUUID(), tool: 'Bash', args: { command } });
    const body = { sessionId, permit: true, calls: [one('echo 1'), one('rm 2'), one('echo 3')] };
    const { status, body: answer } = await house.post('/v1/tool-calls/batch', body);
    const calls = answer['calls'] as { decision: string; permit?: string }[];
    expect(status).toBe(200);
    expect(calls.map(({ permit }) => permit !== undefined)).toEqual([true, false, true]);
    expect(await Promise.all([redeem(calls[0]!.permit!, { command: 'echo 1' })])).toMatchObject([{ status: 200 }]);
  });

  it('says of each call of a step why there is none, when the breaker opened within it', async () => {
    const sessionId = randomUUID();
    const one = (command: string) => ({ toolUseId: randomUUID(), tool: 'Bash', args: { command } });
    const calls = [one('echo 1'), one('rm 1'), one('rm 2'), one('rm 3')];
    const { status, body } = await house.post('/v1/tool-calls/batch', { sessionId, permit: true, calls });
    const outcomes = body['calls'] as Record<string, unknown>[];
    expect([status, ...outcomes.map(({ decision }) => decision)]).toEqual([200, 'allow', 'deny', 'deny', 'deny']);
    expect(outcomes.filter((outcome) => 'permit' in outcome)).toEqual([]);
    expect(outcomes.map(({ permitRefused }) => permitRefused)).toEqual([
      { code: 'permit.refused', reason: 'breaker', message: expect.stringContaining('no permit') },
      undefined,
      undefined,
      undefined,
    ]);
    expect(body['plan']).toEqual([]);
  });

  it('B18 begins when it is handed out, however long people took', async () => {
    const body = call('make it', { wait: 0 });
    const pending = await house.post('/v1/tool-calls', body);
    // Longer than a permit lives.
    await pause(2_500);
    await house.answer(body.sessionId, String(pending.body.askId), 'approve');
    const look = await house.get(`/v1/tool-calls/${String(pending.body.id)}?permit=true`);
    expect(look.body).toMatchObject({ decision: 'allow', approvalStatus: 'approved' });
    const read = readPermit(permitOf(look), await publicKeys());
    expect(read.ok && read.claims.exp - read.claims.iat).toBe(2);
    expect(code(await redeem(permitOf(look), { command: 'make it' }))).toBe('200');
  });
});

describe('redeeming', () => {
  it('works once, and tells what to keep to', async () => {
    const made = await allowed();
    expect(await redeem(made.permit)).toMatchObject({
      status: 200,
      body: { call: made.id, obligations: { interrupt: 'block' } },
    });
    expect(code(await redeem(made.permit))).toBe('409 permit.redeemed');
    // A second permit of the same call is no second use.
    const again = await house.get(`/v1/tool-calls/${made.id}?permit=true`);
    expect(code(await redeem(permitOf(again)))).toBe('409 permit.redeemed');
    const events = await house.ledger.events.ofStream({ tenantId: TENANT, streamId: made.sessionId }, 0, 100);
    expect(events.filter(({ type }) => type === 'PermitRedeemed')).toHaveLength(1);
  });

  it('B06 is refused for changed arguments, another tool or another folder', async () => {
    const { permit } = await allowed();
    for (const [args, more, reason] of [
      [{ command: 'echo ho' }, {}, 'other_arguments'],
      [{ command: 'echo hi', timeout: 1 }, {}, 'other_arguments'],
      [{ command: 'echo hi' }, { tool: 'Write' }, 'other_tool'],
      [{ command: 'echo hi' }, { cwd: '/srv' }, 'other_cwd'],
      [{ command: 'echo hi' }, { cwd: null }, 'other_cwd'],
    ] as const) {
      const answer = await redeem(permit, args, more);
      expect([code(answer), (answer.body.error as { details?: { reason: string } }).details?.reason]).toEqual([
        '409 permit.refused',
        reason,
      ]);
    }
    expect(code(await redeem(permit, { command: 'echo hi' }, { tool: 'Bash', cwd: '/srv/app' }))).toBe('200');
  });

  it('is refused when it is changed, signed by others, expired, or not a permit', async () => {
    const { permit } = await allowed();
    const stranger = await openStranger();
    for (const text of [`${permit.slice(0, -4)}AAAA`, stranger, 'a.b.c', 'x']) {
      expect(code(await redeem(text))).toBe('409 permit.refused');
    }
    await pause(2_100);
    const late = await redeem(permit);
    expect(late.body.error).toMatchObject({ code: 'permit.refused', details: { reason: 'expired' } });
    expect(code(await house.post('/v1/permits/redeem', { permit }))).toBe('400 request.invalid');
  });

  it('is refused to another key, and unknown to another tenant', async () => {
    const { permit } = await allowed();
    const body = { permit, args: { command: 'echo hi' } };
    expect(code(await house.post('/v1/permits/redeem', body, await house.makeKey()))).toBe('403 auth.not_own_session');
    await house.ledger.tenants.ensure({ id: 'neighbour', name: 'N' });
    const theirs = await house.makeKey({ tenantId: 'neighbour' });
    expect(code(await house.post('/v1/permits/redeem', body, theirs))).toBe('404 call.unknown');
    expect(code(await redeem(permit))).toBe('200');
  });

  it.each([
    ['cancel', '409 permit.refused'],
    ['stop', '409 permit.refused'],
  ])('is refused after %s, and that is on record', async (end, expected) => {
    const { permit, sessionId, id } = await allowed();
    expect((await house.post(`/v1/sessions/${sessionId}/${end}`, {})).body).toEqual({ id: sessionId, running: [] });
    expect(code(await redeem(permit))).toBe(expected);
    const events = await house.ledger.events.ofStream({ tenantId: TENANT, streamId: sessionId }, 0, 100);
    const refusals = events.filter(({ body }) => (body as { kind?: string }).kind === 'permit_refused');
    expect(refusals.map(({ body }) => (body as { detail: string }).detail)).toEqual([expect.stringContaining(id)]);
  });

  it('is refused after the breaker of the session opened', async () => {
    const { permit, sessionId } = await allowed();
    for (let count = 0; count < 3; count += 1) await house.post('/v1/tool-calls', call('rm x', { sessionId }));
    expect(code(await redeem(permit))).toBe('409 permit.refused');
  });

  it('is refused under a kill switch, and works after its release', async () => {
    const { permit, sessionId } = await allowed();
    const killId = `kill_${randomUUID()}`;
    const engage = {
      type: 'EngageKill',
      killId,
      scope: 'session',
      value: sessionId,
      reason: 'test',
      by: 'me',
    } as const;
    expect(await house.ledger.executeTenant(TENANT, engage)).toMatchObject({ ok: true });
    expect(code(await redeem(permit))).toBe('423 session.frozen');
    await house.ledger.executeTenant(TENANT, { type: 'ReleaseKill', killId, by: 'me' });
    expect(code(await redeem(permit))).toBe('200');
  });

  it('a cancel that comes later says that the call runs already, until its result is known', async () => {
    const { permit, sessionId, id } = await allowed();
    await redeem(permit);
    expect((await house.post(`/v1/sessions/${sessionId}/cancel`, {})).body).toEqual({ id: sessionId, running: [id] });
    await house.post(`/v1/tool-calls/${id}/result`, { status: 'succeeded', output: 'hi' });
    expect((await house.post(`/v1/sessions/${sessionId}/stop`, {})).body).toEqual({ id: sessionId, running: [] });
  });

  it('a cancel names what runs below its session too', async () => {
    const root = randomUUID();
    const [child, grandchild] = [`${root}-child`, `${root}-grandchild`];
    await house.post('/v1/sessions', { id: root, agent: 'lead' });
    await house.post('/v1/sessions', { id: child, agent: 'helper', parentId: root });
    await house.post('/v1/sessions', { id: grandchild, agent: 'helper', parentId: child });
    const made = [];
    for (const sessionId of [root, child, grandchild]) made.push(await allowed('echo hi', { sessionId }));
    for (const { permit } of made) expect(code(await redeem(permit))).toBe('200');
    const running = made.map(({ id }) => id);
    expect((await house.post(`/v1/sessions/${child}/cancel`, {})).body).toEqual({
      id: child,
      running: running.slice(1),
    });
    expect((await house.post(`/v1/sessions/${root}/cancel`, {})).body).toEqual({ id: root, running });
    await house.post(`/v1/tool-calls/${running[1]}/result`, { status: 'cancelled' });
    expect((await house.post(`/v1/sessions/${root}/stop`, {})).body).toEqual({
      id: root,
      running: [running[0], running[2]],
    });
  });

  it('B13 of a cancel and a redemption at the same moment exactly one comes first', async () => {
    const ends = await raceCancel(house, 50);
    expect(ends.executed + ends.cancelled).toBe(50);
    expect(ends.both + ends.neither).toBe(0);
  }, 60_000);
});

/** Authentic for another house. */
async function openStranger(): Promise<string> {
  const { signPermit, signingKeyOf } = await import('@countersign/permits');
  const now = Math.floor(Date.now() / 1_000);
  const hash = hashOf({ command: 'echo hi' });
  const claims = { tenant: TENANT, session: 's', agent: 'a', call: 'call_1', attempt: 1, tool: 'Bash', args: hash };
  const obligations = { timeoutMs: null, maxOutputChars: null, interrupt: 'cancel', sandbox: 'none' } as const;
  const rest = { cwd: null, evidence: hashOf({}), obligations, jti: 'permit_1', iat: now, exp: now + 60 };
  return signPermit({ ...claims, ...rest }, signingKeyOf(newPermitSeed()));
}
