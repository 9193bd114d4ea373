/** What holds for a whole tenant, against a real Postgres: kill switches, frozen deadlines, counted grants, permits, the vault. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestLedger, type TestLedger } from '@countersign/testing';
import type { Answerer, Grant, SessionEvent } from '@countersign/contracts';
import { replay, type SessionCommand, type TenantCommand } from '@countersign/approval';
import type { Ledger } from './index.js';
import { decided, opened, started, TENANT, unit } from './spec-data.js';

let house: TestLedger;
let ledger: Ledger;
let owner: TestLedger['owner'];

beforeAll(async () => {
  house = await openTestLedger(TENANT);
  ({ ledger, owner } = house);
}, 60_000);

afterAll(() => house?.close());

const ANN: Answerer = { channel: 'web', personId: 'person_ann', personName: 'Ann' };
const target = (sessionId: string) => ({ tenantId: TENANT, sessionId });

const approve = (askId: string, change: Partial<Extract<SessionCommand, { type: 'AnswerAsk' }>> = {}) =>
  ({
    type: 'AnswerAsk',
    askId,
    answer: 'approve',
    scope: 'once',
    by: ANN,
    reason: null,
    grantId: `grant_${askId}`,
    ...change,
  }) as const;

const engage = (killId: string, change: Partial<Extract<TenantCommand, { type: 'EngageKill' }>> = {}) =>
  ledger.executeTenant(TENANT, {
    type: 'EngageKill',
    killId,
    scope: 'tenant',
    value: null,
    reason: 'incident',
    by: 'Ann',
    ...change,
  });

const release = (killId: string) => ledger.executeTenant(TENANT, { type: 'ReleaseKill', killId, by: 'Ann' });

async function store(sessionId: string, ...events: SessionEvent[]): Promise<void> {
  const [result] = await ledger.append([unit(sessionId, 0, [started(sessionId), ...events])]);
  expect(result).toMatchObject({ ok: true });
}

/** Moves an ask's times into the past, as if it had been opened that much earlier. */
async function age(askId: string, seconds: number): Promise<void> {
  await owner.query(
    'UPDATE asks SET opened_at = opened_at - make_interval(secs => $2), deadline = deadline - make_interval(secs => $2) WHERE id = $1',
    [askId, seconds],
  );
}

async function tenantState(knownEpochs?: ReadonlyMap<string, number>) {
  const query = { tenants: [TENANT], streams: [], keys: [], hashJoins: [], ...(knownEpochs ? { knownEpochs } : {}) };
  return ledger.loadRound(query);
}

