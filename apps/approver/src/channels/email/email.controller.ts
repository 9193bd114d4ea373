/** `/channels/email/answer`: GET shows the ask of a mail's link and changes nothing; POST answers it, for whoever is signed in. */
import { Controller, Get, Inject, Post, Query, Req, Res } from '@nestjs/common';
import { answerBodySchema, DoorError, type AnswerBody, type AskView } from '@countersign/contracts';
import {
  readBytes,
  type Authenticator,
  type BodyShare,
  type CookieSessions,
  type Principal,
} from '@countersign/server';
import type { FastifyReply } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { AUTHENTICATOR, COOKIES, EMAIL_DESK } from '../../tokens.js';
import { keepRefusal } from '../../asks/keep-refusal.js';
import { answerByIdentity, type ChannelAnswerDeps } from '../channel-answers.js';
import { endText } from '../dispatch/end-text.js';
import { mayApproveOn } from '../may-approve.js';
import { ANSWER_PAGE_HEADERS, answerPage, type AnswerPage } from './answer-page.js';
import { emailCard } from './email-card.js';
import { readEmailToken, type EmailNote } from './email-link.js';

/** What the page needs. `tenants`: those that have e-mail set up; links of others are void. */
export interface EmailDesk extends ChannelAnswerDeps {
  readonly linkSecret: string;
  readonly tenants: readonly string[];
}

const BODY_LIMIT = 64 * 1024;

interface RawRequest {
  readonly raw: IncomingMessage;
  readonly bodyShare: BodyShare | null;
}

/** Where a link leads: its token, what it says, and the ask as it is now. */
interface Linked {
  readonly token: string;
  readonly note: EmailNote;
  readonly ask: AskView;
}

@Controller('channels/email')
export class EmailController {
  constructor(
    @Inject(EMAIL_DESK) private readonly desk: EmailDesk,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(COOKIES) private readonly cookies: CookieSessions,
  ) {}

  @Get('answer')
  async show(@Query('t') token: unknown, @Res() reply: FastifyReply): Promise<void> {
    const linked = await this.linkedTo(token);
    if (linked === null) return sendPage(reply, 404, VOID);
    sendPage(reply, 200, openPage(linked));
  }

  /** INVARIANT: the link only says what was shown and to whom it was sent; who answers is said by the cookie, now. */
  @Post('answer')
  async answer(@Req() { raw, bodyShare }: RawRequest, @Res() reply: FastifyReply): Promise<void> {
    const bytes = await readBytes(raw, { limit: BODY_LIMIT, drainLimit: 2, share: bodyShare });
    const form = new URLSearchParams(bytes.toString('utf8'));
    const linked = await this.linkedTo(form.get('t'));
    if (linked === null) return sendPage(reply, 404, VOID);
    const body = readForm(form, linked.note);
    if (body === null) return sendPage(reply, 400, openPage(linked, 'The form was not filled in as expected.'));
    const who = await this.signedIn(raw);
    if (who === null) {
      return sendPage(reply, 401, {
        ...openPage(linked, 'Nothing was answered: you are not signed in.'),
        signIn: true,
      });
    }
    const { status, text } = await this.take(linked, who, body);
    const ask = (await this.desk.ledger.asks.get(linked.note.tenantId, linked.ask.id)) ?? linked.ask;
    sendPage(reply, status, openPage({ ...linked, ask }, text));
  }

  /** Whoever opens a link that was sent to somebody else is refused, and kept under their own name. */
  private async take(
    { note, ask }: Linked,
    who: Principal,
    body: AnswerBody,
  ): Promise<{ status: number; text: string }> {
    const { tenantId, address } = note;
    const identity = { tenantId, channel: 'email', provider: 'email', externalId: address } as const;
    const addressee = await this.desk.ledger.people.byIdentity(tenantId, identity);
    if (who.tenantId !== tenantId || who.personId === null || addressee?.id !== who.personId) {
      const personId = who.tenantId === tenantId ? (who.personId ?? who.keyId) : null;
      const by = { channel: 'email', personId, personName: who.personName } as const;
      await keepRefusal(this.desk.ledger, { ask, tenantId, answer: body.answer, by, code: 'ask.not_approver' });
      return { status: 403, text: 'Your answer was not taken: this link was sent to somebody else.' };
    }
    const { accepted, text } = await answerByIdentity(this.desk, identity, { askId: ask.id, body, card: emailCard });
    return { status: accepted ? 200 : 409, text };
  }

  private async linkedTo(token: unknown): Promise<Linked | null> {
    const { linkSecret, tenants, ledger } = this.desk;
    const note = typeof token === 'string' ? readEmailToken(token, linkSecret) : null;
    if (note === null || typeof token !== 'string' || !tenants.includes(note.tenantId)) return null;
    const ask = await ledger.asks.get(note.tenantId, note.askId);
    return ask && { token, note, ask };
  }

  /** The page's own session, and only from a form of our own site. */
  private async signedIn({ headers }: IncomingMessage): Promise<Principal | null> {
    const session = headers.origin === undefined ? null : this.cookies.read(headers.cookie);
    if (session === null) return null;
    try {
      return await this.authenticator.bySecretHash(session.subject);
    } catch (error) {
      if (error instanceof DoorError && error.code === 'auth.unknown_key') return null;
      throw error;
    }
  }
}

const VOID: AnswerPage = {
  title: 'No such question',
  notice: 'This link is not valid, or what it asked about is kept no more.',
  card: null,
  form: null,
  signIn: false,
};

function openPage({ ask, token }: Linked, notice: string | null = null): AnswerPage {
  const card = emailCard(ask);
  if (ask.status !== 'open') {
    return { title: card.title, notice: notice ?? endText(ask), card, form: null, signIn: false };
  }
  const form = { token, approvable: mayApproveOn('email', ask, card) && !ask.frozen };
  return { title: card.title, notice, card, form, signIn: false };
}

function readForm(form: URLSearchParams, { version }: EmailNote): AnswerBody | null {
  const reason = form.get('reason') ?? '';
  const body = { answer: form.get('answer'), version, ...(reason === '' ? {} : { reason }) };
  const read = answerBodySchema.safeParse(body);
  return read.success ? read.data : null;
}

function sendPage(reply: FastifyReply, status: number, page: AnswerPage): void {
  void reply.code(status).headers(ANSWER_PAGE_HEADERS).send(answerPage(page));
}
