/** An ask as a mail can show it: plain text only, so that nothing in it is a link, a picture or markup. */
import { askCard, type AskCard } from '@countersign/approval';
import type { AskView } from '@countersign/contracts';

const EMAIL_CARD = { section: 20_000, sections: 40 } as const;

export function emailCard(ask: AskView): AskCard {
  return askCard(ask, EMAIL_CARD);
}

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

/** The mail of an open ask. `link`: where it is answered. */
export function openMail(
  card: AskCard,
  {
    kind,
    approvable,
    link,
  }: { readonly kind: 'card' | 'reminder'; readonly approvable: boolean; readonly link: string },
): MailText {
  const what = approvable
    ? 'Answer here:'
    : 'Too long or too sensitive to approve from here; reject it here, or open the page:';
  const subject = `${kind === 'reminder' ? 'Still waiting: ' : 'Question: '}${card.title}`;
  return {
    subject,
    text: `${card.text}\n\n${what}\n${link}\n\nWhoever answers has to be signed in as the person of this address.\n`,
  };
}

/** A mail that follows in the thread of an ask's mail: how it ended, or who said the contrary afterwards. */
export function followingMail(card: AskCard, sentence: string): MailText {
  return { subject: `Re: Question: ${card.title}`, text: `${sentence}\n\n${card.text}\n` };
}
