/** What an answer leaves behind and what it changes: grants, edits, and who may answer, through the doors. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApprovers, type Approvers } from '../testing/approvers.js';
import { eventually, send } from '../testing/doors.js';

let house: Approvers;
let url: string;
let ann: { key: string; personId: string };
let root: { key: string; personId: string };

beforeAll(async () => {
  house = await openApprovers(1);
  [url = ''] = house.urls;
  ann = await house.person('Ann');
  root = await house.person('Root', 'admin');
  const { policyDocumentSchema } = await import('@countersign/contracts');
  const document = policyDocumentSchema.parse({ deny: ['Bash(git push --force *)'] });
  await house.ledger.policies.publish({ tenantId: 'acme', name: 'default', document, by: 'test' });
}, 60_000);
afterAll(() => house.close());

const answer = (askId: string, body: unknown, key = ann.key) => send(`${url}/v1/asks/${askId}/answer`, key, { body });

describe('an "always" answer', () => {
  it('makes a grant of the project with pattern, time and count, that is listed and revoked', async () => {
    const { askId, callId } = await house.ask();
    const done = await answer(askId, {
      answer: 'approve',
      scope: 'always',
      pattern: 'Bash(git push *)',
      ttl: 3_600,
      uses: 5,
    });
    expect(done.status).toBe(200);
    const { items } = (await send(`${url}/v1/grants`, ann.key)).body;
    const grant = items.find((one: { askId: string }) => one.askId === askId);
    expect(grant).toMatchObject({
      kind: 'always',
      sessionId: null,
      pattern: 'Bash(git push *)',
      personId: ann.personId,
      uses: 5,
      remaining: 5,
      root: '/home/ann/payments',
      status: 'active',
    });
    expect(Date.parse(grant.expiresAt)).toBeGreaterThan(Date.now() + 3_000_000);
    const { items: made } = await house.ledger.events.list('acme', { type: 'GrantCreated' });
    expect(made[0]?.body).toMatchObject({ grant: { id: grant.id, root: '/home/ann/payments' } });
    const revoked = await send(`${url}/v1/grants/${grant.id}`, ann.key, { method: 'DELETE' });
    expect(revoked.body).toMatchObject({ status: 'revoked', endedBy: ann.personId });
    expect((await send(`${url}/v1/grants/${grant.id}`, ann.key, { method: 'DELETE' })).status).toBe(200);
    expect((await send(`${url}/v1/grants/nothing`, ann.key, { method: 'DELETE' })).status).toBe(404);
    expect((await house.ledger.calls.byId('acme', callId))?.outcome.decision).toBe('allow');
  });

  it('refuses a pattern that is no rule, and leaves the ask open', async () => {
    const { askId } = await house.ask();
    const refused = await answer(askId, { answer: 'approve', scope: 'always', pattern: 'Bash(re:[)' });
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'grant.invalid' } } });
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const careless = await answer(askId, { answer: 'approve', scope: 'always', pattern: `Bash(re:[${secret})` });
    expect(careless).toMatchObject({ status: 422, body: { error: { code: 'grant.invalid' } } });
    expect(JSON.stringify(careless.body)).not.toContain(secret);
    expect((await house.ledger.asks.get('acme', askId))?.status).toBe('open');
  });

  it('makes no grant for what was not asked about, which is kept', async () => {
    const { askId, sessionId } = await house.ask();
    for (const pattern of ['Write(**)', 'WebFetch', 'Bash(ls *)', '*']) {
      const refused = await answer(askId, { answer: 'approve', scope: 'always', pattern });
      expect(refused).toMatchObject({ status: 422, body: { error: { code: 'grant.invalid' } } });
    }
    expect((await house.ledger.asks.get('acme', askId))?.status).toBe('open');
    const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'AskAnswerRefused' });
    expect(items.map(({ body }) => body)).toEqual(
      Array.from({ length: 4 }, () => expect.objectContaining({ code: 'grant.invalid' })),
    );
  });

  it('with a bound that its scope would drop, or a word that is not known, is refused', async () => {
    const { askId } = await house.ask();
    for (const more of [{ scope: 'session', uses: 1 }, { ttl: 60 }, { updated_input: { command: 'git status' } }]) {
      const refused = await answer(askId, { answer: 'approve', ...more });
      expect(refused).toMatchObject({ status: 400, body: { error: { code: 'request.invalid' } } });
    }
    expect((await house.ledger.asks.get('acme', askId))?.status).toBe('open');
  });

  it('is not listed as in force when its time is over', async () => {
    const { askId } = await house.ask();
    expect((await answer(askId, { answer: 'approve', scope: 'always', ttl: 1 })).status).toBe(200);
    const listed = async (status: string) => {
      const { items } = (await send(`${url}/v1/grants?status=${status}`, ann.key)).body;
      return items.find((one: { askId: string }) => one.askId === askId);
    };
    const over = await eventually(() => listed('expired'));
    expect(over).toMatchObject({ status: 'expired', expired: true });
    expect(await listed('active')).toBeUndefined();
    expect(await listed('all')).toMatchObject({ status: 'expired' });
    const taken = await send(`${url}/v1/grants/${over.id}`, ann.key, { method: 'DELETE' });
    expect(taken).toMatchObject({ status: 200, body: { status: 'expired' } });
  });

  it('is made without an ask by an admin alone', async () => {
    const body = { pattern: 'Bash(npm test *)', uses: 2 };
    expect((await send(`${url}/v1/grants`, ann.key, { body })).status).toBe(403);
    const made = await send(`${url}/v1/grants`, root.key, { body });
    expect(made).toMatchObject({ status: 201, body: { tool: 'Bash', remaining: 2, sessionId: null } });
  });
});

describe('edited arguments', () => {
  it('run in place of the agent\u2019s when the policy does not deny them, and are what a repeat is compared with', async () => {
    const { askId, callId } = await house.ask();
    const edited = { answer: 'approve', updatedInput: { command: 'git push origin feature' } };
    const done = await answer(askId, edited);
    expect(done).toMatchObject({ status: 200, body: { decision: { decision: 'allow' } } });
    expect(done.body.decision.updatedInput).toEqual({ command: 'git push origin feature' });
    const { items } = await house.ledger.events.list('acme', { call: callId, type: 'ToolCallDecided' });
    expect(items[0]?.body).toMatchObject({ finalArgs: { json: '{"command":"git push origin feature"}' } });
    expect(done.body.ask.editedArgs).toBe('{"command":"git push origin feature"}');
    const { items: ended } = (await send(`${url}/v1/asks?status=ended`, ann.key)).body;
    expect(ended.find(({ id }: { id: string }) => id === askId)).toMatchObject({
      args: '{"command":"git push origin main"}',
      editedArgs: '{"command":"git push origin feature"}',
    });
    expect((await answer(askId, edited)).status).toBe(200);
    expect((await answer(askId, { answer: 'approve' })).status).toBe(409);
  });

  it('are refused when the policy denies them, and the ask stays open', async () => {
    const { askId, sessionId } = await house.ask();
    const refused = await answer(askId, {
      answer: 'approve',
      updatedInput: { command: 'git push --force origin main' },
    });
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'ask.edit_denied' } } });
    expect((await house.ledger.asks.get('acme', askId))?.status).toBe('open');
    const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'AskAnswerRefused' });
    expect(items[0]?.body).toMatchObject({ code: 'ask.edit_denied' });
  });

  it('never bring a redaction marker back as if it were the secret', async () => {
    const { askId } = await house.ask();
    const body = { answer: 'approve', updatedInput: { command: 'curl -H "Authorization: [redacted:token:ab12]"' } };
    expect((await answer(askId, body)).status).toBe(400);
    const { items } = await house.ledger.events.list('acme', { type: 'AskAnswerRefused' });
    expect(items.find((event) => event.askId === askId)?.body).toMatchObject({ code: 'request.invalid' });
  });

  it('keep their secrets out of the log, and the agent gets them whole', async () => {
    const { askId, callId } = await house.ask();
    const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
    const command = `git push https://x-access-token:${secret}@github.com/acme/payments main`;
    expect((await answer(askId, { answer: 'approve', updatedInput: { command } })).status).toBe(200);
    const { items } = await house.ledger.events.list('acme', { call: callId });
    expect(JSON.stringify(items)).not.toContain(secret);
    expect(await house.ledger.vault.get('acme', callId, 'edited-arguments')).not.toBeNull();
  });
});

describe('who may answer', () => {
  it('is the route\u2019s groups as they are now; the attempt is kept', async () => {
    const { askId, sessionId } = await house.ask({ routes: [{ approvers: ['group:ops'] }] });
    expect(await answer(askId, { answer: 'approve' })).toMatchObject({
      status: 403,
      body: { error: { code: 'ask.not_approver' } },
    });
    const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'AskAnswerRefused' });
    expect(items[0]).toMatchObject({ personId: ann.personId });
  });

  it('B25a is nobody when the list is empty', async () => {
    const { askId } = await house.ask({ routes: [{ approvers: [] }] });
    for (const key of [ann.key, root.key]) expect((await answer(askId, { answer: 'reject' }, key)).status).toBe(403);
  });

  it('may reject but not approve where the route says so', async () => {
    const { askId } = await house.ask({ routes: [{ rejectOnlyOn: ['web'] }] });
    expect(await answer(askId, { answer: 'approve' })).toMatchObject({ status: 403 });
    expect((await answer(askId, { answer: 'reject' })).status).toBe(200);
  });
});

describe('an ask in detail', () => {
  it('has the verdict in words, and suggestions where a grant may answer it', async () => {
    const { askId } = await house.ask();
    const { body } = await send(`${url}/v1/asks/${askId}`, ann.key);
    expect(body.explanation).toMatchObject({ riskLevel: 'medium', explanation: expect.any(String) });
    expect(Array.isArray(body.suggestions)).toBe(true);
  });
});