describe('a kill switch', () => {
  it('stands in the state that rounds load, under a raised epoch, until it is released', async () => {
    const before = (await tenantState()).epochs.get(TENANT) ?? 0;
    const engaged = await engage('kill_round', { scope: 'tool', value: 'Bash' });
    expect(engaged).toMatchObject({ ok: true, epoch: before + 1 });
    const moved = await tenantState(new Map([[TENANT, before]]));
    expect(moved.tenantStates.get(TENANT)?.kills).toMatchObject([
      { killId: 'kill_round', scope: 'tool', value: 'Bash' },
    ]);
    const same = await tenantState(new Map([[TENANT, before + 1]]));
    expect([...same.tenantStates]).toEqual([]);
    expect(await engage('kill_round', { scope: 'tool', value: 'Bash' })).toMatchObject({ ok: true, events: [] });
    expect(await release('kill_round')).toMatchObject({ ok: true, epoch: before + 2 });
    expect(await release('kill_round')).toMatchObject({ ok: false, code: 'kill.unknown' });
    expect((await tenantState()).tenantStates.get(TENANT)?.kills).toEqual([]);
    const listed = await ledger.kills.list({ tenantId: TENANT });
    expect(listed.items).toMatchObject([{ id: 'kill_round', releasedBy: 'Ann' }]);
    expect((await ledger.kills.list({ tenantId: TENANT, engaged: true })).items).toEqual([]);
    expect(await ledger.kills.get('elsewhere', 'kill_round')).toBeNull();
    expect((await ledger.verify(TENANT)).problems).toEqual([]);
  });

  it('refuses decisions that were made before it and are stored after it', async () => {
    const { epochs } = await tenantState();
    const stale = [{ tenantId: TENANT, epoch: epochs.get(TENANT) ?? 0 }];
    await engage('kill_stale');
    const [result] = await ledger.append([
      unit('stale', 0, [started('stale'), decided('stale', 's1')], { epochs: stale }),
    ]);
    expect(result).toMatchObject({ ok: false, conflict: 'epoch' });
    await release('kill_stale');
  });

  it('freezes asks in its scope: no approval, but a rejection, and the refusal is recorded', async () => {
    await store('frozen', opened('frozen', 'ask_frozen'), opened('frozen', 'ask_frozen2'));
    await engage('kill_freeze', { scope: 'session', value: 'frozen' });
    expect(await ledger.execute(target('frozen'), approve('ask_frozen'))).toMatchObject({
      ok: false,
      code: 'ask.frozen',
    });
    expect(await ledger.asks.get(TENANT, 'ask_frozen')).toMatchObject({ status: 'open', frozen: true });
    const rejected = await ledger.execute(target('frozen'), approve('ask_frozen2', { answer: 'reject' }));
    expect(rejected).toMatchObject({ ok: true });
    const events = await ledger.events.ofStream({ tenantId: TENANT, streamId: 'frozen' }, 0, 100);
    expect(events.find((event) => event.type === 'AskAnswerRefused')?.body).toMatchObject({ code: 'ask.frozen' });
    await release('kill_freeze');
    expect(await ledger.execute(target('frozen'), approve('ask_frozen'))).toMatchObject({ ok: true });
  });

  it('lets no approval through that slips past the core', async () => {
    await store('slips', opened('slips', 'ask_slips'));
    await engage('kill_slips', { scope: 'tool', value: 'Bash' });
    const resolved: SessionEvent = {
      type: 'AskResolved',
      version: 1,
      body: { askId: 'ask_slips', callId: 'call_use_ask_slips', status: 'approved', by: ANN, reason: 'yes' },
    };
    expect(await ledger.append([unit('slips', 2, [resolved])])).toMatchObject([{ ok: false, conflict: 'frozen' }]);
    await release('kill_slips');
  });

  it('on a session or an agent holds everything below it', async () => {
    await store('top');
    const [child] = await ledger.append([
      unit('below', 0, [
        started('below', { parentId: 'top', agent: 'helper' }, 'top'),
        opened('below', 'ask_below', { agent: 'helper' }),
      ]),
    ]);
    expect(child).toMatchObject({ ok: true });
    const frozen = async () => (await ledger.asks.get(TENANT, 'ask_below'))?.frozen;
    const under = async (scope: 'agent' | 'session' | 'tool', value: string) => {
      await engage(`kill_${scope}_${value}`, { scope, value });
      const seen = await frozen();
      await release(`kill_${scope}_${value}`);
      return seen;
    };
    expect(await under('session', 'top')).toBe(true);
    expect(await under('session', 'below')).toBe(true);
    expect(await under('session', 'another')).toBe(false);
    expect(await under('agent', 'claude-code')).toBe(true);
    expect(await under('agent', 'helper')).toBe(true);
    expect(await under('agent', 'another')).toBe(false);
    expect(await under('tool', 'Read')).toBe(false);
    expect(await frozen()).toBe(false);
  });
});

