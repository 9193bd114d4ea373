/** Redis goes away, falls silent, fills up, is emptied or fails over while calls run: the doors answer in time, and nothing is lost. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startOwnRedis, startTcpProxy, type OwnRedis, type TcpProxy } from '@countersign/testing';
import { Redis } from 'ioredis';
import { openHouse, TENANT, type Answer, type House } from '../calls/house.js';
import { startFailover, type RoundRobin } from './round-robin.js';

const POLICY = { ask: ['Bash(make *)'], allow: ['Bash(echo *)'] };
/** A refusal, or an answer that was found without its reply, comes within this long of what could be done for it. */
const SOON_MS = 2_000;

const body = (command: string, wish: object = {}) => ({
  sessionId: 's1',
  toolUseId: randomUUID(),
  tool: 'Bash',
  args: { command },
  cwd: '/srv/app',
  ...wish,
});

async function eventually<T>(look: () => Promise<T | null | undefined | false>, ms = 60_000): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error('it did not happen');
    await pause(50);
  }
}

async function timed<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const began = performance.now();
  return { result: await work, ms: performance.now() - began };
}

const decisionsOf = async (house: House, session: string): Promise<number> => {
  const events = await house.ledger.events.list(TENANT, { session, limit: 500 });
  return events.items.filter((event) => event.type === 'ToolCallDecided').length;
};

/** The same call again until it is decided, as agents do. */
async function untilDecided(house: House, call: object): Promise<Answer> {
  return eventually(async () => {
    const answer = await house.post('/v1/tool-calls', call);
    return answer.status === 200 && answer.body.decision !== 'pending' ? answer : null;
  });
}

