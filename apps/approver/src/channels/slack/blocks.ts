/** An ask as a Slack message: what would run stands in preformatted elements, where nothing is read as markup, mention or fence. */
import type { AskCard, CardSection } from '@countersign/approval';
import type { KnownBlock } from '@slack/web-api';
import type { CardEnd } from '../channel.js';
import { SLACK_LIMITS } from './limits.js';

/** What the buttons of a card are called. */
export const SLACK_ACTIONS = {
  approve: 'countersign_approve',
  reject: 'countersign_reject',
  details: 'countersign_details',
  open: 'countersign_open',
} as const;

/** A message; `text` is what notifications and screen readers have. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/** The card of an open ask. `consoleUrl` null: there is no page to link to. */
export function openMessage(card: AskCard, approvable: boolean, consoleUrl: string | null): SlackMessage {
  const blocks = [header(card.title), ...card.sections.map(sectionBlock)];
  if (!approvable) blocks.push(note('Too long or too sensitive to approve here: open the page to approve it.'));
  blocks.push(buttons(card, approvable, consoleUrl));
  return { text: notification(`Question: ${card.title}`), blocks };
}

/** The card of an ask that ended: the same facts, the sentence that says how, and nothing to press. */
export function endedMessage(card: AskCard, end: CardEnd): SlackMessage {
  // Named like the buttons that it takes the place of, so that a message can be told by its ask to the last.
  const told = { ...note(end.text), block_id: blockIdOf(card.askId) };
  const blocks = [header(card.title), ...card.sections.map(sectionBlock), told];
  return { text: notification(`${end.text} ${card.title}`), blocks };
}

/** A reply to the card of an ask that ended: somebody said the contrary. */
export function lateMessage(card: AskCard, sentence: string): SlackMessage {
  const said: KnownBlock = {
    type: 'section',
    block_id: `late:${card.askId}`,
    text: { type: 'plain_text', text: sentence.slice(0, SLACK_LIMITS.text), emoji: false },
  };
  return { text: notification(`${sentence} ${card.title}`), blocks: [header(card.title), said] };
}

function header(title: string): KnownBlock {
  return { type: 'header', text: { type: 'plain_text', text: title.slice(0, SLACK_LIMITS.header), emoji: false } };
}

function sectionBlock({ kind, label, text }: CardSection): KnownBlock {
  if (kind === 'code') {
    return {
      type: 'rich_text',
      elements: [
        { type: 'rich_text_section', elements: [{ type: 'text', text: label, style: { bold: true } }] },
        // An empty text element is refused by Slack.
        { type: 'rich_text_preformatted', elements: [{ type: 'text', text: text === '' ? '(empty)' : text }] },
      ],
    };
  }
  return { type: 'section', text: { type: 'plain_text', text: `${label}: ${text}`, emoji: false } };
}

function note(text: string): KnownBlock {
  return { type: 'context', elements: [{ type: 'plain_text', text: text.slice(0, SLACK_LIMITS.text), emoji: false }] };
}

function buttons({ askId, version }: AskCard, approvable: boolean, consoleUrl: string | null): KnownBlock {
  const value = pressValue(askId, version);
  const button = (actionId: string, text: string, style?: 'primary' | 'danger') =>
    ({
      type: 'button',
      action_id: actionId,
      value,
      text: { type: 'plain_text', text, emoji: false },
      ...(style ? { style } : {}),
    }) as const;
  return {
    type: 'actions',
    block_id: blockIdOf(askId),
    elements: [
      ...(approvable ? [button(SLACK_ACTIONS.approve, 'Approve', 'primary')] : []),
      button(SLACK_ACTIONS.reject, 'Reject', 'danger'),
      button(SLACK_ACTIONS.details, 'With reason or scope…'),
      ...(consoleUrl === null ? [] : [{ ...button(SLACK_ACTIONS.open, 'Open the page'), url: consoleUrl }]),
    ],
  };
}

function blockIdOf(askId: string): string {
  return `ask:${askId}`;
}

/** The opaque value of a button: which ask, and which version of it was shown. */
export function pressValue(askId: string, version: number): string {
  return `${askId}.${version}`;
}

/** Null for what no card of ours carries. */
export function readPressValue(value: string): { askId: string; version: number } | null {
  const found = /^(ask_[A-Za-z0-9-]{1,64})\.([1-9][0-9]{0,8})$/.exec(value);
  return found === null ? null : { askId: found[1] ?? '', version: Number(found[2]) };
}

/** The text beside the blocks is read as markup, so its three special characters are escaped. */
function notification(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.slice(0, SLACK_LIMITS.text);
}
