/** Faults of asks that users of agents reported, through the doors of a running house with Slack and a webhook. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { AskView } from '@countersign/contracts';
import { eventually, openAsks, send, type Answer } from '../system/doors.js';
import { answerAs } from './answering.js';
import { openAskWorld, TENANT, type AskWorld, type Person } from './ask-world.js';

jest.setTimeout(120_000);

const POLICY = { ask: ['Bash(make *)'], allow: ['Bash(echo *)'], options: { maxRepeats: 1_000 } };
const APPROVE = { answer: 'approve', scope: 'once' } as const;
const REJECT = { answer: 'reject', scope: 'once' } as const;

let world: AskWorld;
let ann: Person;
let sam: Person;
let hal: Person;
beforeAll(async () => {
  world = await openAskWorld(POLICY);
  const [first, second, third] = await world.enrol(3, 'p');
  if (!first || !second || !third) throw new Error('nobody was enrolled');
  [ann, sam, hal] = [first, second, third];
}, 180_000);
afterAll(() => world?.close(), 60_000);

const call = (sessionId: string, toolUseId: string, command: string, more: object = {}): Promise<Answer> => {
  const body = { sessionId, toolUseId, tool: 'Bash', args: { command }, cwd: '/srv', wait: 0, ...more };
  return send(`${world.gateway}/v1/tool-calls`, { key: world.agentKey, body });
};
const look = (id: unknown): Promise<Answer> =>
  send(`${world.gateway}/v1/tool-calls/${String(id)}`, { key: world.agentKey });
const inPage = (askId: unknown, body: object, key = ann.key): Promise<Answer> =>
  send(`${world.approvers[0]}/v1/asks/${String(askId)}/answer`, { key, body });
const askOf = async (askId: unknown): Promise<AskView> => {
  const ask = await world.ledger.asks.get(TENANT, String(askId));
  if (ask === null) throw new Error('the ask is gone');
  return ask;
};
const eventsOf = async (sessionId: string, type: string) =>
  (await world.ledger.events.list(TENANT, { session: sessionId, type })).items;
const open = async (sessionId: string): Promise<AskView[]> => {
  const all = await openAsks({ url: world.approvers[0] ?? '', key: ann.key });
  return all.filter((ask) => ask.sessionId === sessionId);
};
/** As if the ask had been opened so much earlier. */
const passed = (askId: unknown, seconds: number) =>
  world.owner.query(
    `UPDATE asks SET opened_at = opened_at - make_interval(secs => $2), deadline = deadline - make_interval(secs => $2)
     WHERE id = $1 AND status = 'open'`,
    [String(askId), seconds],
  );

