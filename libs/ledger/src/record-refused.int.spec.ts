/** A late answer that says the contrary: who is to be told of it, once, and that nothing is planned without the record. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openTestLedger, type TestLedger } from '@countersign/testing';
import type { Ledger } from './index.js';
import { opened, started, TENANT, unit } from './spec-data.js';

let house: TestLedger;
let ledger: Ledger;
beforeAll(async () => {
  house = await openTestLedger(TENANT);
  ({ ledger } = house);
}, 60_000);
afterAll(() => house?.close());

const SLACK = { channel: 'slack', personId: 'person_ann', personName: 'Ann' } as const;
const BO = { channel: 'web', personId: 'person_bo', personName: 'Bo' } as const;

const keyOf = (askId: string, target: string, channel = 'slack') =>
  ({ ...{ tenantId: TENANT, askId, channel, target }, kind: 'card', version: 1 }) as const;

async function sent(askId: string, target: string, channel?: string): Promise<void> {
  const claim = await ledger.deliveries.claim(keyOf(askId, target, channel), 60_000);
  await ledger.deliveries.done(claim?.id ?? '', { textHash: 'ab', providerRef: `ref of ${target}` });
}

/** An open ask with cards that were sent, are on the way, were given up, may have arrived, and were never sent. */
async function asked(askId: string): Promise<string> {
  const sessionId = `session of ${askId}`;
  await ledger.append([unit(sessionId, 0, [started(sessionId), opened(sessionId, askId)])]);
  for (const target of ['#ops', '#dev']) await sent(askId, target);
  await sent(askId, 'relay', 'webhook');
  await ledger.deliveries.claim(keyOf(askId, '#underway'), 60_000);
  const failing = await ledger.deliveries.claim(keyOf(askId, '#gone'), 60_000);
  await ledger.deliveries.failed(failing?.id ?? '', { problem: 'gone', retryInMs: null });
  const unsure = await ledger.deliveries.claim(keyOf(askId, '#unsure'), 60_000);
  await ledger.deliveries.failed(unsure?.id ?? '', { problem: 'no answer in time', retryInMs: 60_000 });
  const unsent = await ledger.deliveries.claim(keyOf(askId, '#unsent'), 60_000);
  await ledger.deliveries.closed(unsent?.id ?? '');
  return sessionId;
}

type By = typeof SLACK | typeof BO;
const answer = (askId: string, given: 'approve' | 'reject', by: By) =>
  ledger.execute(
    { tenantId: TENANT, sessionId: `session of ${askId}` },
    { type: 'AnswerAsk', askId, answer: given, scope: 'once', by, reason: null, grantId: `grant_${askId}_${given}` },
  );
const planned = async (askId: string) =>
  (await ledger.deliveries.waiting(askId, 'late')).map(({ channel, target, providerRef }) => [
    ...[channel, target, providerRef],
  ]);
const refused = (askId: string, agrees: boolean) =>
  ({
    type: 'AskAnswerRefused',
    version: 1,
    body: { askId, answer: 'reject', by: BO, code: 'ask.already_resolved', agrees },
  }) as const;

it('B02 is planned to be told once, wherever the channel of the first answer shows the card', async () => {
  const sessionId = await asked('ask_told');
  await answer('ask_told', 'approve', SLACK);
  expect(await answer('ask_told', 'reject', BO)).toMatchObject({ ok: false, code: 'ask.already_resolved' });
  const places = [
    ['slack', '#dev', 'ref of #dev'],
    ['slack', '#ops', 'ref of #ops'],
    ['slack', '#underway', null],
    ['slack', '#unsure', null],
  ];
  expect((await planned('ask_told')).sort()).toEqual(places);
  await ledger.recordRefused({ tenantId: TENANT, streamId: sessionId }, refused('ask_told', false));
  expect(await planned('ask_told')).toHaveLength(4);
  expect(await ledger.asks.late(TENANT, ['ask_told'])).toMatchObject({ ask_told: [{ by: 'Bo' }, { by: 'Bo' }] });
  for (const { id } of await ledger.deliveries.waiting('ask_told', 'late')) {
    await ledger.deliveries.done(id, { textHash: 'cd', providerRef: null }, 'closed');
  }
  // What went out is no card: only the cards are left to be closed.
  expect((await ledger.deliveries.openCards('ask_told')).map(({ kind }) => kind)).toEqual(['card', 'card', 'card']);
  expect(await answer('ask_told', 'reject', BO)).toMatchObject({ ok: false });
  expect(await planned('ask_told')).toEqual([]);
});

it('B02 is not told of what says the same, nor of an ask that was answered in the page or by nobody', async () => {
  await asked('ask_alike');
  await answer('ask_alike', 'approve', SLACK);
  await answer('ask_alike', 'approve', BO);
  await asked('ask_page');
  await answer('ask_page', 'approve', BO);
  await answer('ask_page', 'reject', SLACK);
  const sessionId = await asked('ask_ended');
  await ledger.execute({ tenantId: TENANT, sessionId }, { type: 'CancelSession', reason: 'over', by: 'test' });
  await answer('ask_ended', 'approve', BO);
  for (const askId of ['ask_alike', 'ask_page', 'ask_ended'])
    expect([askId, await planned(askId)]).toEqual([askId, []]);
});

it('plans nothing for a refusal that cannot be stored, and nothing of another tenant', async () => {
  const sessionId = await asked('ask_lost');
  await answer('ask_lost', 'approve', SLACK);
  const wrong = { ...refused('ask_lost', false), version: 2 as unknown as 1 };
  await expect(ledger.recordRefused({ tenantId: TENANT, streamId: sessionId }, wrong)).rejects.toThrow(
    /not be recorded/,
  );
  expect([await planned('ask_lost'), await ledger.asks.late(TENANT, ['ask_lost'])]).toEqual([[], {}]);
  await ledger.tenants.ensure({ id: 'other', name: 'other' });
  const elsewhere = { tenantId: 'other', streamId: sessionId };
  await expect(ledger.recordRefused(elsewhere, refused('ask_lost', false))).rejects.toThrow();
  expect(await planned('ask_lost')).toEqual([]);
});
