/** Many asks that run out of time at once: ended together, each by the rules of its own session. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { replay } from '@countersign/approval';
import type { SessionEvent } from '@countersign/contracts';
import { openTestLedger, type TestLedger } from '@countersign/testing';
import type { DueAsk, Ledger } from './index.js';
import { opened, started, TENANT, unit } from './spec-data.js';

let house: TestLedger;
let ledger: Ledger;

beforeAll(async () => {
  house = await openTestLedger(TENANT);
  ({ ledger } = house);
}, 60_000);
afterAll(() => house?.close());

async function seed(sessionId: string, ...events: SessionEvent[]): Promise<void> {
  const all = events[0]?.type === 'SessionStarted' ? events : [started(sessionId), ...events];
  expect(await ledger.append([unit(sessionId, 0, all)])).toMatchObject([{ ok: true }]);
}

/** An ask whose expiry counts as a denial; the second one in a row stops the session. */
function counting(sessionId: string, askId: string): SessionEvent {
  const event = opened(sessionId, askId);
  const terms = { holdSeconds: 540, passAsk: false, breaker: { inARow: 2, total: 20, counts: ['expiry'] } };
  return { ...event, body: { ...event.body, terms } } as SessionEvent;
}

const passTime = (...askIds: string[]) =>
  house.owner.query("UPDATE asks SET deadline = clock_timestamp() - interval '1 second' WHERE id = ANY($1)", [askIds]);
const due = (sessionId: string, ...askIds: string[]): DueAsk[] =>
  askIds.map((askId) => ({ tenantId: TENANT, sessionId, askId }));
const statusOf = async (askId: string) => (await ledger.asks.get(TENANT, askId))?.status;

async function expectStateToFit(sessionId: string): Promise<void> {
  const stored = await ledger.events.ofStream({ tenantId: TENANT, streamId: sessionId }, 0, 1_000);
  const events = stored.map(({ type, version, body }) => ({ type, version, body }) as SessionEvent);
  expect((await ledger.sessions.get(TENANT, sessionId))?.state).toEqual(replay(events));
}

it('ends what is due in many sessions, and nothing that is not', async () => {
  await seed('p', opened('p', 'ask_p1'), opened('p', 'ask_p2'), opened('p', 'ask_p3'));
  await seed('q', opened('q', 'ask_q1'));
  await seed('r', started('r', { parentId: 'q' }, 'q'), opened('r', 'ask_r1'));
  await passTime('ask_p1', 'ask_p3', 'ask_q1', 'ask_r1');
  const listed = (await ledger.asks.due(100)).map(({ askId }) => askId).sort();
  expect(listed).toEqual(['ask_p1', 'ask_p3', 'ask_q1', 'ask_r1']);
  const asks = [...due('p', 'ask_p1', 'ask_p2', 'ask_p3'), ...due('q', 'ask_q1'), ...due('r', 'ask_r1')];
  const { ended, left } = await ledger.expire(asks);
  expect(left).toEqual([]);
  const outcomes = ended.flatMap((one) => one.outcomes);
  expect(outcomes.map(({ askId }) => askId).sort()).toEqual(listed);
  for (const { outcome } of outcomes) expect(outcome).toMatchObject({ decision: 'deny', approvalStatus: 'expired' });
  expect(await statusOf('ask_p2')).toBe('open');
  for (const id of ['p', 'q', 'r']) await expectStateToFit(id);
  // Once more, and for asks that nobody has: nothing.
  const again = await ledger.expire([...asks, ...due('nobody', 'ask_none')]);
  expect(again).toEqual({ ended: [], left: [] });
  expect((await ledger.verify()).problems).toEqual([]);
});

it('opens the breaker where the second expiry does, which ends what is open besides', async () => {
  await seed('b', counting('b', 'ask_b1'), counting('b', 'ask_b2'), counting('b', 'ask_b3'), counting('b', 'ask_b4'));
  await passTime('ask_b1', 'ask_b2', 'ask_b3');
  const { ended } = await ledger.expire(due('b', 'ask_b1', 'ask_b2', 'ask_b3'));
  expect(ended.flatMap(({ outcomes }) => outcomes.map(({ outcome }) => outcome.approvalStatus))).toEqual([
    'expired',
    'expired',
    'cancelled',
    'cancelled',
  ]);
  expect(await statusOf('ask_b4')).toBe('cancelled');
  expect((await ledger.sessions.get(TENANT, 'b'))?.state.breakerOpen).toBe(true);
  await expectStateToFit('b');
});

it('lets one of two that sweep at once end each ask, and tells the other what is left', async () => {
  const sessions = Array.from({ length: 12 }, (_none, place) => `two${place}`);
  for (const id of sessions) await seed(id, opened(id, `ask_${id}`));
  const ids = sessions.map((id) => `ask_${id}`);
  await passTime(...ids);
  const asks = sessions.flatMap((id) => due(id, `ask_${id}`));
  const both = await Promise.all([ledger.expire(asks), ledger.expire(asks)]);
  const ended = both.flatMap((one) => one.ended.flatMap(({ outcomes }) => outcomes.map(({ askId }) => askId)));
  expect(ended.sort()).toEqual([...ids].sort());
  expect(await ledger.asks.due(100)).toEqual([]);
});
