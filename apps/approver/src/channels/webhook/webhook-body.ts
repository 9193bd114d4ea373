/** What a webhook is sent: an ask as data and as text, how it ended, or who said the contrary afterwards. Always below the 20 kB that Standard Webhooks advise. */
import { askCard, fitText, type AskCard } from '@countersign/approval';
import { showPlainly, type AskView } from '@countersign/contracts';
import type { LateNotice, OutgoingCard, SentCard } from '../channel.js';

/** Bytes of a body. */
export const WEBHOOK_LIMIT = 20_000;
/** Bytes of the card's text as JSON; the rest is for what stands beside it. */
const CARD_LIMIT = 12_000;
/** Longest section and most sections, tried in this order; with the last ones every card fits. */
const SIZES = [
  { section: 8_000, sections: 30 },
  { section: 3_000, sections: 20 },
  { section: 1_000, sections: 12 },
  { section: 300, sections: 8 },
] as const;
const SMALLEST = { section: 120, sections: 8 };
/** Longest name: of a tool, an agent, a session. */
const NAME = 200;

/** The largest card that fits; always the same for the same ask. */
export function webhookCard(ask: AskView): AskCard {
  for (const size of SIZES) {
    const card = askCard(ask, size);
    if (jsonBytes(card.text) <= CARD_LIMIT) return card;
  }
  return askCard(ask, SMALLEST);
}

/** Where answers go and where people look. Null: nobody said what we are reached by. */
export interface WebhookPlaces {
  readonly consoleUrl: string | null;
  readonly answerPath: string;
}

/** `approval.requested`, or `approval.reminder` of the same shape. `at`: ISO-8601 UTC. */
export function requestedBody(outgoing: OutgoingCard, places: WebhookPlaces, at: string): string {
  const { ask, card, approvable, kind } = outgoing;
  const type = kind === 'card' ? 'approval.requested' : 'approval.reminder';
  const data = {
    askId: ask.id,
    version: ask.version,
    sessionId: name(ask.sessionId),
    agent: name(ask.agent),
    tool: name(ask.tool),
    argsHash: ask.argsHash,
    risk: ask.risk,
    openedAt: ask.openedAt,
    deadline: ask.deadline,
    frozen: ask.frozen,
    /** False: an answer from here may reject but not approve. */
    approvable,
    title: card.title,
    text: card.text,
    answerUrl: places.consoleUrl === null ? null : `${places.consoleUrl}${places.answerPath}`,
    consoleUrl: places.consoleUrl,
  };
  // The arguments as they are shown, for programs that read them; left out where they do not fit beside the text.
  const whole = JSON.stringify({ type, timestamp: at, data: { ...data, args: ask.args } });
  if (Buffer.byteLength(whole) < WEBHOOK_LIMIT) return whole;
  return JSON.stringify({ type, timestamp: at, data: { ...data, args: null } });
}

/** `approval.resolved`: the ask ended, whoever ended it. */
export function resolvedBody({ ask, end }: SentCard, at: string): string {
  const data = {
    ...endOf(ask),
    text: end.text,
    /** An approver put other arguments in the place of those that were asked about. */
    edited: ask.editedArgs !== null,
  };
  return JSON.stringify({ type: 'approval.resolved', timestamp: at, data });
}

/** `approval.contradicted`: somebody said the contrary after the end, which stands. `at`: ISO-8601 UTC. */
export function contradictedBody({ ask, late, text }: LateNotice, at: string): string {
  const { answer, via, at: saidAt } = late;
  const said = { answer, by: late.by === null ? null : name(late.by), via, at: saidAt };
  return JSON.stringify({ type: 'approval.contradicted', timestamp: at, data: { ...endOf(ask), text, late: said } });
}

/** Who ended an ask, how, where and when. */
function endOf(ask: AskView) {
  return {
    askId: ask.id,
    status: ask.status,
    by: ask.resolvedBy === null ? null : name(ask.resolvedBy),
    via: ask.resolvedVia,
    at: ask.resolvedAt,
  };
}

function name(text: string): string {
  return fitText(showPlainly(text), NAME).text;
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
