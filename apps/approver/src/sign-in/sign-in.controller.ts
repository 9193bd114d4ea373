/** Signing in and out of the page. Only POST changes anything; the cookie names the key, never holds it. */
import { Body, Controller, Get, Header, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { DoorError } from '@countersign/contracts';
import { hashSecret, type Ledger } from '@countersign/ledger';
import { CurrentPrincipal, type Authenticator, type CookieSessions, type Principal } from '@countersign/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AUTHENTICATOR, COOKIE_SECRET, COOKIES, LEDGER } from '../tokens.js';
import { readSignInCode, type SignInNote } from './sign-in-code.js';
import { answering } from './socket-principal.js';

const proofSchema = z.union([
  z.object({ code: z.string().min(1).max(2_000) }).strict(),
  z.object({ key: z.string().min(1).max(512) }).strict(),
]);
type Proof = z.infer<typeof proofSchema>;

/** What the page knows of its own session. */
interface SessionView {
  readonly name: string;
  readonly role: string;
  /** Null: the request came with a key, not with a cookie. */
  readonly csrf: string | null;
}

@Controller()
export class SignInController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(COOKIES) private readonly cookies: CookieSessions,
    @Inject(COOKIE_SECRET) private readonly cookieSecret: string,
  ) {}

  @Post('/sign-in')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async signIn(
    @Body({ schema: proofSchema }) proof: Proof,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ name: string }> {
    const hash = 'key' in proof ? hashSecret(proof.key) : this.noteOf(proof.code).keyHash;
    const principal = answering(await this.authenticator.bySecretHash(hash));
    if ('code' in proof) await this.useUp(this.noteOf(proof.code), principal);
    void reply.header('set-cookie', this.cookies.issue(hash).setCookie);
    return { name: nameOf(principal) };
  }

  @Get('/sign-in/session')
  @Header('cache-control', 'no-store')
  session(@CurrentPrincipal() who: Principal, @Req() request: FastifyRequest): SessionView {
    const session = request.headers.authorization === undefined ? this.cookies.read(request.headers.cookie) : null;
    return { name: nameOf(who), role: who.role, csrf: session?.csrf ?? null };
  }

  @Post('/sign-out')
  @HttpCode(200)
  signOut(@Res({ passthrough: true }) reply: FastifyReply): { signedOut: true } {
    void reply.header('set-cookie', this.cookies.clear());
    return { signedOut: true };
  }

  private noteOf(code: string): SignInNote {
    const note = readSignInCode(code, this.cookieSecret, Date.now());
    if (note === null) throw new DoorError('auth.unknown_key', 'this sign-in link is not valid or too old');
    return note;
  }

  /** INVARIANT: the database lets exactly one approver use a code up, and keeps that for longer than the code lives. */
  private async useUp(note: SignInNote, { tenantId }: Principal): Promise<void> {
    const { idempotency } = this.ledger;
    const use = { tenantId, scope: 'sign-in code', key: note.nonce, requestHash: note.keyHash };
    const used = await idempotency.begin(use);
    if (used.kind !== 'first') throw new DoorError('auth.unknown_key', 'this sign-in link was used already');
    // Unfinished uses would count as abandoned after a while, and the code could be used again.
    await idempotency.finish(use, { status: 200, response: '' });
  }
}

const nameOf = (who: Principal): string => who.personName ?? `${who.role} key`;
