/** Makes the channels that are set up; the one place that knows them all. */
import type { AnswerDeps } from '../asks/answer-ask.js';
import type { Channel } from './channel.js';
import { emailChannel } from './email/email-channel.js';
import type { EmailDesk } from './email/email.controller.js';
import type { ChannelSettings, SlackSettings } from './settings.js';
import { openSlackSocket, slackChannel, slackClient, type SlackSocket } from './slack/slack-channel.js';
import type { SlackWorkspaceDoor } from './slack/slack.controller.js';
import { createSlackDesk } from './slack/slack-desk.js';
import { webhookChannel } from './webhook/webhook-channel.js';
import type { WebhookDesk } from './webhook/webhook.controller.js';

export interface OpenChannelsDeps extends AnswerDeps {
  /** What people reach the page by, without a final slash; null: cards have no link, and e-mail cannot be set up. */
  readonly consoleUrl: string | null;
  /** Signs links in mails. */
  readonly linkSecret: string;
  readonly onError: (what: string, error: unknown) => void;
}

export interface OpenChannels {
  readonly channels: readonly Channel[];
  /** Workspaces whose interactions come to our own door. */
  readonly slackDoors: readonly SlackWorkspaceDoor[];
  readonly webhookDesk: WebhookDesk;
  readonly emailDesk: EmailDesk;
  /** Opens the lines that we open ourselves. */
  start(): Promise<void>;
}

/** Throws for settings that cannot work; the message is one line. */
export function openChannels(settings: ChannelSettings, deps: OpenChannelsDeps): OpenChannels {
  const { ledger, bus, vaultKeys, linkSecret } = deps;
  const answering = { ledger, bus, vaultKeys };
  const slack = settings.slack.map((one) => openSlack(one, deps));
  return {
    channels: [...slack.map(({ channel }) => channel), ...openWebhooks(settings, deps), ...openEmail(settings, deps)],
    slackDoors: slack.flatMap(({ door }) => (door === null ? [] : [door])),
    webhookDesk: { ...answering, webhooks: settings.webhook },
    emailDesk: { ...answering, linkSecret, tenants: settings.email.map(({ tenantId }) => tenantId) },
    start: async () => {
      await Promise.all(slack.map((one) => one.start()));
    },
  };
}

function openWebhooks({ webhook }: ChannelSettings, deps: OpenChannelsDeps): Channel[] {
  const tenants = [...new Set(webhook.map(({ tenantId }) => tenantId))];
  return tenants.map((tenantId) =>
    webhookChannel(
      tenantId,
      webhook.filter((one) => one.tenantId === tenantId),
      deps,
    ),
  );
}

function openEmail({ email }: ChannelSettings, { consoleUrl, linkSecret }: OpenChannelsDeps): Channel[] {
  if (email.length === 0) return [];
  if (consoleUrl === null) throw new Error('e-mail needs `consoleUrl`: mails link to the page');
  return email.map((one) => emailChannel(one, { consoleUrl, linkSecret }));
}

function openSlack(settings: SlackSettings, { consoleUrl, onError, ...answering }: OpenChannelsDeps) {
  const client = slackClient(settings);
  const failed = (error: unknown): void => onError('slack', error);
  const desk = createSlackDesk({ ...answering, client, settings, onError: failed });
  const { appToken, apiUrl, signingSecret } = settings;
  let socket: SlackSocket | null = null;
  const start = async (): Promise<void> => {
    if (appToken === null) return;
    socket = await openSlackSocket(
      { appToken, apiUrl },
      async (payload, acknowledge) => acknowledge((await desk.take(payload)) ?? undefined),
      failed,
    );
  };
  const stop = async (): Promise<void> => {
    await socket?.stop();
    await desk.idle();
  };
  const channel: Channel = { ...slackChannel(client, settings, consoleUrl), stop };
  return { channel, door: signingSecret === null ? null : { signingSecret, desk }, start };
}
