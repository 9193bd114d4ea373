/** E-mail as a channel: a mail with a link to a page of ours; how the ask ended, and what was said too late, come as mails of the same thread. */
import { createTransport } from 'nodemailer';
import { SendFailed, type Channel, type OutgoingCard } from '../channel.js';
import type { EmailSettings } from '../settings.js';
import { emailCard, followingMail, openMail, type MailText } from './email-card.js';
import { emailToken } from './email-link.js';

export const EMAIL_ROUTE = '/channels/email/answer';

const TIMEOUT_MS = 15_000;
const MAILBOX = /^[^\s@<>",;]+@[^\s@<>",;]+$/;

export interface EmailDeps {
  readonly consoleUrl: string;
  readonly linkSecret: string;
}

export function emailChannel(settings: EmailSettings, deps: EmailDeps): Channel {
  const mailer = openMailer(settings);
  return {
    name: 'email',
    tenantId: settings.tenantId,
    card: emailCard,
    targets: settings.to,
    send: async (outgoing) => {
      const id = messageId(settings, outgoing.ask.id, outgoing.deliveryId);
      const { kind, approvable } = outgoing;
      const mail = openMail(outgoing.card, { kind, approvable, link: linkOf(outgoing, deps) });
      await mailer.post(outgoing.target, mail, { messageId: id });
      return id;
    },
    close: async ({ target, card, end, ask, deliveryId, providerRef }) => {
      const id = messageId(settings, ask.id, deliveryId);
      await mailer.post(target, followingMail(card, end.text), { messageId: id, ...threadOf(providerRef) });
    },
    late: async ({ target, card, text, ask, deliveryId, cardRef }) => {
      const id = messageId(settings, ask.id, deliveryId);
      await mailer.post(target, followingMail(card, text), { messageId: id, ...threadOf(cardRef) });
      return id;
    },
    stop: async () => mailer.close(),
  };
}

/** The same for every attempt, so that mailboxes keep one of two equal mails. */
function messageId({ from }: EmailSettings, askId: string, deliveryId: string): string {
  return `<${askId}.${deliveryId}@${from.split('@')[1] ?? 'countersign'}>`;
}

/** `first`: the id of the mail that the thread began with; null: it is not known. */
function threadOf(first: string | null): Omit<Thread, 'messageId'> {
  return first === null ? {} : { inReplyTo: first, references: first };
}

function linkOf({ tenantId, ask, target }: OutgoingCard, { consoleUrl, linkSecret }: EmailDeps): string {
  const note = { tenantId, askId: ask.id, version: ask.version, address: target.toLowerCase() };
  return `${consoleUrl}${EMAIL_ROUTE}?t=${emailToken(note, linkSecret)}`;
}

interface Thread {
  readonly messageId: string;
  readonly inReplyTo?: string;
  readonly references?: string;
}

function openMailer({ host, port, tls, user, password, from }: EmailSettings) {
  const transport = createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // A mail is made of what we write and of nothing that it names.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    post: async (to: string, { subject, text }: MailText, thread: Thread): Promise<void> => {
      if (!MAILBOX.test(to)) throw new SendFailed('the target is no mailbox', { final: true });
      try {
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text, ...thread });
      } catch (error) {
        throw failureOf(error);
      }
    },
    close: (): void => transport.close(),
  };
}

/** Codes about the sign-in: mended by whoever sets us up, not by another mail. */
const SIGN_IN_CODES = new Set([530, 534, 535, 538]);

/** Holds the server's code only: its text may quote what was sent. */
function failureOf(error: unknown): SendFailed {
  const code = (error as { responseCode?: unknown }).responseCode;
  if (typeof code !== 'number') return new SendFailed('the mail server does not answer');
  const final = code >= 550 && code <= 559 && !SIGN_IN_CODES.has(code);
  return new SendFailed(`the mail server answers ${code}`, { final });
}
