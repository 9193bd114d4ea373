/** Webhooks: the contract of every channel, and what is their own: signatures, answers in the response, addresses that are refused. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { policyDocumentSchema } from '@countersign/contracts';
import { newWebhookSecret, startWebhookReceiver, type WebhookReceiver } from '@countersign/testing';
import { openApprovers, type Approvers } from '../../testing/approvers.js';
import { eventually, send } from '../../testing/doors.js';
import { keepsTheContract, type ChannelStage, type Shown } from '../../testing/channel-contract.js';
import { retryAfterMs, WEBHOOK_ROUTE } from './webhook-channel.js';

const KINDS: Readonly<Record<string, Shown['kind']>> = {
  'approval.requested': 'card',
  'approval.reminder': 'reminder',
  'approval.resolved': 'end',
  'approval.contradicted': 'late',
};

async function openStage(): Promise<ChannelStage> {
  const receiver = await startWebhookReceiver();
  const { url, secret } = receiver;
  const webhook = [{ tenantId: 'acme', name: 'relay', url: `${url}/relay`, secrets: [secret], allowPrivate: true }];
  const answer = async (house: Approvers, askId: string, given: string, user: string) => {
    const url = `${house.urls[1]}${WEBHOOK_ROUTE}`;
    const { body } = await receiver.call(url, { askId, answer: given, user });
    return String(body.text ?? explain(body.error));
  };
  return {
    name: 'webhook',
    settings: { channels: { webhook }, consoleUrl: 'https://countersign.example' },
    otherTarget: 'relay',
    shown: (askId) =>
      receiver.received
        .filter(({ data }) => data.askId === askId)
        .map(({ type, data, path }) => ({
          kind: KINDS[type] ?? 'card',
          target: path.slice(1),
          text: data.text,
          approvable: data.approvable === true,
        })),
    failNext: (how) => receiver.replyNext({ status: how === 'once' ? 503 : 410 }),
    hold: () => receiver.hold(),
    link: async (house, { personId }) => {
      const identity = { provider: 'webhook', externalId: 'relay:ann' };
      await house.ledger.people.link({ tenantId: 'acme', personId, ...identity, by: 'test' });
    },
    answer: (house, askId, given) => answer(house, askId, given, 'ann'),
    answerAsStranger: (house, askId) => answer(house, askId, 'approve', 'mallory'),
    close: () => receiver.close(),
  };
}

function explain({ message, details }: { message: string; details?: Record<string, unknown> }): string {
  const { status, by, via } = details ?? {};
  const end =
    status === undefined ? '' : `${String(status)[0]?.toUpperCase()}${String(status).slice(1)} by ${by} via ${via}`;
  return `${message} ${end}`;
}

keepsTheContract('webhook', openStage);

jest.setTimeout(60_000);

describe('a webhook', () => {
  let first: WebhookReceiver;
  let second: WebhookReceiver;
  let house: Approvers;
  const next = newWebhookSecret();
  let webhook: { tenantId: string; name: string; url: string; secrets: string[]; allowPrivate: boolean }[];
  beforeAll(async () => {
    first = await startWebhookReceiver();
    second = await startWebhookReceiver(next);
    const secret = newWebhookSecret();
    const at = (name: string, url: string, secrets: string[], allowPrivate = true) => ({
      ...{ tenantId: 'acme', name, url, secrets, allowPrivate },
    });
    webhook = [
      at('relay', `${first.url}/relay`, [first.secret]),
      // Its secret is being changed: the receiver knows the new one only.
      at('turning', `${second.url}/turning`, [secret, next]),
      at('inside', `${first.url.replace('http:', 'https:')}/inside`, [newWebhookSecret()], false),
      at('named-inside', 'https://localhost:9/inside', [newWebhookSecret()], false),
    ];
    house = await openApprovers(1, { kind: 'memory' }, { channels: { webhook }, consoleUrl: 'https://cs.example/' });
  });
  afterAll(async () => {
    await house.close();
    await Promise.all([first.close(), second.close()]);
  });

  const door = () => `${house.urls[0]}${WEBHOOK_ROUTE}`;
  const only = (name: string, more = {}) => ({ routes: [{ channels: [`webhook:${name}`], ...more }] });
  const messageOf = (receiver: WebhookReceiver, askId: string) =>
    eventually(async () => receiver.received.find(({ data }) => data.askId === askId), 40_000);
  const askOf = (askId: string) => house.ledger.asks.get('acme', askId);
  const problemsOf = async (sessionId: string) => {
    const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'NotifyFailed' });
    return items.map(({ body }) => body as { problem: string; final: boolean });
  };

  it('says what runs, where answers go, and stays below 20 kB whatever is asked', async () => {
    const small = await house.askAloud({ ...only('relay'), args: { command: 'npm test' } });
    const { data, type } = await messageOf(first, small.askId);
    expect(type).toBe('approval.requested');
    expect(data).toMatchObject({
      askId: small.askId,
      version: 1,
      tool: 'Bash',
      args: '{"command":"npm test"}',
      approvable: true,
      answerUrl: 'https://cs.example/channels/webhook/answers',
    });
    const args = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`\u202e${index}`, '\u4e2d"\\'.repeat(900)]),
    );
    const large = await house.askAloud({ ...only('relay'), args, says: '"'.repeat(5_000) });
    const shown = await messageOf(first, large.askId);
    expect(shown.bytes).toBeLessThan(20_000);
    expect(shown.data).toMatchObject({ approvable: false, args: null });
  });

  it('goes to every webhook, signed with every secret of its own', async () => {
    const routes = [{ channels: ['webhook:relay', 'webhook:turning'] }];
    const { askId } = await house.askAloud({ routes });
    await Promise.all([messageOf(first, askId), messageOf(second, askId)]);
    expect([...first.attempts, ...second.attempts].every(({ signed }) => signed)).toBe(true);
  });

  it('may answer in its response, as a program', async () => {
    first.replyNext({ body: { answer: 'approve', reason: 'in the allow list' } });
    const { askId, sessionId } = await house.askAloud(only('relay'));
    await eventually(async () => (await askOf(askId))?.status === 'approved', 40_000);
    expect(await askOf(askId)).toMatchObject({ resolvedBy: 'program:relay', resolvedVia: 'webhook' });
    const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'AskAnswered' });
    expect(items[0]?.body).toMatchObject({ reason: 'in the allow list' });
    await eventually(
      async () => first.received.some(({ data, type }) => data.askId === askId && type === 'approval.resolved'),
      40_000,
    );
  });

  it('is refused in its response where only people may answer, and what it was not shown whole', async () => {
    first.replyNext({ body: { answer: 'approve' } }, { body: { answer: 'approve' } });
    const people = await house.askAloud(only('relay', { approvers: ['group:ops'] }));
    await messageOf(first, people.askId);
    const long = await house.askAloud({ ...only('relay'), args: { command: 'x'.repeat(50_000) } });
    await messageOf(first, long.askId);
    for (const [{ askId, sessionId }, code] of [
      [people, 'ask.not_approver'],
      [long, 'ask.reject_only'],
    ] as const) {
      const [refused] = await eventually(async () => {
        const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'AskAnswerRefused' });
        return items.length > 0 && items;
      }, 40_000);
      expect(refused?.body).toMatchObject({ code, by: { personName: 'program:relay' } });
      expect((await askOf(askId))?.status).toBe('open');
    }
  });

  it('answers in its response what it says and nothing else', async () => {
    const document = policyDocumentSchema.parse({});
    await house.ledger.policies.publish({ tenantId: 'acme', name: 'default', document, by: 'test' });
    const asked = async (body: object) => {
      first.replyNext({ body });
      const ask = await house.askAloud(only('relay'));
      await messageOf(first, ask.askId);
      return ask;
    };
    const edited = await asked({ answer: 'approve', updatedInput: { command: 'git push --dry-run' } });
    const done = await eventually(async () => {
      const ask = await askOf(edited.askId);
      return ask?.status === 'approved' && ask;
    }, 40_000);
    expect(done.editedArgs).toBe('{"command":"git push --dry-run"}');
    const end = await eventually(
      async () => first.received.find(({ data, type }) => data.askId === edited.askId && type === 'approval.resolved'),
      40_000,
    );
    expect(end.data).toMatchObject({ edited: true, text: expect.stringContaining('Approved with other arguments by') });
    for (const [body, code] of [
      [{ answer: 'approve', askId: 'ask_another' }, 'request.invalid'],
      [{ answer: 'approve', scope: 'session', uses: 1 }, 'request.invalid'],
      [{ answer: 'approve', user: 'mallory' }, 'ask.not_approver'],
    ] as const) {
      const { askId, sessionId } = await asked(body);
      const [refused] = await eventually(async () => {
        const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'AskAnswerRefused' });
        return items.length > 0 && items;
      }, 40_000);
      expect(refused?.body).toMatchObject({ code });
      expect((await askOf(askId))?.status).toBe('open');
    }
  });

  it('answers later by a signed call, taken once per message id, within five minutes, with any of its secrets', async () => {
    const { askId } = await house.askAloud(only('turning'));
    const body = { askId, answer: 'reject', reason: 'not now' };
    for (const options of [{ secret: newWebhookSecret() }, { skewSeconds: -400 }, { skewSeconds: 400 }]) {
      expect((await second.call(door(), body, options)).status).toBe(401);
    }
    expect((await second.call(door(), { askId, answer: 'perhaps' })).body.error.code).toBe('request.invalid');
    expect((await second.call(door(), { ...body, askId: 'ask_nobody' })).status).toBe(404);
    const id = 'msg_answer_1';
    const told = await second.call(door(), body, { id });
    expect(told).toMatchObject({
      status: 200,
      body: { askId, status: 'rejected', by: 'program:turning', via: 'webhook' },
    });
    expect(await second.call(door(), body, { id })).toEqual(told);
    expect((await second.call(door(), { ...body, answer: 'approve' }, { id })).body.error.code).toBe(
      'idempotency.reused',
    );
    const late = { ...body, answer: 'approve' };
    expect(await first.call(door(), late, { id: 'msg_late' })).toMatchObject({
      status: 409,
      body: { error: { code: 'ask.already_resolved', details: { by: 'program:turning' } } },
    });
    await first.call(door(), late, { id: 'msg_late' });
    const { items } = await house.ledger.events.list('acme', { type: 'AskAnswerRefused', limit: 200 });
    expect(items.filter((event) => event.askId === askId)).toHaveLength(1);
  });

  it('waits as long as it is told with Retry-After, keeps its message id, and follows no redirect', async () => {
    const { askId, sessionId } = await (async () => {
      const target = `${second.url}/elsewhere`;
      first.replyNext({ status: 429, headers: { 'retry-after': '2' } }, { status: 302, headers: { location: target } });
      return house.askAloud(only('relay'));
    })();
    const began = Date.now();
    const { id } = await messageOf(first, askId);
    expect(Date.now() - began).toBeGreaterThan(1_900);
    expect(first.attempts.filter((one) => one.id === id)).toHaveLength(3);
    expect(second.attempts.some(({ path }) => path === '/elsewhere')).toBe(false);
    expect((await problemsOf(sessionId))[0]).toMatchObject({ problem: 'the webhook answers 429', final: false });
  });

  it('is not reached on a private network unless it is allowed, by address or by name', async () => {
    for (const name of ['inside', 'named-inside']) {
      const { askId, sessionId } = await house.askAloud(only(name));
      const [problem] = await eventually(async () => {
        const found = await problemsOf(sessionId);
        return found.length > 0 && found;
      }, 40_000);
      expect(problem).toMatchObject({
        problem: 'the webhook is not reached: the address is on a private network',
        final: true,
      });
      expect((await askOf(askId))?.status).toBe('open');
    }
    expect(first.attempts.some(({ path }) => path === '/inside')).toBe(false);
  });

  it('B26 takes no agent’s key and no answer that is not signed', async () => {
    const { askId } = await house.askAloud(only('relay'));
    const { data, id } = await messageOf(first, askId);
    const agent = await house.agentKey();
    const body = JSON.stringify({ askId, answer: 'approve' });
    // What a message holds, and what an agent has, opens nothing.
    for (const token of [agent, id, data.argsHash]) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      expect((await fetch(door(), { method: 'POST', headers, body })).status).toBe(401);
      const answer = await fetch(`${house.urls[0]}/v1/asks/${askId}/answer`, { method: 'POST', headers, body });
      expect([401, 403]).toContain(answer.status);
    }
    expect((await askOf(askId))?.status).toBe('open');
  });

  it('that says it is gone is asked nothing more, after a restart neither, until it is set up otherwise; and it is shown', async () => {
    const { key } = await house.person('Ann');
    const shown = async () => {
      const { body } = await send(`${house.urls[0]}/v1/channels`, key);
      return body.items.find(({ target }: { target: string }) => target === 'turning');
    };
    expect(await shown()).toEqual({ channel: 'webhook', target: 'turning', closed: null });
    second.replyNext({ status: 410 });
    const gone = await house.askAloud(only('turning'));
    await eventually(async () => (await problemsOf(gone.sessionId)).length > 0, 40_000);
    const before = second.attempts.length;
    await house.stopApprovers();
    await house.startApprovers();
    const after = await house.askAloud(only('turning'));
    const [problem] = await eventually(async () => {
      const found = await problemsOf(after.sessionId);
      return found.length > 0 && found;
    }, 40_000);
    expect(problem).toMatchObject({ problem: 'the webhook said that it is gone (410)', final: true });
    expect(second.attempts).toHaveLength(before);
    expect(await shown()).toMatchObject({
      closed: { problem: 'the webhook said that it is gone (410)', closedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    await house.stopApprovers();
    await house.startApprovers({ channels: { webhook: webhook.map((one) => ({ ...one, revision: 2 })) } });
    await messageOf(second, (await house.askAloud(only('turning'))).askId);
    expect((await shown()).closed).toBeNull();
  });
});

describe('retryAfterMs', () => {
  it('reads seconds and dates, and nothing else', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfterMs('2', now)).toBe(2_000);
    expect(retryAfterMs('Thu, 01 Jan 2026 00:01:00 GMT', now)).toBe(60_000);
    expect(retryAfterMs('Thu, 01 Jan 2025 00:01:00 GMT', now)).toBe(0);
    expect(retryAfterMs('999999999', now)).toBe(86_400_000);
    for (const header of [undefined, 'soon', '-5 apples']) expect(retryAfterMs(header, now)).toBeNull();
  });
});
