import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openHouse, TENANT, type House } from './house.js';

const POLICY = { ask: ['Bash(make *)'], allow: ['Bash(echo *)'] };

const body = (command: string, wish: object = {}) => ({
  sessionId: 's1',
  toolUseId: randomUUID(),
  tool: 'Bash',
  args: { command },
  cwd: '/srv/app',
  ...wish,
});

describe('over Redis', () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse({ policy: POLICY, redis: true, workers: 2 });
  }, 90_000);
  afterAll(() => house?.close(), 30_000);

  it('decides and answers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        house.post('/v1/tool-calls', body(`echo ${index}`, { sessionId: `s${index % 7}` })),
      ),
    );
    expect(answers.every((answer) => answer.body.decision === 'allow')).toBe(true);
    expect((await house.ledger.verify(TENANT)).problems).toEqual([]);
  }, 30_000);

  it('wakes whoever waits for people', async () => {
    const waits = house.post('/v1/tool-calls', body('make it', { sessionId: 'waits', wait: 30 }));
    const ask = await eventually(
      async () => (await house.ledger.asks.list({ tenantId: TENANT, sessionId: 'waits' })).items[0],
    );
    await house.answer('waits', ask.id, 'approve');
    expect((await waits).body).toMatchObject({ decision: 'allow', approvalStatus: 'approved' });
  });

  it('finds the end of an ask that nobody told it of', async () => {
    const waits = house.post('/v1/tool-calls', body('make it', { sessionId: 'untold', wait: 30 }));
    const ask = await eventually(
      async () => (await house.ledger.asks.list({ tenantId: TENANT, sessionId: 'untold' })).items[0],
    );
    const by = { channel: 'web', personId: 'p', personName: 'P' } as const;
    const command = {
      type: 'AnswerAsk',
      askId: ask.id,
      answer: 'approve',
      scope: 'once',
      by,
      reason: null,
      grantId: 'g1',
    } as const;
    await house.ledger.execute({ tenantId: TENANT, sessionId: 'untold' }, command);
    const started = Date.now();
    expect((await waits).body.decision).toBe('allow');
    expect(Date.now() - started).toBeLessThan(8_000);
  }, 20_000);

  it('ends asks whose timer was lost with the queue', async () => {
    await house.publish('short', { ask: ['Bash(make *)'], askTimeout: { after: 2, outcome: 'deny' } });
    const key = await house.makeKey({ policy: 'short' });
    const waits = house.post('/v1/tool-calls', body('make it', { sessionId: 'timer', wait: 30 }), key);
    await eventually(async () => (await house.ledger.asks.list({ tenantId: TENANT, sessionId: 'timer' })).items[0]);
    await pause(300);
    await house.loseJobs();
    expect((await waits).body).toMatchObject({ decision: 'deny', approvalStatus: 'expired' });
  }, 30_000);

  it('sends calls again whose job was lost', async () => {
    await house.stopWorkers();
    const lost = house.post('/v1/tool-calls', body('echo lost', { sessionId: 'lost' }));
    await eventually(async () => (await house.queue.depth()).evaluate > 0);
    await house.loseJobs();
    await house.startWorker();
    expect((await lost).body.decision).toBe('allow');
    const events = await house.ledger.events.list(TENANT, { session: 'lost', limit: 100 });
    expect(events.items.filter((event) => event.type === 'ToolCallDecided')).toHaveLength(1);
  }, 30_000);
});

describe('without a worker', () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse({ policy: POLICY, workers: 0, gateway: { maxWaiters: 2, judgeMs: 1_500 } });
  }, 90_000);
  afterAll(() => house?.close(), 30_000);

  const hook = async (): Promise<{ hookSpecificOutput: Record<string, string> }> => {
    const answer = await house.post('/hooks/claude-code', {
      session_id: 'h',
      cwd: '/srv/app',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'echo hi' },
      tool_use_id: randomUUID(),
    });
    expect(answer.status).toBe(200);
    return answer.body as never;
  };

  it('answers that it is unavailable, and hooks that the tool may not run', async () => {
    const [call, reply] = await Promise.all([house.post('/v1/tool-calls', body('echo hi')), hook()]);
    expect(call).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(reply.hookSpecificOutput['permissionDecision']).toBe('deny');
  });

  it('refuses more than may wait', async () => {
    const waiting = [house.post('/v1/tool-calls', body('echo a')), house.post('/v1/tool-calls', body('echo b'))];
    await pause(200);
    const refused = await house.post('/v1/tool-calls', body('echo c'));
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'overloaded' } } });
    const reply = await hook();
    expect(reply.hookSpecificOutput).toMatchObject({ permissionDecision: 'deny' });
    expect(reply.hookSpecificOutput['permissionDecisionReason']).toContain('overloaded');
    await Promise.all(waiting);
  });

  it('decides what waited in the queue once a worker is there, and the repeated call joins it', async () => {
    const call = body('echo later', { sessionId: 'later' });
    expect((await house.post('/v1/tool-calls', call)).status).toBe(503);
    await house.startWorker();
    expect((await house.post('/v1/tool-calls', call)).body.decision).toBe('allow');
    const events = await house.ledger.events.list(TENANT, { session: 'later', limit: 100 });
    expect(events.items.filter((event) => event.type === 'ToolCallDecided')).toHaveLength(1);
  });
});

describe('closing', () => {
  it('lets go of whoever waits, and leaves their asks open', async () => {
    const house = await openHouse({ policy: POLICY });
    try {
      const waits = house.post('/v1/tool-calls', body('make it', { sessionId: 'closing', wait: 60 }));
      await eventually(async () => (await house.ledger.asks.list({ tenantId: TENANT, sessionId: 'closing' })).items[0]);
      await pause(100);
      const started = Date.now();
      await house.closeGateway();
      expect((await waits).body.decision).toBe('pending');
      expect(Date.now() - started).toBeLessThan(5_000);
      const asks = await house.ledger.asks.list({ tenantId: TENANT, sessionId: 'closing', status: 'open' });
      expect(asks.items).toHaveLength(1);
    } finally {
      await house.close();
    }
  }, 90_000);
});
