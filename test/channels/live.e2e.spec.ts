/** The live line over approvers that run apart, behind a balancer that knows no affinity, over a Redis that goes away. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { FaultHouse } from '../faults/house.js';
import { LOAD_POLICY } from '../faults/load.js';
import { answerAsk, askOf, eventually, openAsks, send } from '../system/doors.js';

jest.setTimeout(180_000);

const CLIENTS = 100;
const EVENTS = 30;

let house: FaultHouse;
const sockets: Socket[] = [];
beforeAll(async () => {
  house = await FaultHouse.open({ counts: { gateway: 1, worker: 1, approver: 2 }, policy: LOAD_POLICY });
}, 180_000);
afterAll(async () => {
  for (const socket of sockets) socket.disconnect();
  await house?.close();
}, 60_000);

interface Listener {
  readonly socket: Socket;
  readonly opened: string[];
  readonly closed: string[];
  readonly notes: string[];
  version: string;
}

/** `since` is read at every connection, as the page does. */
function listen(url: string): Listener {
  const listener: Listener = {
    socket: io(`${url}/approvals`, options()),
    opened: [],
    closed: [],
    notes: [],
    version: '',
  };
  function options() {
    const auth = (give: (value: object) => void): void =>
      give({ token: house.keys.approverKey, since: listener.version });
    return { transports: ['websocket'], forceNew: true, reconnectionDelayMax: 500, auth };
  }
  const { socket } = listener;
  sockets.push(socket);
  socket.on('ask.opened', ({ ask }: { ask: { id: string } }) => listener.opened.push(ask.id));
  socket.on('ask.closed', ({ id }: { id: string }) => listener.closed.push(id));
  socket.on('caught.up', ({ version }: { version: string }) => (listener.version = version));
  for (const name of ['line.paused', 'line.resumed', 'line.leaving']) socket.on(name, () => listener.notes.push(name));
  return listener;
}

async function ask(sessionId: string): Promise<string> {
  const body = {
    sessionId,
    toolUseId: `${sessionId}-1`,
    tool: 'Bash',
    args: { command: 'make it' },
    cwd: '/tmp',
    wait: 0,
  };
  const answer = await send(`${house.gatewayUrl}/v1/tool-calls`, { key: house.keys.agentKey, body });
  if (answer.body.askId) return answer.body.askId;
  return (await askOf(house.people, sessionId)).id;
}

const times = <T>(items: readonly T[], wanted: T): number => items.filter((item) => item === wanted).length;

describe('the live line', () => {
  it('C18 serves a hundred clients over two approvers without affinity', async () => {
    const clients = Array.from({ length: CLIENTS }, () => listen(house.approverUrl));
    await eventually(async () => clients.every(({ socket, version }) => socket.connected && version !== ''));
    const id = await ask('c18');
    await eventually(async () => clients.every(({ opened }) => opened.includes(id)));
    await answerAsk(house.people, id, 'reject');
    await eventually(async () => clients.every(({ closed }) => closed.includes(id)));
    expect(clients.map(({ opened, closed }) => [times(opened, id), times(closed, id)])).toEqual(
      clients.map(() => [1, 1]),
    );
    for (const { socket } of clients) socket.disconnect();
  });

  it('C19 tells what passed while a client was away, from the other approver, none missing and none doubled', async () => {
    const [one, other] = [house.service('approver', 0), house.service('approver', 1)];
    const client = listen(one.url);
    await eventually(async () => client.version !== '');
    const { version } = client;
    client.socket.disconnect();
    const ids: string[] = [];
    for (let index = 0; index < EVENTS / 2; index += 1) ids.push(await ask(`c19-${index}`));
    const ended = ids.slice(0, EVENTS / 3);
    for (const id of ended) await answerAsk(house.people, id, 'approve');
    const back = listen(other.url);
    back.version = version;
    await eventually(async () => back.version > version);
    const stays = ids.filter((id) => !ended.includes(id));
    expect(back.opened.filter((id) => ids.includes(id))).toEqual(stays);
    expect(back.closed.filter((id) => ids.includes(id)).sort()).toEqual([...ended].sort());
    for (const id of stays) await answerAsk(house.people, id, 'reject');
    back.socket.disconnect();
  });

  it('C20 goes on telling while one approver stands still', async () => {
    const [frozen, running] = [house.service('approver', 0), house.service('approver', 1)];
    const client = listen(running.url);
    await eventually(async () => client.version !== '');
    frozen.freeze();
    try {
      const id = await ask('c20');
      await eventually(async () => client.opened.includes(id));
      const people = { url: running.url, key: house.keys.approverKey };
      expect((await openAsks(people)).map((one) => one.id)).toContain(id);
      expect((await answerAsk(people, id, 'approve')).status).toBe(200);
      await eventually(async () => client.closed.includes(id));
    } finally {
      frozen.thaw();
    }
    client.socket.disconnect();
  });

  it('C21 says that updates pause while Redis is away, keeps answering, and catches up', async () => {
    const client = listen(house.service('approver', 1).url);
    await eventually(async () => client.version !== '');
    const id = await ask('c21');
    await eventually(async () => client.opened.includes(id));
    await house.redis.stop();
    await eventually(async () => client.notes.includes('line.paused'));
    await pause(1_000);
    const { status } = await answerAsk(
      { url: house.service('approver', 1).url, key: house.keys.approverKey },
      id,
      'reject',
    );
    await house.redis.start();
    await eventually(async () => client.notes.includes('line.resumed'));
    // The page reads the list again; a client of its own asks for what it missed.
    client.socket.disconnect().connect();
    await eventually(async () => client.closed.includes(id));
    expect([status, client.socket.connected, house.service('approver', 1).pid > 0]).toEqual([200, true, true]);
  });
});