describe('Redis behind a line that breaks', () => {
  let redis: OwnRedis;
  let line: TcpProxy;
  let house: House;
  beforeAll(async () => {
    redis = await startOwnRedis();
    line = await startTcpProxy(redis.url);
    house = await openHouse({ policy: POLICY, redis: line.url });
  }, 90_000);
  afterEach(() => line.restore());
  afterAll(async () => {
    await house?.close();
    await line.close();
    await redis.stop();
  }, 30_000);

  it.each(['cut', 'silence'] as const)(
    'C12 the doors refuse within 2 s while Redis is away (%s), and go on by themselves',
    async (fault) => {
      expect((await house.post('/v1/tool-calls', body('echo before'))).body.decision).toBe('allow');
      line[fault]();
      const call = body('echo during');
      const refused = await timed(house.post('/v1/tool-calls', call));
      expect(refused.result).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
      expect(refused.ms).toBeLessThan(SOON_MS);
      const hook = await house.post('/hooks/claude-code', {
        session_id: 'h',
        cwd: '/srv/app',
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_input: { command: 'echo hi' },
        tool_use_id: randomUUID(),
      });
      expect(hook).toMatchObject({ status: 200, body: { hookSpecificOutput: { permissionDecision: 'deny' } } });
      line.restore();
      expect((await untilDecided(house, call)).body.decision).toBe('allow');
    },
    60_000,
  );

  it('C04 a call whose reply is lost is answered from the ledger', async () => {
    const sessions = Array.from({ length: 8 }, (_, index) => `lost-${index}`);
    const calls = Array.from({ length: 200 }, (_, index) => body(`echo ${index}`, { sessionId: sessions[index % 8] }));
    const answers: Promise<{ result: Answer; ms: number }>[] = [];
    const cutMs = 700;
    for (const [index, call] of calls.entries()) {
      answers.push(timed(house.post('/v1/tool-calls', call)));
      if (index % 50 === 20) {
        line.cut();
        setTimeout(() => line.restore(), cutMs);
      }
      await pause(5);
    }
    const all = await Promise.all(answers);
    // Refused at once, or found: within a look-up of the outage's end.
    expect(Math.max(...all.map(({ ms }) => ms))).toBeLessThan(10_000 + SOON_MS);
    expect(all.every(({ result }) => result.status === 503 || result.body.decision === 'allow')).toBe(true);
    const again = await Promise.all(calls.map((call) => untilDecided(house, call)));
    expect(again.every((answer) => answer.body.decision === 'allow')).toBe(true);
    const counts = await Promise.all(sessions.map((session) => decisionsOf(house, session)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(calls.length);
  }, 90_000);

  it('C13 a full Redis is a refusal, and what was stored stays', async () => {
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory', '1mb');
    const call = body('echo full', { sessionId: 'full' });
    const refused = await timed(house.post('/v1/tool-calls', call));
    expect(refused.result).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(refused.ms).toBeLessThan(SOON_MS);
    expect((await house.get('/readyz')).status).toBe(503);
    await client.config('SET', 'maxmemory', '0');
    await client.quit();
    expect((await untilDecided(house, call)).body.decision).toBe('allow');
    expect(await decisionsOf(house, 'full')).toBe(1);
  }, 60_000);

  it('C14 what a flush took comes back: calls from their gateway, asks from the ledger', async () => {
    await house.publish('short', { ask: ['Bash(make *)'], askTimeout: { after: 4, outcome: 'deny' } });
    const key = await house.makeKey({ policy: 'short' });
    const asked = Array.from({ length: 20 }, (_, index) =>
      house.post('/v1/tool-calls', body('make it', { sessionId: `asked-${index}`, wait: 30 }), key),
    );
    await eventually(async () => (await house.ledger.asks.open(100)).length === 20);
    await house.stopWorkers();
    const queued = Array.from({ length: 20 }, (_, index) =>
      house.post('/v1/tool-calls', body(`echo ${index}`, { sessionId: 'queued' })),
    );
    await eventually(async () => (await house.queue.depth()).evaluate > 0);
    const client = new Redis(redis.url);
    await client.flushall();
    await client.quit();
    await house.startWorker();
    expect((await Promise.all(queued)).map((answer) => answer.body.decision)).toEqual(queued.map(() => 'allow'));
    expect((await Promise.all(asked)).map((answer) => answer.body.approvalStatus)).toEqual(asked.map(() => 'expired'));
    expect(await decisionsOf(house, 'queued')).toBe(20);
  }, 90_000);

  it('C11 an answer after the deadline is refused, whether the timer ran or not', async () => {
    await house.publish('brief', { ask: ['Bash(make *)'], askTimeout: { after: 1, outcome: 'deny' } });
    const key = await house.makeKey({ policy: 'brief' });
    const call = body('make late', { sessionId: 'late', wait: 0 });
    const pending = await house.post('/v1/tool-calls', call, key);
    await house.stopWorkers();
    await pause(1_300);
    const askId = pending.body.askId ?? '';
    const late = await house.ledger.execute(
      { tenantId: TENANT, sessionId: 'late' },
      {
        type: 'AnswerAsk',
        askId,
        answer: 'approve',
        scope: 'once',
        by: { channel: 'web', personId: 'p', personName: 'P' },
        reason: null,
        grantId: 'g',
      },
    );
    expect(late).toMatchObject({ ok: false, code: 'ask.expired' });
    await house.startWorker();
    await eventually(async () => (await house.ledger.asks.get(TENANT, askId))?.status === 'expired');
  }, 60_000);
});

describe('Redis with a replica', () => {
  let primary: OwnRedis;
  let replica: OwnRedis;
  let line: RoundRobin;
  let house: House;
  beforeAll(async () => {
    [primary, replica] = await Promise.all([startOwnRedis(), startOwnRedis()]);
    const client = new Redis(replica.url);
    await client.replicaof('127.0.0.1', String(primary.port));
    await eventually(async () => /master_link_status:up/.test(await client.info('replication')));
    await client.quit();
    line = await startFailover([primary.port, replica.port]);
    house = await openHouse({ policy: POLICY, redis: line.url.replace('http:', 'redis:') });
  }, 90_000);
  afterAll(async () => {
    await house?.close();
    await line.close();
    await Promise.all([primary.stop(), replica.stop()]);
  }, 30_000);

  it('C14 goes on over the replica that took over, without a restart', async () => {
    const waits = house.post('/v1/tool-calls', body('make it', { sessionId: 'asked', wait: 60 }));
    const ask = await eventually(async () => (await house.ledger.asks.open(10))[0]);
    await primary.stop();
    // Until somebody promotes it, the replica takes connections, but no writes.
    const refused = await timed(house.post('/v1/tool-calls', body('echo between')));
    expect([refused.result.status, refused.ms < SOON_MS]).toEqual([503, true]);
    const client = new Redis(replica.url);
    await client.replicaof('NO', 'ONE');
    await client.quit();
    const calls = Array.from({ length: 20 }, (_, index) => body(`echo ${index}`, { sessionId: 'after' }));
    const answers = await Promise.all(calls.map((call) => untilDecided(house, call)));
    expect(answers.every((answer) => answer.body.decision === 'allow')).toBe(true);
    expect(await decisionsOf(house, 'after')).toBe(20);
    await house.answer('asked', ask.askId, 'approve');
    expect((await waits).body.decision).toBe('allow');
    expect((await house.ledger.verify(TENANT)).problems).toEqual([]);
  }, 120_000);
});
