/** Retention: what is over and old goes, what is open or active stays, and the rest of the log still verifies. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestLedger, type TestLedger } from '@countersign/testing';
import type { SessionEvent } from '@countersign/contracts';
import pg from 'pg';
import { DEFAULT_RETENTION, runChores, type Ledger, type Retention } from './index.js';
import { decided, opened, started, TENANT, unit } from './spec-data.js';
import { rechain } from './spec-rechain.js';

let house: TestLedger;
let ledger: Ledger;
let owner: TestLedger['owner'];

beforeAll(async () => {
  house = await openTestLedger(TENANT);
  ({ ledger, owner } = house);
}, 60_000);

afterAll(() => house?.close());

const RETENTION: Retention = { ...DEFAULT_RETENTION, monthsAhead: 1 };
const run = (change: Partial<Retention> = {}) => runChores(house.database.ownerUrl, { ...RETENTION, ...change });

async function store(sessionId: string, ...events: SessionEvent[]): Promise<void> {
  const [result] = await ledger.append([unit(sessionId, 0, [started(sessionId), ...events])]);
  expect(result).toMatchObject({ ok: true });
}

/** A day in the middle of the month that lies so many months back. */
function monthsAgo(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15, 12));
}

async function makePartition(months: number): Promise<string> {
  const first = monthsAgo(months).toISOString().slice(0, 7);
  const next = monthsAgo(months - 1)
    .toISOString()
    .slice(0, 7);
  const name = `events_${first.replace('-', '_')}`;
  await owner.query(
    `CREATE TABLE ${name} PARTITION OF events FOR VALUES FROM ('${first}-01T00:00:00Z') TO ('${next}-01T00:00:00Z')`,
  );
  return name;
}

describe('rows', () => {
  it('that are over and old are forgotten; open, active and young ones stay', async () => {
    await store('old', decided('old', 'k_old'), opened('old', 'ask_open'), opened('old', 'ask_done'));
    await store('young', decided('young', 'k_young'));
    const end = { type: 'EndAsks', reason: 'over', by: 'x', askIds: ['ask_done'] } as const;
    await ledger.execute({ tenantId: TENANT, sessionId: 'old' }, end);
    const delivery = { tenantId: TENANT, channel: 'slack', kind: 'card', version: 1, target: '#ops' } as const;
    await ledger.deliveries.claim({ ...delivery, askId: 'ask_open' }, 1_000);
    await ledger.deliveries.claim({ ...delivery, askId: 'ask_done' }, 1_000);
    const original = { tenantId: TENANT, callId: 'c1', kind: 'arguments', keyId: 'k', sealed: 'eA==', size: 1 };
    await ledger.append([{ ...unit('young', 2, [decided('young', 'k_more')]), vault: [original] }]);
    await ledger.idempotency.begin({ tenantId: TENANT, scope: 's', key: 'k', requestHash: 'h' });
    const nothing = { calls: 0, asks: 0, originals: 0, deliveries: 0, idempotency: 0 };
    expect(await run()).toMatchObject({ forgotten: nothing, dropped: [] });
    const back = (table: string, columns: string[], where: string) =>
      owner.query(
        `UPDATE ${table} SET ${columns.map((c) => `${c} = ${c} - interval '400 days'`).join(', ')} WHERE ${where}`,
      );
    await back('call_keys', ['created_at'], "session_id = 'old'");
    await back('asks', ['opened_at', 'resolved_at'], "session_id = 'old'");
    await back('deliveries', ['created_at'], 'true');
    await back('vault', ['created_at'], 'true');
    await back('idempotency', ['created_at'], 'true');
    expect(await run()).toMatchObject({
      // Of the three old keys one waits for people.
      forgotten: { calls: 2, asks: 1, originals: 1, deliveries: 1, idempotency: 1 },
    });
    const left = await owner.query<{ id: string }>('SELECT call_id AS id FROM call_keys ORDER BY 1');
    expect(left.rows.map((row) => row.id)).toEqual(['call_k_more', 'call_k_young', 'call_use_ask_open']);
    expect(await ledger.asks.get(TENANT, 'ask_open')).toMatchObject({ status: 'open' });
    expect((await ledger.verify(TENANT)).problems).toEqual([]);
  });

  it('of a kill switch stay while an ask that it froze is open', async () => {
    const by = 'Ann';
    for (const killId of ['kill_before', 'kill_over']) {
      await ledger.executeTenant(TENANT, { type: 'EngageKill', killId, scope: 'tenant', value: null, reason: 'r', by });
      await ledger.executeTenant(TENANT, { type: 'ReleaseKill', killId, by });
    }
    const back = (id: string, days: number) =>
      owner.query(
        'UPDATE kill_switches SET engaged_at = engaged_at - make_interval(days => $2), released_at = released_at - make_interval(days => $2) WHERE id = $1',
        [id, days],
      );
    await back('kill_before', 800);
    await back('kill_over', 380);
    expect(await run()).toMatchObject({ forgotten: { asks: 1 } });
    expect((await ledger.kills.list({ tenantId: TENANT })).items.map((kill) => kill.id)).toEqual(['kill_over']);
  });

  it('are kept at least a day, whoever asks', async () => {
    await expect(run({ callDays: 0 })).rejects.toThrow(/at least one day/);
    await expect(run({ eventMonths: 0 })).rejects.toThrow(/at least one month/);
  });
});

