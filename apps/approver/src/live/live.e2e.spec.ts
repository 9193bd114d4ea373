/** The live line over real websockets: who may listen, what they hear, and what they get after an absence. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startOwnRedis, startTcpProxy } from '@countersign/testing';
import { io, type Socket } from 'socket.io-client';
import { openApprovers, type Approvers } from '../testing/approvers.js';
import { eventually, send } from '../testing/doors.js';

let house: Approvers;
let ann: { key: string };
const sockets: Socket[] = [];

beforeAll(async () => {
  house = await openApprovers(2);
  ann = await house.person('Ann');
}, 60_000);
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect();
});
afterAll(() => house.close());

interface Heard {
  readonly name: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- messages of every shape
  readonly message: any;
}

interface Line {
  readonly socket: Socket;
  readonly heard: Heard[];
  next(name: string, id: string): Promise<Heard>;
}

function listen(
  auth: Record<string, string>,
  options: { at?: number; headers?: Record<string, string>; transports?: string[] } = {},
): Line {
  const socket = io(`${house.urls[options.at ?? 0]}/approvals`, {
    auth,
    transports: options.transports ?? ['websocket'],
    forceNew: true,
    reconnection: false,
    ...(options.headers ? { extraHeaders: options.headers } : {}),
  });
  sockets.push(socket);
  const heard: Heard[] = [];
  socket.onAny((name: string, message: unknown) => heard.push({ name, message }));
  const idOf = ({ message }: Heard) => message.id ?? message.ask?.id;
  return {
    socket,
    heard,
    next: (name, id) => eventually(async () => heard.find((one) => one.name === name && idOf(one) === id)),
  };
}

const connected = (line: Line) =>
  new Promise<'connected' | { code?: string; message: string }>((resolve) => {
    line.socket.on('connect', () => resolve('connected'));
    line.socket.on('connect_error', (error) =>
      resolve({ message: error.message, ...((error as { data?: { code: string } }).data ?? {}) }),
    );
  });

describe('the live line', () => {
  it('tells of asks that open and close, on every approver', async () => {
    const lines = [listen({ token: ann.key }), listen({ token: ann.key }, { at: 1 })];
    expect(await Promise.all(lines.map(connected))).toEqual(['connected', 'connected']);
    const { askId } = await house.askAloud({ says: 'to ship it' });
    for (const line of lines) {
      expect((await line.next('ask.opened', askId)).message.ask).toMatchObject({
        id: askId,
        status: 'open',
        agentSays: 'to ship it',
      });
    }
    await send(`${house.urls[0]}/v1/asks/${askId}/answer`, ann.key, { body: { answer: 'reject' } });
    for (const line of lines) {
      expect((await line.next('ask.closed', askId)).message).toMatchObject({
        status: 'rejected',
        by: 'Ann',
        via: 'web',
      });
    }
  });

  it('tells nobody of another tenant', async () => {
    const stranger = await house.person('Zed', 'approver', 'other');
    const theirs = listen({ token: stranger.key });
    const ours = listen({ token: ann.key });
    await Promise.all([connected(theirs), connected(ours)]);
    const { askId } = await house.askAloud();
    await ours.next('ask.opened', askId);
    const mine = await house.askAloud({ tenantId: 'other' });
    await theirs.next('ask.opened', mine.askId);
    expect(theirs.heard).toHaveLength(1);
  });

  it('gives what was missed since a version, from the database', async () => {
    const { version } = (await send(`${house.urls[0]}/v1/asks`, ann.key)).body;
    const gone = await house.ask();
    const stays = await house.ask();
    await send(`${house.urls[1]}/v1/asks/${gone.askId}/answer`, ann.key, { body: { answer: 'approve' } });
    const line = listen({ token: ann.key, since: version });
    await line.next('ask.opened', stays.askId);
    expect((await line.next('ask.closed', gone.askId)).message).toMatchObject({ status: 'approved', by: 'Ann' });
    const caught = await eventually(async () => line.heard.find((one) => one.name === 'caught.up'));
    expect(caught.message.version > version).toBe(true);
    expect(line.heard.some((one) => one.name === 'ask.opened' && one.message.ask.id === gone.askId)).toBe(false);
  });
});

describe('who may listen', () => {
  it('refuses agents, auditors, strangers and nobody', async () => {
    const agent = await house.agentKey();
    const auditor = await house.person('Audrey', 'auditor');
    expect(await connected(listen({ token: agent }))).toMatchObject({ code: 'auth.wrong_role' });
    expect(await connected(listen({ token: auditor.key }))).toMatchObject({ code: 'auth.wrong_role' });
    expect(await connected(listen({ token: 'cs_approver_nobody' }))).toMatchObject({ code: 'auth.unknown_key' });
    expect(await connected(listen({}))).toMatchObject({ code: 'auth.missing' });
  });

  it('refuses other origins, other hosts and long polling', async () => {
    const auth = { token: ann.key };
    const evil = { origin: 'https://evil.example' };
    expect(await connected(listen(auth, { headers: evil }))).not.toBe('connected');
    expect(await connected(listen(auth, { headers: { host: 'evil.example' } }))).not.toBe('connected');
    expect(await connected(listen(auth, { transports: ['polling'] }))).not.toBe('connected');
  });

  it('cuts the line of a key that was revoked', async () => {
    const { secret, key } = await house.ledger.keys.create({ tenantId: 'acme', role: 'approver', by: 'test' });
    const line = listen({ token: secret });
    expect(await connected(line)).toBe('connected');
    await house.ledger.keys.revoke({ tenantId: 'acme', keyId: key.keyId, by: 'test' });
    await eventually(async () => line.socket.disconnected);
  });
});

describe('the end of an approver', () => {
  it('closes soon, with listeners on the line', async () => {
    const other = await openApprovers(1);
    try {
      const { key } = await other.person('Cleo');
      const socket = io(`${other.urls[0]}/approvals`, {
        auth: { token: key },
        transports: ['websocket'],
        forceNew: true,
      });
      sockets.push(socket);
      await eventually(async () => socket.connected);
      const began = performance.now();
      await other.stopApprovers();
      expect(performance.now() - began).toBeLessThan(1_500);
      await eventually(async () => socket.disconnected);
      // Still wanting to come back: whoever serves the page next is found without a press.
      expect(socket.active).toBe(true);
    } finally {
      await other.close();
    }
  }, 60_000);
});

describe('without Redis', () => {
  it('says that updates pause, keeps answering, and goes on afterwards', async () => {
    const redis = await startOwnRedis();
    const proxy = await startTcpProxy(redis.url);
    const apart = await openApprovers(1, { kind: 'redis', url: proxy.url, prefix: `test-${Date.now()}` });
    try {
      const { key } = await apart.person('Dora');
      const socket = io(`${apart.urls[0]}/approvals`, {
        auth: { token: key },
        transports: ['websocket'],
        forceNew: true,
      });
      sockets.push(socket);
      const heard: string[] = [];
      socket.onAny((name: string) => heard.push(name));
      await eventually(async () => socket.connected);
      proxy.cut();
      await eventually(async () => heard.includes('line.paused'));
      const { askId } = await apart.ask();
      const done = await send(`${apart.urls[0]}/v1/asks/${askId}/answer`, key, { body: { answer: 'approve' } });
      expect(done.status).toBe(200);
      proxy.restore();
      await eventually(async () => heard.includes('line.resumed'));
      await apart.askAloud();
      await eventually(async () => heard.includes('ask.opened'));
    } finally {
      await apart.close();
      await proxy.close();
      await redis.stop();
    }
  }, 60_000);
});
