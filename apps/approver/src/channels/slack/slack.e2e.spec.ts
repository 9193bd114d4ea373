/** Slack, with the workspace's side played by a server that checks what the real client sends. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSlackWorkspace, SLACK_ACK_MS, type SlackPost, type SlackWorkspace } from '@countersign/testing';
import { openApprovers, type Approvers } from '../../testing/approvers.js';
import { eventually, send } from '../../testing/doors.js';
import { SLACK_ROUTE } from './slack.controller.js';

let slack: SlackWorkspace;
let house: Approvers;
let doors: string[];
let ann: { key: string; personId: string };

beforeAll(async () => {
  slack = await startSlackWorkspace();
  const { botToken, signingSecret, channel, apiUrl } = slack;
  const channels = { slack: [{ tenantId: 'acme', botToken, signingSecret, channel, apiUrl }] };
  house = await openApprovers(2, { kind: 'memory' }, { channels, consoleUrl: 'https://countersign.example' });
  doors = house.urls.map((url) => `${url}${SLACK_ROUTE}`);
  ann = await house.person('Ann');
  await link('U04ANN', ann.personId);
}, 60_000);
afterAll(async () => {
  await house.close();
  await slack.close();
});

const door = () => doors[0] ?? '';
const link = (user: string, personId: string) =>
  house.ledger.people.link({
    tenantId: 'acme',
    personId,
    provider: 'slack',
    externalId: `${slack.teamId}:${user}`,
    by: 'test',
  });
const postOf = (askId: string): Promise<SlackPost> =>
  eventually(async () => slack.posts.find(({ blocks }) => JSON.stringify(blocks).includes(askId)));
const askOf = (askId: string) => house.ledger.asks.get('acme', askId);
const whisperTo = (user: string, after = 0) =>
  eventually(async () => slack.whispers.slice(after).find((one) => one.user === user));
const notified = ({ askId, sessionId }: { askId: string; sessionId: string }) =>
  eventually(async () => {
    const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'AskNotified' });
    return items.find((event) => event.askId === askId);
  });
const press = (post: SlackPost, label: string, user = 'U04ANN') => slack.press(door(), { post, label, user });

describe('a card in Slack', () => {
  it('is posted once by two approvers, recorded with the hash of its text, and closed for everybody', async () => {
    const { askId, sessionId } = await house.askAloud();
    const post = await postOf(askId);
    expect(slack.posts.filter(({ blocks }) => JSON.stringify(blocks).includes(askId))).toHaveLength(1);
    expect(await notified({ askId, sessionId })).toMatchObject({
      askId,
      channel: 'slack',
      body: { textHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(await press(post, 'Approve')).toMatchObject({ status: 200, body: '' });
    await eventually(async () => (await askOf(askId))?.status === 'approved');
    await eventually(async () => post.updates === 1);
    expect(JSON.stringify(post.blocks)).toContain('Approved by Ann via slack at');
    expect(post.blocks.some(({ type }) => type === 'actions')).toBe(false);
    expect(slack.refused).toEqual([]);
  });

  it('B24 says how it ended when somebody answers elsewhere, and a late press is told the same, privately', async () => {
    const { askId } = await house.askAloud();
    const post = await postOf(askId);
    const late = slack.pressPayload({ post, label: 'Reject', user: 'U04ANN' });
    const bo = await house.person('Bo of the console');
    await send(`${house.urls[1]}/v1/asks/${askId}/answer`, bo.key, { body: { answer: 'approve' } });
    await eventually(async () => post.updates === 1);
    expect(post.text).toContain('Approved by Bo of the console via web');
    const before = slack.whispers.length;
    for (const url of doors) expect((await slack.deliver(url, late)).status).toBe(200);
    const told = await whisperTo('U04ANN', before);
    expect(told.text).toMatch(/too late. Approved by Bo of the console via web at/);
    expect((await askOf(askId))?.status).toBe('approved');
  });

  it('B02 has a reply that names nobody’s mention and no link when somebody of a strange name says the contrary', async () => {
    const { askId } = await house.askAloud();
    const post = await postOf(askId);
    await press(post, 'Approve');
    await eventually(async () => post.updates === 1);
    const cat = await house.person('Cat <!channel> *<https://evil.example|bank>* \u202e');
    await send(`${house.urls[1]}/v1/asks/${askId}/answer`, cat.key, { body: { answer: 'reject' } });
    const reply = await eventually(async () => slack.posts.find(({ threadTs }) => threadTs === post.ts));
    expect(reply.text).toContain(
      'Cat &lt;!channel&gt; *&lt;https://evil.example|bank&gt;* \\u{202e} answered reject via web at',
    );
    expect(JSON.stringify(reply.blocks)).not.toContain('mrkdwn');
    expect([reply.channel, reply.blocks.some(({ type }) => type === 'actions')]).toEqual([post.channel, false]);
  });

  it('tells whoever pressed although Slack fails in passing', async () => {
    const { askId } = await house.askAloud();
    const post = await postOf(askId);
    const before = slack.whispers.length;
    slack.failNext('chat.postEphemeral', 'http:503', 'ratelimited:1');
    await slack.deliver(door(), slack.pressPayload({ post, label: 'Approve', user: 'U04ANN' }));
    expect((await whisperTo('U04ANN', before)).text).toContain('Approved by');
  });

  it('B22 takes one press delivered three times as one answer, with the same text each time', async () => {
    const { askId, sessionId } = await house.askAloud();
    const post = await postOf(askId);
    const payload = slack.pressPayload({ post, label: 'Approve', user: 'U04ANN' });
    const before = slack.whispers.length;
    await slack.deliver(door(), payload);
    await eventually(async () => slack.whispers.length === before + 1);
    await slack.deliver(doors[1] ?? '', payload, { headers: { 'x-slack-retry-num': '1' } });
    await eventually(async () => slack.whispers.length === before + 2);
    await slack.deliver(door(), { ...payload, trigger_id: 'another' });
    await eventually(async () => slack.whispers.length === before + 3);
    expect(new Set(slack.whispers.slice(before).map(({ text }) => text)).size).toBe(1);
    const answered = await house.ledger.events.list('acme', { session: sessionId, type: 'AskAnswered' });
    expect(answered.items).toHaveLength(1);
  });

  it('B21 is acknowledged at once although the answer takes longer, and a retry changes nothing', async () => {
    const { askId, sessionId } = await house.askAloud();
    const post = await postOf(askId);
    // Whoever holds the session's head delays the answer, not the acknowledgement.
    const payload = slack.pressPayload({ post, label: 'Approve', user: 'U04ANN' });
    const held = house.ledger.withLockedHeads([{ tenantId: 'acme', streamId: sessionId }], async () => {
      const first = await slack.deliver(door(), payload);
      const retry = await slack.deliver(doors[1] ?? '', payload, { headers: { 'x-slack-retry-num': '1' } });
      expect((await askOf(askId))?.status).toBe('open');
      return [first, retry];
    });
    for (const { status, body, tookMs } of await held) {
      expect({ status, body }).toEqual({ status: 200, body: '' });
      expect(tookMs).toBeLessThan(SLACK_ACK_MS);
    }
    await eventually(async () => (await askOf(askId))?.status === 'approved');
    const answered = await house.ledger.events.list('acme', { session: sessionId, type: 'AskAnswered' });
    expect(answered.items).toHaveLength(1);
  });

  it('B03 answers the ask on the card that was pressed', async () => {
    const first = await house.askAloud({ args: { command: 'ls' } });
    const one = await postOf(first.askId);
    await notified(first);
    const second = await house.askAloud({ sessionId: first.sessionId, args: { command: 'rm -rf build' } });
    const two = await postOf(second.askId);
    await press(two, 'Approve');
    await eventually(async () => (await askOf(second.askId))?.status === 'approved');
    expect((await askOf(first.askId))?.status).toBe('open');
    await press(one, 'Reject');
    await eventually(async () => (await askOf(first.askId))?.status === 'rejected');
  });

  it('B23 is rewritten through the bot token, tried again when that fails, and never changes the decision', async () => {
    const { askId } = await house.askAloud();
    const post = await postOf(askId);
    slack.failNext('chat.update', 'http:500', 'ratelimited:1');
    await press(post, 'Reject');
    await eventually(async () => (await askOf(askId))?.status === 'rejected');
    await eventually(async () => post.updates === 1);
  }, 30_000);

  it('B15 keeps the ask open when Slack refuses the card, and records why', async () => {
    slack.failNext('chat.postMessage', 'msg_too_long');
    const { askId, sessionId } = await house.askAloud();
    const [failed] = await eventually(async () => {
      const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'NotifyFailed' });
      return items.length > 0 && items;
    });
    expect(failed).toMatchObject({
      askId,
      channel: 'slack',
      body: { problem: 'Slack says msg_too_long', final: true },
    });
    expect((await askOf(askId))?.status).toBe('open');
  });
});

describe('what a card shows', () => {
  it('B28 head and tail of a long command, and nothing to approve it with', async () => {
    const command = `${'echo 0123456789; '.repeat(700)}rm -rf build`;
    const { askId } = await house.askAloud({ args: { command } });
    const post = await postOf(askId);
    const shown = JSON.stringify(post.blocks);
    expect(shown).toContain('echo 0123456789; echo');
    expect(shown).toContain('rm -rf build');
    expect(shown).toContain('characters are not shown');
    expect(shown).toContain('Open the page');
    expect(() => slack.pressPayload({ post, label: 'Approve', user: 'U04ANN' })).toThrow('no button');
    expect((await askOf(askId))?.status).toBe('open');
  });

  it('B29 every escape, and nothing that Slack reads as markup or mention', async () => {
    const command = `echo \`\`\`\u202e\u001b[2K<!channel> <@U1>${' '.repeat(200)}; rm -rf build`;
    const { askId } = await house.askAloud({ args: { command }, says: '*approved* by <!here>' });
    const post = await postOf(askId);
    const code = post.blocks.find(({ type }) => type === 'rich_text');
    expect(JSON.stringify(code)).toContain('\\\\u{202e}\\\\u{1b}[2K<!channel> <@U1> \\\\u{20}×200 ; rm -rf build');
    expect(JSON.stringify(post.blocks)).not.toContain('mrkdwn');
    expect(post.blocks.find((block) => JSON.stringify(block).includes('the agent says'))).toMatchObject({
      type: 'section',
      text: { type: 'plain_text' },
    });
    expect(post.text).not.toMatch(/<!|<@/);
  });
});

describe('who presses', () => {
  it('B25 a stranger, somebody outside the group, and a member who left are refused and kept', async () => {
    const routes = [{ approvers: ['group:ops'] }];
    const { askId, sessionId } = await house.askAloud({ routes });
    const post = await postOf(askId);
    const before = slack.whispers.length;
    await press(post, 'Approve', 'U0STRANGER');
    expect((await whisperTo('U0STRANGER', before)).text).toContain('not linked');
    await press(post, 'Approve', 'U04ANN');
    expect((await whisperTo('U04ANN', before)).text).toContain('may not answer');
    const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'AskAnswerRefused' });
    expect(items.map(({ body }) => (body as { by: { personName: string } }).by.personName).sort()).toEqual([
      'Ann',
      `slack:${slack.teamId}:U0STRANGER`,
    ]);
    expect((await askOf(askId))?.status).toBe('open');
  });

  it('takes nothing that Slack did not sign just now', async () => {
    const { askId } = await house.askAloud();
    const post = await postOf(askId);
    const at = { post, label: 'Approve', user: 'U04ANN' };
    for (const options of [{ secret: 'another secret' }, { skewSeconds: -310 }, { skewSeconds: 400 }]) {
      expect((await slack.press(door(), at, options)).status).toBe(401);
    }
    const unsigned = await fetch(door(), { method: 'POST', body: 'payload={}' });
    expect(unsigned.status).toBe(401);
    expect((await slack.deliver(door(), { type: 'something new' })).status).toBe(200);
    expect((await askOf(askId))?.status).toBe('open');
  });
});

describe('the dialog', () => {
  it('sends reason and scope', async () => {
    const { askId } = await house.askAloud();
    const post = await postOf(askId);
    await press(post, 'With reason or scope…');
    await eventually(async () => JSON.stringify(slack.views.at(-1)?.view ?? '').includes(askId));
    const sent = await slack.submit(door(), { answer: 'reject', reason: 'not on a Friday' }, 'U04ANN');
    expect(JSON.parse(sent.body)).toEqual({ response_action: 'clear' });
    const ask = await eventually(async () => {
      const now = await askOf(askId);
      return now?.status === 'rejected' && now;
    });
    expect(ask.resolvedBy).toBe('Ann');
  });

  it('says in its own field what is wrong with edited arguments', async () => {
    const { askId } = await house.askAloud();
    await press(await postOf(askId), 'With reason or scope…');
    await eventually(async () => JSON.stringify(slack.views.at(-1)?.view ?? '').includes(askId));
    const sent = await slack.submit(door(), { input: '["not", "an", "object"]' }, 'U04ANN');
    expect(JSON.parse(sent.body)).toEqual({ response_action: 'errors', errors: { input: 'must be a JSON object' } });
    expect((await askOf(askId))?.status).toBe('open');
  });
});
