/** Answers of people from where they sit, as each channel takes them, and what each was told. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { SlackPost } from '@countersign/testing';
import { send } from '../system/doors.js';
import type { AskWorld, Person } from './ask-world.js';

export interface Wish {
  readonly answer: 'approve' | 'reject' | 'cancel';
  /** Only the page offers a scope here. */
  readonly scope: 'once' | 'session';
}

/** `late`: the ask had ended before; `text` is everything that the person was told. */
export interface Told {
  readonly how: 'taken' | 'late' | 'frozen' | 'other';
  readonly text: string;
}

/** A service that is being replaced breaks connections; people and programs press again. */
const TRIES = 40;

async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= TRIES || !isBroken(error)) throw error;
      await pause(50);
    }
  }
}

/** By its name: what `fetch` throws is made outside of the realm that a test runs in. */
const isBroken = (error: unknown): boolean => (error as { name?: unknown }).name === 'TypeError';

let turn = 0;
/** One of the approvers that run now, each in its turn. */
function approverOf({ approvers }: AskWorld): string {
  turn += 1;
  return approvers[turn % approvers.length] ?? '';
}

export function answerAs(world: AskWorld, person: Person, askId: string, wish: Wish): Promise<Told> {
  switch (person.seat) {
    case 'web':
      return persist(() => inPage(world, person, askId, wish));
    case 'slack':
      return persist(() => inSlack(world, person, askId, wish));
    case 'webhook':
      return persist(() => byWebhook(world, person, askId, wish));
    default:
      throw new Error(`nobody sits at ${String(person.seat satisfies never)}`);
  }
}

function toldOf(status: number, body: unknown): Told {
  const how =
    status === 200 ? 'taken' : status === 423 ? 'frozen' : status === 409 || status === 410 ? 'late' : 'other';
  return { how, text: `${status} ${JSON.stringify(body)}` };
}

async function inPage(world: AskWorld, { key }: Person, askId: string, wish: Wish): Promise<Told> {
  const { status, body } = await send(`${approverOf(world)}/v1/asks/${askId}/answer`, { key, body: wish });
  if (status >= 500) throw new TypeError(`the approver answers ${status}`);
  return toldOf(status, body);
}

async function byWebhook(world: AskWorld, { user }: Person, askId: string, { answer }: Wish): Promise<Told> {
  const url = `${approverOf(world)}/channels/webhook/answers`;
  const { status, body } = await world.webhook.call(url, { askId, answer, user }, { id: `msg_${randomUUID()}` });
  if (status >= 500) throw new TypeError(`the approver answers ${status}`);
  return toldOf(status, body);
}

/** A press on the card as it first was: a phone that lost its connection still shows it. Nothing told: pressed again. */
async function inSlack(world: AskWorld, { user }: Person, askId: string, { answer }: Wish): Promise<Told> {
  const { slack } = world;
  const payload = slack.pressPayload({ post: cardOf(world, askId), label: LABELS[answer], user });
  const before = slack.whispers.length;
  const told = (): string | undefined => slack.whispers.slice(before).find((one) => one.user === user)?.text;
  const { status } = await slack.deliver(`${approverOf(world)}/channels/slack/interactions`, payload);
  if (status !== 200) throw new TypeError(`the approver answers ${status}`);
  for (let waited = 0; told() === undefined && waited < WHISPER_MS; waited += 5) await pause(5);
  const text = told();
  if (text === undefined) throw new TypeError('nothing was whispered');
  if (/came too late|expired before/.test(text)) return { how: 'late', text };
  if (!/was not taken/.test(text)) return { how: 'taken', text };
  return { how: /kill switch/.test(text) ? 'frozen' : 'other', text };
}

const WHISPER_MS = 10_000;
const LABELS: Readonly<Record<Wish['answer'], string>> = { approve: 'Approve', reject: 'Reject', cancel: 'Reject' };

/** The two buttons of a card, as they were before anybody answered. */
export function cardOf({ slack }: AskWorld, askId: string): SlackPost {
  const button = (label: string, action: string) => ({
    type: 'button',
    action_id: action,
    text: { type: 'plain_text', text: label },
    value: `${askId}.1`,
  });
  const elements = [button('Approve', 'countersign_approve'), button('Reject', 'countersign_reject')];
  const blocks = [{ type: 'actions', elements }];
  return { channel: slack.channel, ts: '1.0', threadTs: null, text: 'a card', blocks, updates: 0 };
}
