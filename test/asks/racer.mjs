/** One of several processes of people who press at once: told of an ask, each of its people answers it, and what they got is sent back. */
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** No two people press in the same millisecond; so every channel may be the first. */
const SPREAD_MS = 60;

/** Milliseconds that mean the same in every process of this machine. */
const now = () => performance.timeOrigin + performance.now();

async function post(url, headers, body) {
  const clickedAt = now();
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  return { clickedAt, status: response.status, text };
}

function inPage({ key }, { approver, askId, answer }) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  return post(`${approver}/v1/asks/${askId}/answer`, headers, JSON.stringify({ answer }));
}

function byWebhook({ user }, { approver, askId, answer, webhookSecret }) {
  const id = `msg_${randomUUID()}`;
  const at = new Date();
  const body = JSON.stringify({ askId, answer, user });
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(webhookSecret).sign(id, at, body),
  };
  return post(`${approver}/channels/webhook/answers`, headers, body);
}

function inSlack({ user }, { approver, answer, presses, signingSecret }) {
  const pressed = presses[answer];
  const payload = { ...pressed, user: { ...pressed.user, id: user } };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex');
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${signature}`,
  };
  return post(`${approver}/channels/slack/interactions`, headers, body);
}

const SEATS = { web: inPage, slack: inSlack, webhook: byWebhook };

process.on('message', async ({ people, approvers, ...ask }) => {
  const all = people.map(async (person, place) => {
    const answer = place % 3 === 0 ? 'reject' : 'approve';
    const approver = approvers[place % approvers.length];
    await pause(Math.random() * SPREAD_MS);
    const got = await SEATS[person.seat](person, { ...ask, approver, answer });
    return { name: person.name, seat: person.seat, answer, ...got };
  });
  try {
    process.send({ askId: ask.askId, results: await Promise.all(all) });
  } catch (error) {
    process.send({ askId: ask.askId, failure: String(error?.stack ?? error) });
  }
});
process.send({ ready: true });
