/** Webhooks: the contract of every channel, and what is their own: signatures, answers in the response, addresses that are refused. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newWebhookSecret, startWebhookReceiver, type WebhookReceiver } from '@countersign/testing';
import { openApprovers, type Approvers } from '../../testing/approvers.js';
import { eventually } from '../../testing/doors.js';
import { keepsTheContract, type ChannelStage, type Shown } from '../../testing/channel-contract.js';
import { retryAfterMs, WEBHOOK_ROUTE } from './webhook-channel.js';

const KINDS: Readonly<Record<string, Shown['kind']>> = {
  'approval.requested': 'card',
  'approval.reminder': 'reminder',
  'approval.resolved': 'end',
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