describe('two answers to one ask', () => {
  it('B01 at two approvers on two channels: one decides, the other learns who, how and when, and one waiter is released once', async () => {
    for (const round of [0, 1, 2, 3, 4]) {
      const sessionId = `b01-${round}`;
      const waiting = call(sessionId, 'r1', 'make it', { wait: 60 });
      const [ask] = await eventually(async () => {
        const found = await open(sessionId);
        return found.length > 0 && found;
      });
      const askId = ask?.id ?? '';
      const [page, slack] = await Promise.all([
        answerAs(world, ann, askId, APPROVE),
        pause(5).then(() => answerAs(world, sam, askId, REJECT)),
      ]);
      const winner = page.how === 'taken' ? ann : sam;
      expect([page.how, slack.how].sort()).toEqual(['late', 'taken']);
      const loser = page.how === 'taken' ? slack.text : page.text;
      for (const part of [winner.name, winner.seat]) expect(loser).toContain(part);
      expect((await waiting).body.decision).toBe(winner === ann ? 'allow' : 'deny');
      expect(await eventsOf(sessionId, 'ToolCallDecided')).toHaveLength(1);
    }
  });

  it('B02 the late one is kept with whether it agrees, and whoever gave it is told', async () => {
    const { body } = await call('b02', 'r1', 'make it');
    expect((await answerAs(world, hal, String(body.askId), REJECT)).how).toBe('taken');
    const against = await inPage(body.askId, APPROVE);
    const alike = await inPage(body.askId, { ...REJECT, reason: 'no' });
    const told = { status: 'rejected', by: hal.name, via: 'webhook' };
    expect(against).toMatchObject({ status: 409, body: { error: { details: { ...told, agrees: false } } } });
    expect(alike).toMatchObject({ status: 409, body: { error: { details: { ...told, agrees: true } } } });
    const kept = await eventsOf('b02', 'AskAnswerRefused');
    expect(kept.map(({ body: refused }) => refused)).toMatchObject([
      { answer: 'reject', agrees: true, by: { personName: ann.name } },
      { answer: 'approve', agrees: false, by: { personName: ann.name } },
    ]);
  });

  it('B02 whoever answered first hears of the contrary where they answered, in passing trouble too, and nowhere else', async () => {
    const { slack, webhook, owner } = world;
    const [pressed, called] = [await call('b02-told', 'r1', 'make one'), await call('b02-told', 'r2', 'make two')];
    const [first, second] = [String(pressed.body.askId), String(called.body.askId)];
    const postsOf = (askId: string) => slack.posts.filter(({ blocks }) => JSON.stringify(blocks).includes(askId));
    await eventually(
      async () => postsOf(first).length > 0 && webhook.received.some(({ data }) => data.askId === second),
    );
    expect((await answerAs(world, sam, first, APPROVE)).how).toBe('taken');
    expect((await answerAs(world, hal, second, APPROVE)).how).toBe('taken');
    await eventually(async () => [first, second].every((askId) => postsOf(askId)[0]?.updates === 1));
    slack.failNext('chat.postMessage', 'http:503');
    for (const askId of [first, second]) expect((await inPage(askId, REJECT)).status).toBe(409);
    await eventually(async () => {
      const { rows } = await owner.query<{ place: string }>(
        `SELECT ask_id || ' ' || channel AS place FROM deliveries
         WHERE kind = 'late' AND state = 'closed' AND ask_id = ANY($1::text[])`,
        [[first, second]],
      );
      return (
        rows
          .map(({ place }) => place)
          .sort()
          .join() === [`${first} slack`, `${second} webhook`].sort().join()
      );
    });
    const said = `${ann.name} answered reject via web at`;
    const [card, ...replies] = postsOf(first);
    expect(replies).toMatchObject([
      { threadTs: card?.ts, channel: card?.channel, text: expect.stringContaining(said) },
    ]);
    expect(replies[0]?.text).toContain(`It stands: Approved by ${sam.name} via slack at`);
    expect(postsOf(second)).toHaveLength(1);
    const told = webhook.received.filter(({ type }) => type === 'approval.contradicted').map(({ data }) => data);
    expect(told.filter(({ askId }) => [first, second].includes(askId))).toMatchObject([
      {
        ...{ askId: second, status: 'approved', by: hal.name, via: 'webhook' },
        late: { answer: 'reject', by: ann.name, via: 'web' },
        text: expect.stringContaining(said),
      },
    ]);
  });
});

it('B03 each press answers the ask that it names, whichever is the oldest', async () => {
  const first = await call('b03', 'r1', 'make one');
  const second = await call('b03', 'r2', 'make two');
  for (const [person, { body }, wish] of [
    [sam, second, APPROVE],
    [ann, first, REJECT],
  ] as const) {
    await answerAs(world, person, String(body.askId), wish);
  }
  expect([(await look(first.body.id)).body.decision, (await look(second.body.id)).body.decision]).toEqual([
    'deny',
    'allow',
  ]);
});

it('B04 an id of nobody, of an expired ask and of another tenant: 404, 410, 404, each kept, and nothing decided', async () => {
  await world.ledger.tenants.ensure({ id: 'other', name: 'other' });
  const stranger = await world.ledger.people.create({
    ...{ tenantId: 'other', name: 'Stranger', groups: [], by: 'test' },
    roles: ['approver'],
  });
  const { secret } = await world.ledger.keys.create({
    ...{ tenantId: 'other', role: 'approver', by: 'test' },
    personId: stranger?.id ?? '',
  });
  const late = await call('b04', 'r1', 'make it');
  const other = await call('b04', 'r2', 'make that');
  await passed(late.body.askId, 3_600);
  const unknown = `ask_${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`;
  const statuses = [
    await inPage(unknown, APPROVE),
    await inPage(late.body.askId, APPROVE),
    await inPage(other.body.askId, APPROVE, secret),
  ].map(({ status, body }) => [status, body.error?.code]);
  expect(statuses).toEqual([
    [404, 'ask.unknown'],
    [410, 'ask.expired'],
    [404, 'ask.unknown'],
  ]);
  const refusedOf = async (tenantId: string, askId: unknown) => {
    const { items } = await world.ledger.events.list(tenantId, { type: 'AskAnswerRefused', limit: 200 });
    return items.filter((event) => event.askId === askId).map(({ streamId }) => streamId);
  };
  expect(await refusedOf(TENANT, unknown)).toEqual(['@tenant']);
  expect(await refusedOf(TENANT, late.body.askId)).toEqual(['b04']);
  expect(await refusedOf('other', other.body.askId)).toEqual(['@tenant']);
  expect(await refusedOf(TENANT, other.body.askId)).toEqual([]);
  expect((await askOf(other.body.askId)).status).toBe('open');
});

