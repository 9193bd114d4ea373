/** `kill -9` of gateway and worker while five questions wait for people: nothing of them lives in a process. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { AskView } from '@countersign/contracts';
import { FaultHouse } from '../faults/house.js';
import { answerAsk, openAsks, send, type Answer } from '../system/doors.js';

jest.setTimeout(180_000);

let house: FaultHouse;
beforeAll(async () => {
  house = await FaultHouse.open({
    counts: { gateway: 1, worker: 1, approver: 1 },
    policy: { ask: ['Bash(make *)'], breaker: { inARow: 100, total: 100, counts: [] } },
  });
}, 240_000);
afterAll(() => house?.close(), 60_000);

const call = (nth: number, wait: number): Promise<Answer> => {
  const body = {
    sessionId: `s${nth}`,
    toolUseId: 'r',
    tool: 'Bash',
    args: { command: `make r${nth}` },
    cwd: '/srv',
    wait,
  };
  return send(`${house.gatewayUrl}/v1/tool-calls`, { key: house.keys.agentKey, body });
};
const bySession = (asks: readonly AskView[]) =>
  asks.map(({ id, sessionId, deadline }) => ({ id, sessionId, deadline })).sort((a, b) => (a.id < b.id ? -1 : 1));

it('B08 lists all five with their deadlines afterwards; the answered one goes on at its agent, the rest still wait', async () => {
  const numbers = [1, 2, 3, 4, 5];
  const pending = await Promise.all(numbers.map((nth) => call(nth, 0)));
  const before = bySession(await openAsks(house.people));
  expect(before).toHaveLength(5);
  const services = [house.service('gateway'), house.service('worker')];
  await Promise.all(services.map((service) => service.end('SIGKILL')));
  await Promise.all(services.map((service) => service.start()));
  expect(bySession(await openAsks(house.people))).toEqual(before);
  const third = String(pending[2]?.body.askId);
  const waiting = call(3, 60);
  expect((await answerAsk(house.people, third, 'approve')).status).toBe(200);
  expect((await waiting).body).toMatchObject({ id: pending[2]?.body.id, decision: 'allow' });
  const rest = bySession(await openAsks(house.people));
  expect(rest).toEqual(before.filter(({ id }) => id !== third));
  const others = await Promise.all([1, 2, 4, 5].map((nth) => call(nth, 0)));
  expect(others.map(({ body }) => body.decision)).toEqual(['pending', 'pending', 'pending', 'pending']);
});
