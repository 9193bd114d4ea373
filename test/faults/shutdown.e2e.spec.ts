/** SIGTERM: every service turns red first, ends what runs, closes in order and in time, and closes no ask. */
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { io, type Socket } from 'socket.io-client';
import { askOf, eventually, openAsks, send } from '../system/doors.js';
import { FaultHouse } from './house.js';
import { LOAD_POLICY } from './load.js';

jest.setTimeout(120_000);

/** An idle service ends within this long, one with work or without Redis within the other. */
const IDLE_MS = 5_000;
const LONGEST_MS = 25_000;

let house: FaultHouse;
beforeAll(async () => {
  house = await FaultHouse.open({
    counts: { gateway: 2, worker: 2, approver: 2 },
    policy: LOAD_POLICY,
    env: { LOG_LEVEL: 'info', LEAVE_SECONDS: '1' },
  });
}, 180_000);
afterAll(() => house?.close(), 60_000);

async function timed<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const began = performance.now();
  return { result: await work, ms: performance.now() - began };
}

const call = (sessionId: string, command: string, wait = 30) => ({
  sessionId,
  toolUseId: `${sessionId}-${command}`,
  tool: 'Bash',
  args: { command },
  cwd: '/tmp',
  wait,
});

/** What pino wrote, in order. */
function logLines(output: string): { msg: string; part?: string }[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { msg: string; part?: string });
}

const closedParts = (output: string): string[] =>
  logLines(output).flatMap(({ msg, part }) => (msg === 'closed' && part !== undefined ? [part] : []));

/** A client that keeps its connection. */
function keepAliveGet(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    }).on('error', reject);
  });
}

function listen(url: string, key: string): Promise<Socket> {
  const socket = io(`${url}/approvals`, { transports: ['websocket'], auth: { token: key }, reconnection: true });
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket));
    socket.once('connect_error', reject);
  });
}

describe('SIGTERM', () => {
  it('C17 turns readiness red first, sends sockets elsewhere, and closes in order', async () => {
    const leaving = house.service('approver', 0);
    const before = leaving.output.length;
    const agent = new Agent({ keepAlive: true });
    const clients = await Promise.all(Array.from({ length: 10 }, () => keepAliveGet(`${leaving.url}/healthz`, agent)));
    expect(clients).toEqual(clients.map(() => 200));
    const sockets = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        listen(index < 25 ? leaving.url : house.approverUrl, house.keys.approverKey),
      ),
    );
    const told = sockets.map((socket) => new Promise((resolve) => socket.once('line.leaving', resolve)));
    const ended = timed(leaving.end('SIGTERM'));
    await eventually(async () => (await keepAliveGet(`${leaving.url}/readyz`, agent)) === 503);
    await Promise.all(told.slice(0, 25));
    const { result, ms } = await ended;
    expect([result, ms < IDLE_MS + 1_000]).toEqual([0, true]);
    const lines = logLines(leaving.output.slice(before));
    const steps = lines.map(({ msg, part }) => (msg === 'closed' ? part : msg));
    const order = [
      'leaving: not ready any more',
      'leaving: takes no new connections',
      'approver',
      'queue',
      'ledger',
      'bus',
    ];
    expect(steps.filter((step) => step !== undefined && order.includes(step))).toEqual(order);
    // Those that came through the balancer are connected again, to the other approver.
    await eventually(async () => sockets.slice(25).every((socket) => socket.connected));
    sockets.forEach((socket) => socket.disconnect());
    agent.destroy();
    await leaving.start();
  });

  it('C16 ends each idle service with exit code 0', async () => {
    const services = [house.service('gateway', 1), house.service('worker', 1), house.service('approver', 1)];
    const ends = await Promise.all(services.map((service) => timed(service.end('SIGTERM'))));
    expect(ends.map(({ result }) => result)).toEqual([0, 0, 0]);
    expect(Math.max(...ends.map(({ ms }) => ms))).toBeLessThan(IDLE_MS);
    const [gateway, worker] = services.map((service) => closedParts(service.output));
    expect(worker?.indexOf('worker’s readiness')).toBe(0);
    for (const [parts, app] of [
      [gateway, 'gateway'],
      [worker, 'worker'],
    ] as const) {
      const places = [app, 'queue', 'ledger', 'bus'].map((name) => parts?.indexOf(name) ?? -1);
      expect(places).toEqual([...places].sort((one, other) => one - other));
      expect(places).not.toContain(-1);
    }
    await Promise.all(services.map((service) => service.start()));
  });

  it('C16 finishes what runs or gives it back, answers who waits, and closes no ask', async () => {
    const { agentKey: key } = house.keys;
    const asking = send(`${house.service('gateway', 0).url}/v1/tool-calls`, { key, body: call('waits', 'make it') });
    const ask = await askOf(house.people, 'waits');
    const workers = house.services.worker;
    const { decided, stopping } = await house.holdingWrites(async () => {
      const sent = send(`${house.service('gateway', 1).url}/v1/tool-calls`, { key, body: call('runs', 'echo it') });
      await pause(500);
      const ending = workers.map((worker) => timed(worker.end('SIGTERM')));
      // Longer than an idle end takes: the workers wait for what they have in hand.
      await pause(2_000);
      return { decided: sent, stopping: ending };
    });
    const ends = await Promise.all(stopping);
    expect(ends.every(({ result, ms }) => result === 0 && ms < LONGEST_MS)).toBe(true);
    await Promise.all(workers.map((worker) => worker.start()));
    expect((await decided).body.decision).toBe('allow');
    const again = await send(`${house.gatewayUrl}/v1/tool-calls`, { key, body: call('runs', 'echo it') });
    expect(again.body.decision).toBe('allow');
    const gateway = await timed(house.service('gateway', 0).end('SIGTERM'));
    expect([gateway.result, gateway.ms < LONGEST_MS]).toEqual([0, true]);
    expect((await asking).body).toMatchObject({ decision: 'pending', askId: ask.id });
    expect((await openAsks(house.people)).map(({ id }) => id)).toContain(ask.id);
    await house.service('gateway', 0).start();
  });

  it('C16 ends by itself or by force in time when Redis is away', async () => {
    await house.redis.stop();
    const services = [house.service('gateway', 0), house.service('worker', 0), house.service('approver', 0)];
    const ends = await Promise.all(services.map((service) => timed(service.end('SIGTERM'))));
    for (const [index, { result, ms }] of ends.entries()) {
      expect(ms).toBeLessThan(LONGEST_MS + 1_000);
      expect(result === 0 || /forced to end/.test(services[index]?.output ?? '')).toBe(true);
    }
    process.stdout.write(
      `shutdown without Redis: ${ends.map(({ result, ms }) => `${result} in ${Math.round(ms)} ms`).join(', ')}\n`,
    );
    await house.redis.start();
  });
});