describe('a deadline in effect', () => {
  it('is put off by the time frozen, overlapping kill switches counted once, and nothing is rewritten', async () => {
    await store('put_off', opened('put_off', 'ask_off', { timeoutMs: 60_000 }));
    const raw = async () =>
      (await owner.query<{ deadline: Date }>("SELECT deadline FROM asks WHERE id = 'ask_off'")).rows[0]?.deadline;
    await engage('off_a');
    await engage('off_b', { scope: 'tool', value: 'Bash' });
    await release('off_a');
    await release('off_b');
    await age('ask_off', 100);
    await owner.query(
      "UPDATE kill_switches SET engaged_at = engaged_at - interval '1 day', released_at = released_at - interval '1 day' WHERE id NOT LIKE 'off%'",
    );
    const stored = await raw();
    // Frozen from 90 to 50 s ago by one, from 70 to 30 s ago by the other, and by a third that lies elsewhere: 60 s in all.
    const move = (id: string, from: number, to: number) =>
      owner.query(
        `UPDATE kill_switches SET engaged_at = clock_timestamp() - make_interval(secs => $2),
           released_at = clock_timestamp() - make_interval(secs => $3) WHERE id = $1`,
        [id, from, to],
      );
    await move('off_a', 90, 50);
    await move('off_b', 70, 30);
    await engage('off_c', { scope: 'tool', value: 'Read' });
    await release('off_c');
    await move('off_c', 30, 5);
    const view = await ledger.asks.get(TENANT, 'ask_off');
    const moved = Date.parse(view?.deadline ?? '') - (stored?.getTime() ?? 0);
    expect(Math.round(moved / 100)).toBe(600);
    expect((await ledger.asks.due(1_000)).map((ask) => ask.askId)).not.toContain('ask_off');
    const expired = await ledger.execute(target('put_off'), { type: 'ExpireAsk', askId: 'ask_off' });
    expect(expired).toMatchObject({ ok: false, code: 'request.invalid' });
    expect(await raw()).toEqual(stored);
    // 40 s of the minute are used up; 30 s later it is over.
    await age('ask_off', 30);
    await move('off_a', 120, 80);
    await move('off_b', 100, 60);
    expect((await ledger.asks.due(1_000)).map((ask) => ask.askId)).toContain('ask_off');
    expect(await ledger.execute(target('put_off'), approve('ask_off'))).toMatchObject({
      ok: false,
      code: 'ask.expired',
    });
    expect(await ledger.execute(target('put_off'), { type: 'ExpireAsk', askId: 'ask_off' })).toMatchObject({
      ok: true,
    });
  });

  it('does not come while the kill switch is engaged, and an ask that was over before stays over', async () => {
    await store('waits', opened('waits', 'ask_waits', { timeoutMs: 60_000 }), opened('waits', 'ask_over'));
    await age('ask_over', 61);
    await engage('kill_waits');
    await age('ask_waits', 3_600);
    await owner.query("UPDATE kill_switches SET engaged_at = engaged_at - interval '1 hour' WHERE id = 'kill_waits'");
    await age('ask_over', 3_600);
    const due = (await ledger.asks.due(1_000)).map((ask) => ask.askId);
    expect(due).toContain('ask_over');
    expect(due).not.toContain('ask_waits');
    await release('kill_waits');
    expect(await ledger.execute(target('waits'), approve('ask_waits'))).toMatchObject({ ok: true });
  });

  it('costs no more for kill switches that were over before the ask was opened', async () => {
    await store('cheap', opened('cheap', 'ask_cheap', { timeoutMs: 60_000 }));
    // As the application's role has it.
    await owner.query('SET enable_seqscan = off');
    const blocks = async (): Promise<number> => {
      const { rows } = await owner.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT deadline_in_effect(
           a.tenant_id, a.session_id, a.agent, a.tool, a.opened_at, a.deadline, statement_timestamp()) FROM asks a WHERE a.id = 'ask_cheap'`,
      );
      const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
      return (plan['Shared Hit Blocks'] ?? Number.NaN) + (plan['Shared Read Blocks'] ?? Number.NaN);
    };
    await blocks();
    const before = await blocks();
    await owner.query(
      `INSERT INTO kill_switches (id, tenant_id, scope, reason, engaged_at, engaged_by, released_at, released_by)
       SELECT 'kill_old_' || i, $1, 'tenant', 'drill', clock_timestamp() - interval '2 days', 'Ann',
         clock_timestamp() - interval '1 day', 'Ann' FROM generate_series(1, 5000) i`,
      [TENANT],
    );
    await blocks();
    const after = await blocks();
    await owner.query("DELETE FROM kill_switches WHERE id LIKE 'kill_old_%'");
    await owner.query('RESET enable_seqscan');
    expect(after).toBeLessThan(before + 20);
  });
});

const GRANT: Grant = {
  id: 'grant_1',
  kind: 'always',
  tool: 'Bash',
  argsHash: null,
  pattern: 'Bash(npm test)',
  liftsRuleIds: ['rule.ask'],
  askId: 'ask_g',
  personId: 'person_ann',
  expiresAt: null,
  uses: null,
};

const use = (sessionId: string, seq: number, grantId: string, name: string) =>
  unit(sessionId, seq, [
    { type: 'GrantConsumed', version: 1, body: { grantId, callId: `call_${name}`, tenantWide: true } } as SessionEvent,
    decided(sessionId, name),
  ]);

describe('a tenant-wide grant', () => {
  it('is given by an answer, stands in the tenant stream and is revoked there', async () => {
    await store('gives', opened('gives', 'ask_gives'));
    const change = { scope: 'always', pattern: 'Bash(echo *)', tenantWide: true, uses: 5 } as const;
    const answered = await ledger.execute(target('gives'), approve('ask_gives', change));
    expect(answered).toMatchObject({ ok: true });
    const { tenantStates, usesLeft } = await tenantState();
    expect(tenantStates.get(TENANT)?.grants).toMatchObject([{ id: 'grant_ask_gives', tenantWide: true, uses: 5 }]);
    expect([...usesLeft]).toEqual([['grant_ask_gives', 5]]);
    const own = await ledger.events.ofStream({ tenantId: TENANT, streamId: 'gives' }, 0, 100);
    expect(own.map((event) => event.type)).not.toContain('GrantCreated');
    expect(await ledger.grants.get(TENANT, 'grant_ask_gives')).toMatchObject({ sessionId: null, remaining: 5 });
    const revoke: TenantCommand = { type: 'RevokeGrant', grantId: 'grant_ask_gives', by: 'Ann' };
    expect(await ledger.executeTenant(TENANT, revoke)).toMatchObject({ ok: true });
    expect(await ledger.grants.list({ tenantId: TENANT, sessionId: null, status: 'revoked' })).toMatchObject({
      items: [{ id: 'grant_ask_gives' }],
    });
    expect((await tenantState()).tenantStates.get(TENANT)?.grants).toEqual([]);
  });

  it('is used at most as often as it says, from whatever sessions, at the same moment', async () => {
    await ledger.executeTenant(TENANT, { type: 'CreateGrant', grant: { ...GRANT, id: 'grant_3', uses: 3 } });
    const sessions = Array.from({ length: 12 }, (_, i) => `uses${i}`);
    await ledger.append(sessions.map((id) => unit(id, 0, [started(id)])));
    const results = await Promise.all(
      [sessions.slice(0, 4), sessions.slice(4, 8), sessions.slice(8)].map((some) =>
        ledger.append(some.map((id) => use(id, 1, 'grant_3', `use_${id}`))),
      ),
    );
    const flat = results.flat();
    expect(flat.filter((result) => result.ok)).toHaveLength(3);
    for (const result of flat) if (!result.ok) expect(result).toMatchObject({ conflict: 'grant', detail: 'grant_3' });
    expect(await ledger.grants.get(TENANT, 'grant_3')).toMatchObject({ status: 'consumed', remaining: 0 });
    expect((await tenantState()).usesLeft.has('grant_3')).toBe(false);
    // It may still be taken out of the tenant's state; its row says what became of it.
    const revoke = { type: 'RevokeGrant', grantId: 'grant_3', by: 'Ann' } as const;
    expect(await ledger.executeTenant(TENANT, revoke)).toMatchObject({ ok: true });
    expect(await ledger.executeTenant(TENANT, revoke)).toMatchObject({ ok: false, code: 'grant.unknown' });
    expect(await ledger.grants.get(TENANT, 'grant_3')).toMatchObject({ status: 'consumed', endedBy: 'used up' });
  });

  it('is not used once it has expired or was revoked, or by another tenant', async () => {
    await ledger.executeTenant(TENANT, { type: 'CreateGrant', grant: { ...GRANT, id: 'grant_late', uses: 3 } });
    await owner.query("UPDATE grants SET expires_at = clock_timestamp() - interval '1 s' WHERE id = 'grant_late'");
    await store('late');
    expect(await ledger.append([use('late', 1, 'grant_late', 'late1')])).toMatchObject([{ conflict: 'grant' }]);
    expect(await ledger.append([use('late', 1, 'grant_none', 'late2')])).toMatchObject([{ conflict: 'grant' }]);
    await owner.query("UPDATE grants SET expires_at = NULL, tenant_id = 'other' WHERE id = 'grant_late'");
    expect(await ledger.append([use('late', 1, 'grant_late', 'late3')])).toMatchObject([{ conflict: 'grant' }]);
  });
});

const redeem = (callId: string, permitId = 'permit_1') =>
  ({ type: 'RedeemPermit', callId, permitId, keyId: 'key_1', endsWhenAllowed: 0 }) as const;
const cancel = { type: 'CancelSession', reason: 'enough', by: 'Ann' } as const;

describe('a permit', () => {
  it('is redeemed once, and a cancel afterwards names the running call', async () => {
    await store('redeems', decided('redeems', 'r1'));
    expect(await ledger.execute(target('redeems'), redeem('call_r1'))).toMatchObject({ ok: true });
    expect(await ledger.execute(target('redeems'), redeem('call_r1'))).toMatchObject({ code: 'permit.redeemed' });
    expect(await ledger.calls.byId(TENANT, 'call_r1')).toMatchObject({ redeemed: { permitId: 'permit_1' } });
    expect(await ledger.execute(target('redeems'), cancel)).toMatchObject({ ok: true, running: ['call_r1'] });
    const events = await ledger.events.ofStream({ tenantId: TENANT, streamId: 'redeems' }, 0, 100);
    const view = await ledger.sessions.get(TENANT, 'redeems');
    expect(replay(events.map(({ type, version, body }) => ({ type, version, body }) as SessionEvent))).toEqual(
      view?.state,
    );
  });

  it('is refused after a cancel, a stop, a kill switch, a result, and for what was not allowed', async () => {
    await store('refused', decided('refused', 'f1'), opened('refused', 'ask_f'));
    expect(await ledger.execute(target('refused'), redeem('call_none'))).toMatchObject({ code: 'call.unknown' });
    expect(await ledger.execute(target('refused'), redeem('call_use_ask_f'))).toMatchObject({ code: 'permit.refused' });
    await engage('kill_permit', { scope: 'agent', value: 'claude-code' });
    expect(await ledger.execute(target('refused'), redeem('call_f1'))).toMatchObject({ code: 'session.frozen' });
    await release('kill_permit');
    expect(await ledger.execute(target('refused'), cancel)).toMatchObject({ ok: true });
    expect(await ledger.execute(target('refused'), redeem('call_f1'))).toMatchObject({ code: 'permit.refused' });
    expect(await ledger.calls.byId(TENANT, 'call_f1')).toMatchObject({ redeemed: null });
  });

  it('races a cancel to exactly one of two outcomes', async () => {
    const rounds = Array.from({ length: 40 }, (_, i) => `race${i}`);
    const outcomes = new Set<string>();
    for (const id of rounds) {
      await store(id, decided(id, id));
      const [taken, ended] = await Promise.all([
        ledger.execute(target(id), redeem(`call_${id}`)),
        ledger.execute(target(id), cancel),
      ]);
      const running = ended.ok ? (ended.running ?? []) : null;
      outcomes.add(`${taken.ok ? 'ran' : taken.code} ${JSON.stringify(running === null ? null : running.length)}`);
    }
    expect(['ran 1', 'permit.refused 0']).toEqual(expect.arrayContaining([...outcomes]));
  });

  it('is redeemed once by many at the same moment', async () => {
    await store('many', decided('many', 'm1'));
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, i) => ledger.execute(target('many'), redeem('call_m1', `permit_${i}`))),
    );
    expect(all.filter((result) => result.ok)).toHaveLength(1);
    expect(new Set(all.flatMap((result) => (result.ok ? [] : [result.code])))).toEqual(new Set(['permit.redeemed']));
  });
});

describe('the vault', () => {
  const entry = (callId: string) =>
    ({ tenantId: TENANT, callId, kind: 'arguments', keyId: 'k1', sealed: 'c2VhbGVk', size: 6 }) as const;

  it('stores an original with its event or not at all', async () => {
    await store('vault', decided('vault', 'v0'));
    const good = { ...unit('vault', 2, [decided('vault', 'v1')]), vault: [entry('call_v1')] };
    const stale = { ...unit('vault2', 7, [decided('vault2', 'v2')]), vault: [entry('call_v2')] };
    expect(await ledger.append([good, stale])).toMatchObject([{ ok: true }, { ok: false }]);
    expect(await ledger.vault.get(TENANT, 'call_v1', 'arguments')).toMatchObject({ keyId: 'k1', sealed: 'c2VhbGVk' });
    expect(await ledger.vault.get(TENANT, 'call_v2', 'arguments')).toBeNull();
    expect(await ledger.vault.get('other', 'call_v1', 'arguments')).toBeNull();
  });

  it('is sealed anew by key, once', async () => {
    const [item] = await ledger.vault.sealedByOthers('k2', null, 10);
    expect(item).toMatchObject({ callId: 'call_v1' });
    if (!item) return;
    expect(await ledger.vault.reseal(item, 'k1', { keyId: 'k2', sealed: 'bmV3' })).toBe(true);
    expect(await ledger.vault.reseal(item, 'k1', { keyId: 'k2', sealed: 'b2xk' })).toBe(false);
    expect(await ledger.vault.sealedByOthers('k2', null, 10)).toEqual([]);
  });
});

describe('a delivery', () => {
  const key = { tenantId: TENANT, askId: 'ask_d', channel: 'slack', kind: 'card', version: 1, target: '#ops' } as const;
  const places = [{ tenantId: TENANT, name: 'slack' }];

  it('is claimed by one, tried again when due, and closed', async () => {
    const claims = await Promise.all(Array.from({ length: 8 }, () => ledger.deliveries.claim(key, 30_000)));
    const [mine] = claims.filter((claim) => claim !== null);
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
    if (!mine) return;
    await ledger.deliveries.failed(mine.id, { problem: 'no answer', retryInMs: 0 });
    expect(await ledger.deliveries.due(places, 10)).toMatchObject([{ id: mine.id, state: 'waiting', attempts: 1 }]);
    // A channel that nobody has set up keeps nobody else's messages waiting.
    const others = [
      { tenantId: TENANT, name: 'email' },
      { tenantId: 'elsewhere', name: 'slack' },
    ];
    expect(await ledger.deliveries.due(others, 10)).toEqual([]);
    expect(await ledger.deliveries.claim(key, 30_000)).toMatchObject({ id: mine.id, attempts: 2 });
    await ledger.deliveries.done(mine.id, { textHash: 'ab', providerRef: 'ts1' });
    expect(await ledger.deliveries.claim(key, 30_000)).toBeNull();
    expect(await ledger.deliveries.openCards('ask_d')).toMatchObject([{ providerRef: 'ts1' }]);
    await ledger.deliveries.closed(mine.id);
    expect(await ledger.deliveries.openCards('ask_d')).toEqual([]);
  });

  it('is taken over when its claim runs out', async () => {
    const other = { ...key, target: '#dev' };
    const first = await ledger.deliveries.claim(other, 0);
    expect((await ledger.deliveries.due(places, 10)).map((one) => one.id)).toEqual([first?.id]);
    expect(await ledger.deliveries.claim(other, 30_000)).toMatchObject({ id: first?.id, attempts: 2 });
  });
});

it('keeps what the application may not do to itself', async () => {
  const { database } = house;
  const { default: pg } = await import('pg');
  const app = new pg.Client({ connectionString: database.appUrl });
  await app.connect();
  try {
    const statements = [
      "INSERT INTO kill_switches (id, tenant_id, scope, reason, engaged_at, engaged_by) VALUES ('x', 'acme', 'tenant', 'r', now(), 'x')",
      'UPDATE kill_switches SET released_at = now()',
      'DELETE FROM vault',
      "UPDATE vault SET call_id = 'x'",
      'UPDATE grants SET remaining = 100',
      'SELECT forget_vault(1)',
      'SELECT drop_partitions(1)',
    ];
    for (const text of statements) await expect(app.query(text)).rejects.toThrow(/permission denied/);
  } finally {
    await app.end();
  }
});