it('B05 a press on the card of a withdrawn ask is told so, the card is rewritten, and the next ask is untouched', async () => {
  const first = await call('b05', 'r1', 'make one');
  const second = await call('b05', 'r2', 'make two');
  const askId = String(first.body.askId);
  const post = await eventually(async () =>
    world.slack.posts.find(({ blocks }) => JSON.stringify(blocks).includes(askId)),
  );
  const url = `${world.gateway}/v1/tool-calls/${String(first.body.id)}/result`;
  expect((await send(url, { key: world.agentKey, body: { status: 'cancelled' } })).status).toBe(200);
  await eventually(async () => post.updates > 0);
  expect(post.text).toContain('No longer needed');
  const pressed = await answerAs(world, sam, askId, APPROVE);
  expect([pressed.how, pressed.text]).toEqual(['late', expect.stringContaining('No longer needed')]);
  expect(await inPage(askId, APPROVE)).toMatchObject({
    status: 409,
    body: { error: { code: 'ask.already_resolved', details: { status: 'cancelled' } } },
  });
  expect((await askOf(second.body.askId)).status).toBe('open');
});

it('B06 an approval covers what was shown and nothing else: other arguments under the same id are refused', async () => {
  const shown = await call('b06', 'r1', 'make it');
  await inPage(shown.body.askId, APPROVE);
  expect((await call('b06', 'r1', 'make something else')).body.decision).toBe('deny');
  expect((await call('b06', 'r2', 'make it')).body.decision).toBe('pending');
  expect((await call('b06', 'r1', 'make it')).body.decision).toBe('allow');
});

it('B07 a call that is sent again joins its ask, and the same call under other ids has cards of its own', async () => {
  const first = await call('b07', 'r1', 'make it');
  const again = await call('b07', 'r1', 'make it');
  expect(again.body.askId).toBe(first.body.askId);
  await inPage(first.body.askId, APPROVE);
  const third = await call('b07', 'r1', 'make it');
  expect([third.body.id, third.body.decision]).toEqual([first.body.id, 'allow']);
  const others = [await call('b07', 'r2', 'make it'), await call('b07', 'r3', 'make it')];
  const asks = await open('b07');
  expect(asks.map(({ id }) => id).sort()).toEqual(others.map(({ body }) => body.askId).sort());
  // By this they are told to be alike.
  expect(new Set(asks.map(({ argsHash }) => argsHash)).size).toBe(1);
});

it('B09 a list has a version that only grows, so that an older one is known', async () => {
  const { body } = await call('b09', 'r1', 'make it');
  const list = async () => {
    const answer = await send(`${world.approvers[0]}/v1/asks?limit=500`, { key: ann.key });
    return answer.body as unknown as { version: string; items: AskView[] };
  };
  const before = await list();
  await answerAs(world, sam, String(body.askId), APPROVE);
  const after = await list();
  expect(before.items.map(({ id }) => id)).toContain(body.askId);
  expect(after.items.map(({ id }) => id)).not.toContain(body.askId);
  expect(after.version > before.version).toBe(true);
});

it('B11 two sessions that ask at once have two asks, and answering one leaves the other', async () => {
  const [one, two] = await Promise.all([call('b11-a', 'r1', 'make it'), call('b11-b', 'r1', 'make it')]);
  const both = async () => [...(await open('b11-a')), ...(await open('b11-b'))].map(({ id }) => id);
  expect(await both()).toEqual([one.body.askId, two.body.askId]);
  await inPage(two.body.askId, APPROVE);
  expect(await both()).toEqual([one.body.askId]);
  expect((await look(one.body.id)).body.decision).toBe('pending');
});

