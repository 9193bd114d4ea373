/** Slack as a channel: cards through the bot's token, answers from buttons and dialogs, over HTTP or Socket Mode. */
import { endsWithin } from '@countersign/server';
import { SocketModeClient } from '@slack/socket-mode';
import { WebClient, type Logger as SlackLogger, LogLevel } from '@slack/web-api';
import type { Channel, LateNotice, OutgoingCard, SentCard } from '../channel.js';
import type { SlackSettings } from '../settings.js';
import { endedMessage, lateMessage, openMessage, type SlackMessage } from './blocks.js';
import { slackCard } from './slack-card.js';
import { sendFailure } from './slack-errors.js';

/** Where a card stands: Slack's channel and the message's timestamp. */
interface CardPlace {
  readonly channel: string;
  readonly ts: string;
}

const TIMEOUT_MS = 15_000;
const STOP_MS = 2_000;

/** The client of one workspace. Its own retries are off: the dispatcher plans them, durably. */
export function slackClient({ botToken, apiUrl }: SlackSettings): WebClient {
  return new WebClient(botToken, {
    ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }),
    logger: SILENT,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    timeout: TIMEOUT_MS,
  });
}

/** The Slack side of asks. `consoleUrl` null: cards have no link to the page. */
export function slackChannel(client: WebClient, settings: SlackSettings, consoleUrl: string | null): Channel {
  return {
    name: 'slack',
    tenantId: settings.tenantId,
    card: slackCard,
    targets: [settings.channel],
    send: (card) => send(client, card, consoleUrl),
    close: (sent) => close(client, sent),
    late: (notice) => late(client, notice),
    stop: async () => undefined,
  };
}

async function send(client: WebClient, outgoing: OutgoingCard, consoleUrl: string | null): Promise<string> {
  const { card, approvable, kind, target } = outgoing;
  const message = openMessage(card, approvable, consoleUrl);
  const text = kind === 'reminder' ? `Still waiting. ${message.text}` : message.text;
  return post(client, { ...message, text }, { channel: target });
}

/** A reply in the thread of the card; where nobody knows which message that is, a message of its own in the same channel. */
function late(client: WebClient, { target, card, cardRef, text }: LateNotice): Promise<string> {
  const place = readPlace(cardRef);
  const to = place === null ? { channel: target } : { channel: place.channel, thread_ts: place.ts };
  return post(client, lateMessage(card, text), to);
}

async function post(
  client: WebClient,
  message: SlackMessage,
  to: { readonly channel: string } | { readonly channel: string; readonly thread_ts: string },
): Promise<string> {
  try {
    const sent = await client.chat.postMessage({ ...message, ...to, ...QUIET });
    return placeText({ channel: sent.channel ?? to.channel, ts: sent.ts ?? '' });
  } catch (error) {
    throw sendFailure(error);
  }
}

/** Nothing in a card becomes a preview, a mention or a link by itself. */
const QUIET = { unfurl_links: false, unfurl_media: false, parse: 'none', link_names: false } as const;

async function close(client: WebClient, { providerRef, card, end }: SentCard): Promise<void> {
  const place = readPlace(providerRef);
  if (place === null) return;
  try {
    await client.chat.update({ ...endedMessage(card, end), ...place, parse: 'none', link_names: false });
  } catch (error) {
    throw sendFailure(error);
  }
}

function placeText({ channel, ts }: CardPlace): string {
  return `${channel} ${ts}`;
}

function readPlace(ref: string | null): CardPlace | null {
  const [channel = '', ts = ''] = (ref ?? '').split(' ');
  return channel === '' || ts === '' ? null : { channel, ts };
}

/** A started Socket Mode connection. */
export interface SlackSocket {
  stop(): Promise<void>;
}

/**
 * Listens over a websocket that we open ourselves, for those without a public address. `take` gets a payload and the function
 * that acknowledges it. Throws when Slack refuses the app's token.
 */
export async function openSlackSocket(
  { appToken, apiUrl }: { readonly appToken: string; readonly apiUrl: string | null },
  take: (payload: unknown, acknowledge: (response?: object) => Promise<void>) => Promise<void>,
  onError: (error: unknown) => void,
): Promise<SlackSocket> {
  const client = new SocketModeClient({
    appToken,
    logger: SILENT,
    clientOptions: { ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }), timeout: TIMEOUT_MS },
  });
  client.on('error', onError);
  client.on('interactive', ({ body, ack }: { body: unknown; ack: (response?: object) => Promise<void> }) => {
    take(body, ack).catch(onError);
  });
  await client.start();
  return {
    stop: async () => {
      // The client waits for the end of a connection that may never have come about.
      await endsWithin(STOP_MS, client.disconnect());
    },
  };
}

/** The client's own log lines may hold payloads; what matters is reported through errors. */
const SILENT: SlackLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};
