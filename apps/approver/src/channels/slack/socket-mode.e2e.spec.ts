/** Slack without a public address: the approver opens the line itself. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSlackWorkspace, type SlackWorkspace } from '@countersign/testing';
import { openApprovers, type Approvers } from '../../testing/approvers.js';
import { eventually, send } from '../../testing/doors.js';
import { SLACK_ROUTE } from './slack.controller.js';

let slack: SlackWorkspace;
let house: Approvers;

beforeAll(async () => {
  slack = await startSlackWorkspace();
  const { botToken, appToken, channel, apiUrl } = slack;
  const channels = { slack: [{ tenantId: 'acme', botToken, appToken, channel, apiUrl }] };
  house = await openApprovers(1, { kind: 'memory' }, { channels });
  const ann = await house.person('Ann');
  const externalId = `${slack.teamId}:U04ANN`;
  await house.ledger.people.link({
    tenantId: 'acme',
    personId: ann.personId,
    provider: 'slack',
    externalId,
    by: 'test',
  });
}, 60_000);
afterAll(async () => {
  await house.close();
  await slack.close();
});

async function postedAsk() {
  const { askId } = await house.askAloud();
  const post = await eventually(async () => slack.posts.find(({ blocks }) => JSON.stringify(blocks).includes(askId)));
  return { askId, post };
}

const isApproved = (askId: string) =>
  eventually(async () => (await house.ledger.asks.get('acme', askId))?.status === 'approved');

describe('Socket Mode', () => {
  it('takes presses over the line and acknowledges them', async () => {
    const { askId, post } = await postedAsk();
    expect(await slack.press(null, { post, label: 'Approve', user: 'U04ANN' })).toMatchObject({
      status: 200,
      body: '',
    });
    await isApproved(askId);
  });

  it('connects again when Slack recycles the line', async () => {
    const { askId, post } = await postedAsk();
    slack.recycleSockets();
    await eventually(async () => slack.press(null, { post, label: 'Approve', user: 'U04ANN' }).catch(() => false));
    await isApproved(askId);
  }, 30_000);

  it('has no door that takes unsigned presses', async () => {
    const answer = await send(`${house.urls[0]}${SLACK_ROUTE}`, null, { method: 'POST', body: {} });
    expect(answer.status).toBe(401);
  });
});