describe('time', () => {
  it('B14 ends an ask as denied where the policy says so, the run goes on, and no setting allows', async () => {
    const { body } = await call('b14', 'r1', 'make it');
    expect((await askOf(body.askId)).deadline).not.toBeNull();
    await passed(body.askId, 700);
    const ended = await eventually(async () => {
      const now = await look(body.id);
      return now.body.decision !== 'pending' && now;
    });
    expect(ended.body).toMatchObject({ decision: 'deny', approvalStatus: 'expired' });
    expect(ended.body.stop ?? false).toBe(false);
    expect(ended.body.reason).toContain('nobody answered');
    expect((await call('b14', 'r2', 'echo on')).body.decision).toBe('allow');
    const { secret: key } = await world.ledger.keys.create({ tenantId: TENANT, role: 'admin', by: 'test' });
    const wanted = { ...POLICY, askTimeout: { after: 300, outcome: 'allow' } };
    const url = `${world.approvers[0]}/v1/policies/lenient`;
    expect((await send(url, { method: 'PUT', key, body: wanted })).status).toBe(422);
  });

  it('B14 parks an ask where the policy says so: a day and two restarts later it is open and may be answered', async () => {
    const { secret: key } = await world.ledger.keys.create({ tenantId: TENANT, role: 'admin', by: 'test' });
    const parked = { ...POLICY, askTimeout: { after: 300, outcome: 'park' } };
    const url = `${world.approvers[0]}/v1/policies/parked`;
    expect((await send(url, { method: 'PUT', key, body: parked })).status).toBe(200);
    const { secret: agentKey } = await world.ledger.keys.create({
      ...{ tenantId: TENANT, role: 'agent', by: 'test' },
      policy: 'parked',
    });
    const body = {
      sessionId: 'b14-p',
      toolUseId: 'r1',
      tool: 'Bash',
      args: { command: 'make it' },
      cwd: '/srv',
      wait: 0,
    };
    const pending = await send(`${world.gateway}/v1/tool-calls`, { key: agentKey, body });
    await passed(pending.body.askId, 86_400);
    await world.restartWorker();
    await world.restartWorker();
    // Longer than the pause between two looks for asks that are due.
    await pause(500);
    expect((await askOf(pending.body.askId)).status).toBe('open');
    await inPage(pending.body.askId, APPROVE);
    const path = `${world.gateway}/v1/tool-calls/${String(pending.body.id)}`;
    expect((await send(path, { key: agentKey })).body.decision).toBe('allow');
  });

  it('B15 never looks like a person who refused: expired, withdrawn and rejected are told apart', async () => {
    const [late, gone, refused] = await Promise.all(['r1', 'r2', 'r3'].map((id) => call('b15', id, `make ${id}`)));
    await passed(late?.body.askId, 3_600);
    const url = `${world.gateway}/v1/tool-calls/${String(gone?.body.id)}/result`;
    await send(url, { key: world.agentKey, body: { status: 'cancelled' } });
    await inPage(refused?.body.askId, { ...REJECT, reason: 'not today' });
    await eventually(async () => (await askOf(late?.body.askId)).status !== 'open');
    const ends = await Promise.all([late, gone, refused].map((one) => look(one?.body.id)));
    expect(ends.map(({ body }) => body.approvalStatus)).toEqual(['expired', 'cancelled', 'rejected']);
    expect(ends.map(({ body }) => /rejected by/.test(body.reason ?? ''))).toEqual([false, false, true]);
    const decided = await eventsOf('b15', 'ToolCallDecided');
    expect(decided.filter(({ personId }) => personId !== null)).toHaveLength(1);
  });

  it('B16 a wait that ends before people answer loses nothing: the answer counts, and the next wait has it', async () => {
    const first = await call('b16', 'r1', 'make it', { wait: 1 });
    expect(first.body.decision).toBe('pending');
    // The deadline that people see is the policy's, not the wait's.
    const { deadline } = await askOf(first.body.askId);
    expect(Date.parse(deadline ?? '') - Date.now()).toBeGreaterThan(500_000);
    const again = call('b16', 'r1', 'make it', { wait: 60 });
    await inPage(first.body.askId, APPROVE);
    expect((await again).body).toMatchObject({ id: first.body.id, decision: 'allow' });
  });
});

it('B26 an agent’s key answers nothing, its own ask least of all', async () => {
  const { body } = await call('b26', 'r1', 'make it');
  for (const wish of [APPROVE, REJECT]) {
    expect((await inPage(body.askId, wish, world.agentKey)).status).toBe(403);
  }
  expect((await askOf(body.askId)).status).toBe('open');
});

it('B08 an answer whose response was lost is known again by its Idempotency-Key, and by nobody else’s', async () => {
  const { body } = await call('b08-key', 'r1', 'make it');
  const url = `${world.approvers[0]}/v1/asks/${String(body.askId)}/answer`;
  const post = async (key: string, requestKey: string) => {
    const headers = {
      'content-type': 'application/json',
      'idempotency-key': requestKey,
      authorization: `Bearer ${key}`,
    };
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(APPROVE) })).status;
  };
  expect(await post(ann.key, 'one')).toBe(200);
  // What an approver leaves that dies between the commit and its response: the answer, and no memory of the response.
  await world.owner.query("DELETE FROM idempotency WHERE key = 'one'");
  expect(await post(ann.key, 'one')).toBe(200);
  expect(await post(ann.key, 'two')).toBe(409);
  expect(await post(sam.key, 'one')).toBe(409);
  expect(await eventsOf('b08-key', 'AskAnswered')).toHaveLength(1);
});