describe('partitions', () => {
  it('are made ahead and dropped when they are over, and what is left verifies from its border on', async () => {
    const part = await makePartition(3);
    await store('across', decided('across', 'a1'), decided('across', 'a2'));
    await store('ended', decided('ended', 'e1'));
    await store('parent');
    await ledger.append([unit('child', 0, [started('child', { parentId: 'parent' }, 'parent')])]);
    const old = monthsAgo(3);
    await rechain(owner, 'across', [old, old, new Date()]);
    await rechain(owner, 'ended', [old, old]);
    await rechain(owner, 'parent', [old]);
    expect((await ledger.verify(TENANT)).problems).toEqual([]);
    expect(await run({ eventMonths: 3 })).toMatchObject({ dropped: [] });
    expect(await run({ eventMonths: 2, monthsAhead: 2 })).toMatchObject({
      dropped: [part],
      made: [expect.any(String)],
    });
    expect((await ledger.verify(TENANT)).problems).toEqual([]);
    // Of `ended` nothing is left; `parent` stays, because a session below it is there.
    expect(await ledger.sessions.get(TENANT, 'ended')).toBeNull();
    expect(await ledger.sessions.get(TENANT, 'parent')).toMatchObject({ seq: 1 });
    const [next] = await ledger.append([unit('across', 3, [decided('across', 'a3')])]);
    expect(next).toMatchObject({ ok: true });
    expect((await ledger.verify(TENANT)).problems).toEqual([]);
  });

  it('that are dropped hide nothing else: an event that is missing behind the border is found', async () => {
    await owner.query("DELETE FROM events WHERE stream_id = 'across' AND seq = 3");
    expect((await ledger.verify(TENANT)).problems).toMatchObject([
      { streamId: 'across', problem: 'event 3 is missing' },
    ]);
    await owner.query("DELETE FROM stream_borders WHERE stream_id = 'parent'");
    expect((await ledger.verify(TENANT)).problems).toMatchObject([
      { streamId: 'across' },
      { streamId: 'parent', problem: 'the head is at 1, but every event of the stream is missing' },
    ]);
  });
});

it('is done by one process at a time', async () => {
  const other = new pg.Client({ connectionString: house.database.ownerUrl });
  await other.connect();
  await other.query("SELECT pg_advisory_lock(hashtextextended('countersign.chores', 0))");
  expect(await run()).toBeNull();
  await other.end();
  const [one, two] = await Promise.all([run(), run()]);
  expect([one, two].some((done) => done !== null)).toBe(true);
});
