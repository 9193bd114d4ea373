/** Slack keeps the contract of every channel. */
import { startSlackWorkspace, type SlackPost } from '@countersign/testing';
import { eventually } from '../../testing/doors.js';
import type { Approvers } from '../../testing/approvers.js';
import { keepsTheContract, type ChannelStage, type Shown } from '../../testing/channel-contract.js';
import { SLACK_ROUTE } from './slack.controller.js';

async function openStage(): Promise<ChannelStage> {
  const slack = await startSlackWorkspace();
  const { botToken, signingSecret, channel, apiUrl, secondChannel } = slack;
  /** Buttons as the first message of an ask had them: a press may come late. */
  const seen = new Map<string, SlackPost>();
  const found = new Map<SlackPost, string>();
  const postsOf = (askId: string) => {
    // A card that was rewritten does not name its ask any more.
    for (const post of slack.posts) {
      const id = /ask_[0-9a-f-]{36}/.exec(JSON.stringify(post.blocks))?.[0];
      if (id !== undefined) found.set(post, id);
    }
    return slack.posts.filter((post) => found.get(post) === askId);
  };
  const press = async (house: Approvers, askId: string, label: string, user: string): Promise<string> => {
    const post = await eventually(async () => seen.get(askId) ?? postsOf(askId)[0]);
    if (isNewCard(post)) seen.set(askId, structuredClone(post));
    const before = slack.whispers.length;
    await slack.deliver(
      `${house.urls[1]}${SLACK_ROUTE}`,
      slack.pressPayload({ post: seen.get(askId) ?? post, label, user }),
    );
    return eventually(async () => slack.whispers.slice(before).find((one) => one.user === user)?.text);
  };
  return {
    name: 'slack',
    settings: {
      channels: { slack: [{ tenantId: 'acme', botToken, signingSecret, channel, apiUrl }] },
      consoleUrl: 'https://countersign.example',
    },
    otherTarget: secondChannel,
    shown: (askId) =>
      postsOf(askId).flatMap((post): Shown[] => {
        if (isNewCard(post)) seen.set(askId, structuredClone(post));
        const text = textsOf(post.blocks).join('\n');
        if (post.threadTs !== null && post.threadTs === postsOf(askId)[0]?.ts) {
          return [{ kind: 'late', target: post.channel, text, approvable: false }];
        }
        const kind = post.text.startsWith('Still waiting') ? 'reminder' : 'card';
        const card = { kind, target: post.channel, text, approvable: text.includes('\nApprove\n') } as const;
        return post.updates === 0 ? [card] : [card, { ...card, kind: 'end', approvable: false }];
      }),
    failNext: (how, kind) => {
      const final = kind === 'late' ? 'thread_not_found' : 'channel_not_found';
      slack.failNext('chat.postMessage', how === 'once' ? 'http:503' : final);
    },
    hold: () => slack.hold('chat.postMessage'),
    link: async (house, { personId }) => {
      const identity = { provider: 'slack', externalId: `${slack.teamId}:U04ANN` };
      await house.ledger.people.link({ tenantId: 'acme', personId, ...identity, by: 'test' });
    },
    answer: (house, askId, answer) => press(house, askId, answer === 'approve' ? 'Approve' : 'Reject', 'U04ANN'),
    answerAsStranger: (house, askId) => press(house, askId, 'Approve', 'U0STRANGER'),
    close: () => slack.close(),
  };
}

const isNewCard = ({ updates, threadTs }: SlackPost): boolean => updates === 0 && threadTs === null;

/** Every text that a reader sees, in order. */
function textsOf(block: unknown): string[] {
  if (Array.isArray(block)) return block.flatMap(textsOf);
  if (typeof block !== 'object' || block === null) return [];
  return Object.entries(block).flatMap(([name, value]) =>
    name === 'text' && typeof value === 'string' ? [value] : textsOf(value),
  );
}

keepsTheContract('slack', openStage);
