/** Answers over HTTP against a real database: who wins, who loses, and what each is told. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SessionCommand } from '@countersign/approval';
import { policyDocumentSchema, type DecidedNotice } from '@countersign/contracts';
import { openApprovers, type Approvers } from '../testing/approvers.js';
import { send } from '../testing/doors.js';

let house: Approvers;
let url: string;
let ann: { key: string; personId: string };

beforeAll(async () => {
  house = await openApprovers(2);
  [url = ''] = house.urls;
  ann = await house.person('Ann');
}, 60_000);
afterAll(() => house.close());

const answer = (askId: string, key: string, body: unknown, headers: Record<string, string> = {}) =>
  send(`${url}/v1/asks/${askId}/answer`, key, { body, headers });

describe('one answer', () => {
  it('approves, decides the call, and tells who waits', async () => {
    const heard: DecidedNotice[] = [];
    const end = await house.bus.onDecided((message) => heard.push(message));
    const { askId, callId } = await house.ask();
    const { status, body } = await answer(askId, ann.key, { answer: 'approve', reason: 'go on' });
    expect(status).toBe(200);
    expect(body.ask).toMatchObject({ id: askId, status: 'approved', resolvedBy: 'Ann', resolvedVia: 'web' });
    expect(body.decision).toMatchObject({ id: callId, decision: 'allow', approvalStatus: 'approved' });
    await new Promise(setImmediate);
    expect(heard).toMatchObject([{ tenantId: 'acme', askId, status: 'approved', channel: 'web' }]);
    await end();
    const { items } = await house.ledger.events.list('acme', { call: callId, type: 'ToolCallDecided' });
    expect(items).toMatchObject([{ decision: 'allow', personId: ann.personId, channel: 'web' }]);
  });

  it('rejects with a reason that the agent is told', async () => {
    const { askId } = await house.ask();
    const { body } = await answer(askId, ann.key, { answer: 'reject', reason: 'not on a Friday' });
    expect(body.decision).toMatchObject({ decision: 'deny', approvalStatus: 'rejected' });
    expect(body.decision.reason).toContain('not on a Friday');
  });

  it('tells of every ask that ends with it, when a rejection stops the session', async () => {
    const heard: DecidedNotice[] = [];
    const end = await house.bus.onDecided((message) => heard.push(message));
    const first = await house.ask({ breakAfter: 1 });
    const other = await house.ask({ sessionId: first.sessionId, args: { command: 'git push --tags' }, breakAfter: 1 });
    const { body } = await answer(first.askId, ann.key, { answer: 'reject' });
    expect(body.decision).toMatchObject({ decision: 'deny', stop: true });
    await new Promise(setImmediate);
    expect(heard.map(({ askId, status, channel }) => ({ askId, status, channel }))).toEqual([
      { askId: first.askId, status: 'rejected', channel: 'web' },
      { askId: other.askId, status: 'cancelled', channel: 'system' },
    ]);
    await end();
    const late = await answer(other.askId, ann.key, { answer: 'approve' });
    expect(late).toMatchObject({
      status: 409,
      body: { error: { details: { status: 'cancelled', by: null, via: 'system' } } },
    });
  });

  it('refuses bodies that it does not understand', async () => {
    const { askId } = await house.ask();
    for (const body of [{}, { answer: 'allow' }, { answer: 'approve', scope: 'forever' }, []]) {
      expect((await answer(askId, ann.key, body)).status).toBe(400);
    }
    expect((await house.ledger.asks.get('acme', askId))?.status).toBe('open');
  });
});

describe('an approval of what would be denied by now', () => {
  const rule = {
    id: 'r1',
    effect: 'deny',
    pattern: 'Bash(git push *)',
    source: 'session',
    reason: 'not any more',
  } as const;
  const tightenings: [string, SessionCommand][] = [
    ['a rule', { type: 'ChangeRules', added: [{ ...rule, order: 0, match: [], notMatch: [] }], removed: [], by: 'Bo' }],
    ['fewer tools', { type: 'NarrowSession', silent: false, tools: ['Read'], by: 'Bo' }],
    ['silence', { type: 'NarrowSession', silent: true, tools: null, by: 'Bo' }],
    ['a mode', { type: 'SetMode', mode: 'dontAsk', by: 'Bo', byPerson: true }],
  ];

  it.each(tightenings)('is refused after %s, the ask stays open, and can be rejected', async (_what, command) => {
    const { askId, sessionId } = await house.ask();
    expect(await house.ledger.execute({ tenantId: 'acme', sessionId }, command)).toMatchObject({ ok: true });
    const refused = await answer(askId, ann.key, { answer: 'approve' });
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'ask.denied_now' } } });
    const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'AskAnswerRefused' });
    expect(items).toHaveLength(1);
    expect((await house.ledger.asks.get('acme', askId))?.status).toBe('open');
    expect((await answer(askId, ann.key, { answer: 'reject' })).status).toBe(200);
  });

  it('is refused after a policy that denies it, or a rule of a session above', async () => {
    const parent = await house.ask({ tenantId: 'strict' });
    const child = await house.ask({ tenantId: 'strict', parentId: parent.sessionId });
    const ben = await house.person('Ben', 'approver', 'strict');
    const [[, command] = []] = tightenings;
    const target = { tenantId: 'strict', sessionId: parent.sessionId };
    if (command !== undefined) await house.ledger.execute(target, command);
    const denied = { status: 422, body: { error: { code: 'ask.denied_now' } } };
    expect(await answer(child.askId, ben.key, { answer: 'approve' })).toMatchObject(denied);
    const other = await house.ask({ tenantId: 'strict' });
    const document = policyDocumentSchema.parse({ deny: ['Bash(git push *)'] });
    await house.ledger.policies.publish({ tenantId: 'strict', name: 'default', document, by: 'Bo' });
    expect(await answer(other.askId, ben.key, { answer: 'approve' })).toMatchObject(denied);
  });
});

describe('answers that come too late', () => {
  it('B02 says who was first, when and where, and records the attempt', async () => {
    const bo = await house.person('Bo');
    const { askId, sessionId } = await house.ask();
    await answer(askId, ann.key, { answer: 'reject' });
    const late = await answer(askId, bo.key, { answer: 'approve' });
    expect(late.status).toBe(409);
    expect(late.body.error).toMatchObject({
      code: 'ask.already_resolved',
      details: { status: 'rejected', by: 'Ann', via: 'web', agrees: false, at: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'AskAnswerRefused' });
    expect(items).toMatchObject([{ askId, personId: bo.personId }]);
  });

  it('takes the same words of the same person as the same answer', async () => {
    const { askId } = await house.ask();
    const first = await answer(askId, ann.key, { answer: 'approve', reason: 'fine' });
    const again = await answer(askId, ann.key, { answer: 'approve', reason: 'fine' });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect((await answer(askId, ann.key, { answer: 'approve', reason: 'other words' })).status).toBe(409);
    expect((await answer(askId, ann.key, { answer: 'reject', reason: 'fine' })).status).toBe(409);
    const wider = { answer: 'approve', reason: 'fine', scope: 'always', pattern: 'Bash(git push *)' };
    expect((await answer(askId, ann.key, wider)).status).toBe(409);
  });

  it('repeats the first result for the same Idempotency-Key only', async () => {
    const { askId } = await house.ask();
    const body = { answer: 'approve' };
    const first = await answer(askId, ann.key, body, { 'idempotency-key': `once-${askId}` });
    const again = await answer(askId, ann.key, body, { 'idempotency-key': `once-${askId}` });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect((await answer(askId, ann.key, body, { 'idempotency-key': `twice-${askId}` })).status).toBe(409);
    const reused = await answer(askId, ann.key, { answer: 'reject' }, { 'idempotency-key': `once-${askId}` });
    expect(reused).toMatchObject({ status: 422, body: { error: { code: 'idempotency.reused' } } });
    const bo = await house.person('Bo with the same key');
    expect((await answer(askId, bo.key, body, { 'idempotency-key': `once-${askId}` })).status).toBe(409);
  });

  it('is gone by the clock of the database, whatever ours says', async () => {
    const { askId } = await house.ask({ timeoutMs: 1 });
    const late = await answer(askId, ann.key, { answer: 'approve' });
    expect(late).toMatchObject({
      status: 410,
      body: { error: { code: 'ask.expired', details: { status: 'expired', at: expect.any(String) } } },
    });
  });

  it('B02 refuses a version that was never shown', async () => {
    const { askId, sessionId } = await house.ask();
    const stale = await answer(askId, ann.key, { answer: 'approve', version: 7 });
    expect(stale).toMatchObject({
      status: 409,
      body: { error: { code: 'ask.stale_version', details: { version: 1 } } },
    });
    const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'AskAnswerRefused' });
    expect(items).toHaveLength(1);
    expect((await answer(askId, ann.key, { answer: 'approve', version: 1 })).status).toBe(200);
  });
});

it('B01 lets exactly one of fifty people win, over two approvers', async () => {
  const people: { key: string }[] = [];
  for (let place = 0; place < 50; place += 1) people.push(await house.person(`Racer ${place}`));
  const { askId, callId } = await house.ask();
  const answers = await Promise.all(
    people.map(({ key }, place) =>
      send(`${house.urls[place % 2]}/v1/asks/${askId}/answer`, key, {
        body: { answer: place % 3 === 0 ? 'reject' : 'approve' },
      }),
    ),
  );
  const won = answers.filter((one) => one.status === 200);
  const lost = answers.filter((one) => one.status === 409);
  expect([won.length, lost.length]).toEqual([1, 49]);
  const { resolvedBy, status } = won[0]!.body.ask;
  expect(resolvedBy).toMatch(/^Racer \d+$/);
  for (const { body } of lost) {
    expect(body.error).toMatchObject({ code: 'ask.already_resolved', details: { by: resolvedBy, status, via: 'web' } });
  }
  const { items } = await house.ledger.events.list('acme', { call: callId, type: 'ToolCallDecided' });
  expect(items).toHaveLength(1);
}, 60_000);
