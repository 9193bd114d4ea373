/** Two releases over one database: events and states of the later one are shown and verified, and never acted on by this one. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '@countersign/contracts';
import { openTestLedger, type TestLedger } from '@countersign/testing';
import { initialState } from '@countersign/approval';
import { WrittenByNewer } from './index.js';
import { rechain } from './spec-rechain.js';
import { TENANT } from './spec-data.js';

let house: TestLedger;
beforeAll(async () => {
  house = await openTestLedger(TENANT);
}, 90_000);
afterAll(() => house?.close(), 30_000);

const reported = (detail: string): SessionEvent => ({
  type: 'AgentReported',
  version: 1,
  body: { kind: 'note', detail },
});

/** Appends three events to a session of its own. */
async function session(streamId: string): Promise<void> {
  const events = ['one', 'two', 'three'].map(reported);
  const state = initialState();
  const stream = {
    tenantId: TENANT,
    streamId,
    expectedSeq: 0,
    events,
    state,
    parentId: null,
    rootId: streamId,
    keyId: 'k',
  };
  const [stored] = await house.ledger.append([{ streams: [stream], epochs: [], unmoved: [] }]);
  expect(stored).toMatchObject({ ok: true });
}

/** What a later release would have stored as the second event, chained as it would be. */
async function rewrite(streamId: string, change: { type?: string; version?: number }): Promise<void> {
  const { type = 'AgentReported', version = 1 } = change;
  await house.owner.query(
    'UPDATE events SET type = $3, version = $4 WHERE tenant_id = $1 AND stream_id = $2 AND seq = 2',
    [TENANT, streamId, type, version],
  );
  const { rows } = await house.owner.query<{ time: Date }>(
    'SELECT "time" FROM events WHERE tenant_id = $1 AND stream_id = $2 ORDER BY seq',
    [TENANT, streamId],
  );
  await rechain(
    house.owner,
    streamId,
    rows.map(({ time }) => time),
  );
}

describe('events of a later release', () => {
  it.each([
    ['v2', { version: 2 }, 'newer_version'],
    ['new', { type: 'SessionFroze' }, 'unknown_type'],
  ] as const)('are listed, fed and verified, but no state is made of them (%s)', async (streamId, change, problem) => {
    await session(streamId);
    expect(await house.ledger.replayStream({ tenantId: TENANT, streamId })).toEqual({
      ok: true,
      state: initialState(),
      seq: 3,
    });
    await rewrite(streamId, change);
    const listed = await house.ledger.events.list(TENANT, { session: streamId, limit: 10 });
    expect(listed.items.map(({ type, version }) => ({ type, version }))[1]).toEqual({
      type: 'AgentReported',
      version: 1,
      ...change,
    });
    expect((await house.ledger.verify(TENANT)).problems).toEqual([]);
    expect(await house.ledger.replayStream({ tenantId: TENANT, streamId })).toMatchObject({
      ok: false,
      problem,
      seq: 2,
    });
  });
});

describe('states of a later release', () => {
  it('are not decided on: the caller is told to try again, which the later release takes', async () => {
    await session('ahead');
    const { owner, ledger } = house;
    const set = (reader: number) =>
      owner.query(
        `UPDATE heads SET state = (state::jsonb || jsonb_build_object('reader', $3::int))::text
        WHERE tenant_id = $1 AND stream_id = $2`,
        [TENANT, 'ahead', reader],
      );
    const load = () =>
      ledger.loadRound({
        tenants: [TENANT],
        streams: [{ tenantId: TENANT, streamId: 'ahead', knownSeq: null }],
        keys: [],
        hashJoins: [],
      });
    await set(1);
    expect((await load()).heads).toHaveLength(1);
    await set(2);
    await expect(load()).rejects.toThrow(WrittenByNewer);
    const stop = { type: 'StopSession', reason: 'done', by: 'k' } as const;
    await expect(ledger.execute({ tenantId: TENANT, sessionId: 'ahead' }, stop)).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
