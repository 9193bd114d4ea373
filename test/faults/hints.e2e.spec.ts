/** Messages and job events are hints: whoever missed them reads the ledger, and whoever gets them twice does nothing twice. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openHouse, TENANT, type House } from '../calls/house.js';

const POLICY = { ask: ['Bash(make *)'], allow: ['Bash(echo *)'] };

let house: House;
beforeAll(async () => {
  house = await openHouse({ policy: POLICY, redis: true });
}, 90_000);
afterAll(() => house?.close(), 30_000);

const call = (session: string, command: string, wish: object = {}) => ({
  sessionId: session,
  toolUseId: randomUUID(),
  tool: 'Bash',
  args: { command },
  cwd: '/srv',
  ...wish,
});

/** Ids of the decided calls that a follower finds from a position on, and where it stands then. */
async function follow(from: { txid: string; position: string }) {
  const found: string[] = [];
  let at = from;
  for (;;) {
    const page = await house.ledger.events.feed(at, 500);
    at = page.next;
    found.push(...page.items.flatMap(({ type, callId }) => (type === 'ToolCallDecided' && callId ? [callId] : [])));
    if (page.items.length === 0) return { found, at };
  }
}

/** A follower stays below the oldest running write, so the newest events may come a moment later. */
async function followUntil(from: { txid: string; position: string }, count: number): Promise<string[]> {
  let { found, at } = await follow(from);
  for (let tries = 0; tries < 200 && found.length < count; tries += 1) {
    await pause(25);
    const more = await follow(at);
    found = [...found, ...more.found];
    at = more.at;
  }
  return found;
}

describe('a listener', () => {
  it('C05 that was away, or began together with the calls, has them all by its cursor', async () => {
    const start = (await follow({ txid: '0', position: '0' })).at;
    const heard = new Set<string>();
    const sent = Array.from({ length: 600 }, (_, index) =>
      house.post('/v1/tool-calls', call(`l${index % 20}`, `echo ${index}`)),
    );
    const early = followUntil(start, 600);
    const ids = (await Promise.all(sent)).map((answer) => String(answer.body.id));
    for (const id of await early) heard.add(id);
    expect([...heard].sort()).toEqual([...ids].sort());
    // Away all the time, and then from its old position: the same, once each.
    const late = await followUntil(start, 600);
    expect(late.sort()).toEqual(ids.sort());
  }, 60_000);

  it('C06 that replays everything posts nothing again', async () => {
    const sessions = Array.from({ length: 30 }, (_, index) => `replay-${index}`);
    await Promise.all(sessions.map((session) => house.post('/v1/tool-calls', call(session, 'make it', { wait: 0 }))));
    const asks = (await house.ledger.asks.open(1_000)).filter(({ sessionId }) => sessions.includes(sessionId));
    expect(asks).toHaveLength(sessions.length);
    for (const { sessionId, askId } of asks) await house.answer(sessionId, askId, 'reject');
    const posted: string[] = [];
    const stop = await house.bus.onOpened(({ askId }) => void posted.push(askId));
    const again = asks.map(({ tenantId, askId }) => ({
      job: { kind: 'notify' as const, tenantId, askId },
      id: `${askId}-notify`,
    }));
    await house.queue.asks.addMany(again);
    while ((await house.queue.depth()).asks > 0) await pause(20);
    await pause(300);
    await stop();
    expect(posted).toEqual([]);
    expect((await house.ledger.verify(TENANT)).problems).toEqual([]);
  }, 60_000);
});
