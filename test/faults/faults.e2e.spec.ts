/** Faults of real processes under load: whatever dies, every call gets one decision, in time, and the chains hold. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { io } from 'socket.io-client';
import { createChance, drawSeed } from '../system/chance.js';
import { answerAsk, askOf, eventsOf, eventually, openAsks, send } from '../system/doors.js';
import { checkLoad } from './check.js';
import { FAULTS, type Fault } from './faults.js';
import { FaultHouse } from './house.js';
import { LOAD_POLICY, underLoad } from './load.js';

jest.setTimeout(180_000);

const PER_SECOND = 100;
const SECONDS = 2.5;
const chance = createChance(drawSeed('faults'));

let house: FaultHouse;
beforeAll(async () => {
  house = await FaultHouse.open({ counts: { gateway: 2, worker: 3, approver: 2 }, policy: LOAD_POLICY });
}, 180_000);
afterAll(() => house?.close(), 60_000);

describe('two gateways, three workers and two approvers behind balancers', () => {
  it('judge together, and either approver answers what the other one showed', async () => {
    const { agentKey: key, approverKey } = house.keys;
    const body = (sessionId: string, command: string) => ({
      sessionId,
      toolUseId: `${sessionId} ${command}`,
      tool: 'Bash',
      args: { command },
      cwd: '/tmp',
      wait: 60,
    });
    const post = (url: string, sessionId: string, command: string) =>
      send(`${url}/v1/tool-calls`, { key, body: body(sessionId, command) });
    const [one, two] = house.services.approver.map(({ url }) => ({ url, key: approverKey }));
    if (!one || !two) throw new Error('two approvers were asked for');
    const waits = post(house.gatewayUrl, 'together', 'make it');
    // The same call at the other gateway, too: it joins.
    const joins = house.services.gateway.map(({ url }) => post(url, 'together', 'make it'));
    const heard = new Promise((resolve) => {
      const line = io(`${house.approverUrl}/approvals`, { transports: ['websocket'], auth: { token: approverKey } });
      line.once('ask.closed', (notice: { id: string }) => {
        line.disconnect();
        resolve(notice.id);
      });
    });
    const ask = await askOf(one, 'together');
    expect((await openAsks(two)).map(({ id }) => id)).toContain(ask.id);
    expect((await answerAsk(two, ask.id, 'approve')).status).toBe(200);
    expect((await answerAsk(one, ask.id, 'reject')).status).toBe(409);
    const answers = await Promise.all([waits, ...joins]);
    expect(answers.map(({ body: { decision } }) => decision)).toEqual(['allow', 'allow', 'allow']);
    expect(await heard).toBe(ask.id);
    const calls = Array.from({ length: 60 }, (_, index) =>
      post(house.gatewayUrl, `many-${index % 6}`, `echo ${index}`),
    );
    expect((await Promise.all(calls)).every(({ body: { decision } }) => decision === 'allow')).toBe(true);
    const decided = await eventsOf(
      { url: house.approverUrl, key: house.keys.auditorKey },
      'session=together&type=ToolCallDecided',
    );
    expect(decided).toHaveLength(1);
    expect((await house.ledger.verify()).problems).toEqual([]);
  });
});

describe('under load', () => {
  const faults = Object.entries<Fault>(FAULTS).map(([key, fault]) => [fault.name, key, fault] as const);
  it.each(faults)('%s', async (_name, key, fault) => {
    const options = { url: house.gatewayUrl, key: house.keys.agentKey, perSecond: PER_SECOND, seconds: SECONDS };
    const { told } = await underLoad({ ...options, name: key }, async () => {
      await pause(400);
      // A quarter of the twenty seconds of the long suite is longer than a lock.
      await fault.run(house, chance, 0.3);
    });
    const summary = await checkLoad(house, key, told);
    expect(summary.calls).toBe(PER_SECOND * SECONDS);
  });
});

describe('with nobody left', () => {
  it('C03 jobs that are active without a worker are taken up again', async () => {
    const { agentKey: key } = house.keys;
    const body = (index: number) => ({
      sessionId: `zombie-${index % 5}`,
      toolUseId: `zombie_${index}`,
      tool: 'Bash',
      args: { command: `echo ${index}` },
      cwd: '/tmp',
      wait: 30,
    });
    const sendAll = () =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) => send(`${house.gatewayUrl}/v1/tool-calls`, { key, body: body(index) })),
      );
    const redis = new Redis(house.redis.url);
    const first = await house.holdingWrites(async () => {
      const sent = sendAll();
      await eventually(async () => (await redis.llen('{countersign}:evaluate:active')) > 0);
      await pause(300);
      await Promise.all(house.services.worker.map((worker) => worker.end('SIGKILL')));
      return sent;
    });
    const locks = await redis.keys('{countersign}:evaluate:*:lock');
    if (locks.length > 0) await redis.del(...locks);
    await redis.quit();
    expect(first.every(({ status, body: { decision } }) => status === 503 || decision === 'allow')).toBe(true);
    await house.service('worker', 0).start();
    const again = await eventually(async () => {
      const answers = await sendAll();
      return answers.every(({ body: { decision } }) => decision === 'allow') ? answers : null;
    }, 60_000);
    expect(again).toHaveLength(20);
    const events = await house.ledger.verify();
    expect(events.problems).toEqual([]);
  });
});
