/** What happens after a press in Slack: acknowledged first, then answered, then told to whoever pressed. */
import type { AnswerBody, AskView } from '@countersign/contracts';
import type { WebClient } from '@slack/web-api';
import { ExponentialBackoff, handleWhen, retry } from 'cockatiel';
import { answerByIdentity, type ChannelAnswerDeps } from '../channel-answers.js';
import { mayApproveOn } from '../may-approve.js';
import type { SlackSettings } from '../settings.js';
import { readInteraction, type Interaction, type SlackUser } from './interaction.js';
import { slackCard } from './slack-card.js';
import { sendFailure } from './slack-errors.js';
import { answerModal, readModal } from './modal.js';

export interface SlackDeskDeps extends ChannelAnswerDeps {
  readonly client: WebClient;
  readonly settings: SlackSettings;
  /** Work after the acknowledgement that failed. */
  readonly onError: (error: unknown) => void;
}

export interface SlackDesk {
  /** What Slack is to be told at once (null: nothing but 200), while the work goes on. */
  take(payload: unknown): Promise<object | null>;
  /** Resolves when all work that was taken is done. */
  idle(): Promise<void>;
}

/** Most presses that are worked on at one time; Slack shows whoever presses beyond it that it failed, and nothing is lost. */
const MOST_PRESSES = 1_000;

/** Slack was told 200 already and sends nothing again: what fails in passing is tried again here. The same press changes nothing more. */
const TRIES = { maxAttempts: 4, backoff: new ExponentialBackoff({ initialDelay: 200, maxDelay: 5_000 }) };
const recording = retry(
  handleWhen(() => true),
  TRIES,
);
const telling = retry(
  handleWhen((error) => !sendFailure(error).options.final),
  TRIES,
);
const NOT_RECORDED = 'Your answer could not be recorded. Please press again.';

export class SlackBusy extends Error {
  override readonly name = 'SlackBusy';
}

export function createSlackDesk(deps: SlackDeskDeps): SlackDesk {
  const running = new Set<Promise<void>>();
  const later = (work: Promise<void>): void => {
    const own = work.catch(deps.onError).finally(() => running.delete(own));
    running.add(own);
  };
  return {
    take: async (payload) => {
      const interaction = readInteraction(payload);
      if (interaction.kind === 'other') return null;
      if (running.size >= MOST_PRESSES) throw new SlackBusy('too many presses at once');
      if (interaction.kind === 'press') {
        later(pressed(deps, interaction));
        return null;
      }
      return submitted(deps, interaction, later);
    },
    idle: async () => {
      while (running.size > 0) await Promise.allSettled([...running]);
    },
  };
}

type Press = Extract<Interaction, { kind: 'press' }>;
type Submit = Extract<Interaction, { kind: 'submit' }>;

async function pressed(deps: SlackDeskDeps, press: Press): Promise<void> {
  if (press.action === 'details') return openDialog(deps, press);
  const { askId, version } = press;
  const place = { user: press.user, channelId: press.channelId };
  return answer(deps, place, askId, { answer: press.action, scope: 'once', version });
}

interface Place {
  readonly user: SlackUser;
  readonly channelId: string | null;
}

async function answer(deps: SlackDeskDeps, place: Place, askId: string, body: AnswerBody): Promise<void> {
  const { tenantId } = deps.settings;
  const { teamId, userId } = place.user;
  const identity = { tenantId, channel: 'slack', provider: 'slack', externalId: `${teamId}:${userId}` } as const;
  const given = { askId, body, card: slackCard };
  const text = await recording
    .execute(() => answerByIdentity(deps, identity, given))
    .then(
      (result) => result.text,
      (error: unknown) => {
        deps.onError(error);
        return NOT_RECORDED;
      },
    );
  await whisper(deps, place, text);
}

/** Told in the channel, to that one person. A message that fails changes nothing. */
async function whisper({ client, onError, settings }: SlackDeskDeps, place: Place, text: string): Promise<void> {
  const channel = place.channelId ?? settings.channel;
  const message = { channel, user: place.user.userId, text, parse: 'none', link_names: false } as const;
  try {
    await telling.execute(() => client.chat.postEphemeral(message));
  } catch (error) {
    onError(error);
  }
}

async function openDialog(deps: SlackDeskDeps, press: Press): Promise<void> {
  const ask = await deps.ledger.asks.get(deps.settings.tenantId, press.askId);
  if (ask === null || press.triggerId === null) return;
  const card = slackCard(ask);
  const view = answerModal(card, mayApproveOn('slack', ask, card), editableArguments(ask));
  await deps.client.views.open({ trigger_id: press.triggerId, view });
}

/** The arguments as they are, unless something in them is shown as an escape: what was escaped must not be sent back as text. */
function editableArguments({ args }: AskView): string | null {
  try {
    JSON.parse(args);
    return args.includes('\\u{') ? null : args;
  } catch {
    return null;
  }
}

/** Field errors are told in the dialog; anything else closes it and is worked on. */
async function submitted(
  deps: SlackDeskDeps,
  submit: Submit,
  later: (work: Promise<void>) => void,
): Promise<object | null> {
  const askId = submit.privateMetadata.split('.')[0] ?? '';
  const ask = await deps.ledger.asks.get(deps.settings.tenantId, askId);
  const read = readModal(submit.privateMetadata, submit.state, ask === null ? null : editableArguments(ask));
  if (!read.ok) return { response_action: 'errors', errors: read.problems };
  later(answer(deps, { user: submit.user, channelId: null }, read.askId, read.body));
  return { response_action: 'clear' };
}
