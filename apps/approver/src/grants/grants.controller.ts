/** `/v1/grants`: what was allowed for good, by whom, and its end. */
import { randomUUID } from 'node:crypto';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { DoorError, grantBodySchema, pageQuerySchema, type Grant, type GrantBody } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import { z } from 'zod';
import { actorOf } from '../door/answerer.js';
import { LEDGER } from '../tokens.js';
import { checkPattern, fromNow } from './grant-terms.js';
import { withRoots, type RootedGrant } from './grant-roots.js';

const grantQuerySchema = pageQuerySchema.extend({
  status: z.enum(['active', 'consumed', 'revoked', 'expired', 'all']).default('active'),
  session: z.string().optional(),
});
type GrantQuery = z.infer<typeof grantQuerySchema>;

@Controller('/v1/grants')
export class GrantsController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Get()
  async list(@CurrentPrincipal() who: Principal, @Query({ schema: grantQuerySchema }) query: GrantQuery) {
    const { status, session, limit, cursor } = query;
    const page = await this.ledger.grants.list({
      tenantId: who.tenantId,
      limit,
      cursor,
      ...(status === 'all' ? {} : { status }),
      ...(session === undefined ? {} : { sessionId: session }),
    });
    return { ...page, items: await withRoots(this.ledger, who.tenantId, page.items) };
  }

  /** A grant that no ask was the reason for; it holds in every session, or in those of one project. */
  @Post()
  async make(
    @CurrentPrincipal() who: Principal,
    @Body({ schema: grantBodySchema }) body: GrantBody,
  ): Promise<RootedGrant> {
    checkPattern(body.pattern);
    const grant: Grant = {
      id: `grant_${randomUUID()}`,
      kind: 'always',
      tool: body.pattern.split('(')[0] ?? '',
      argsHash: null,
      pattern: body.pattern,
      liftsRuleIds: body.lifts ?? [],
      askId: '',
      personId: actorOf(who),
      expiresAt: body.ttl === undefined ? null : await fromNow(this.ledger, body.ttl),
      ...(body.uses === undefined ? {} : { uses: body.uses }),
      ...(body.root === undefined ? {} : { root: body.root }),
      tenantWide: true,
    };
    const made = await this.ledger.executeTenant(who.tenantId, { type: 'CreateGrant', grant });
    if (!made.ok) throw new DoorError(made.code, made.message);
    return this.stored(who.tenantId, grant.id);
  }

  @Delete(':id')
  @HttpCode(200)
  async revoke(@CurrentPrincipal() who: Principal, @Param('id') grantId: string): Promise<RootedGrant> {
    const { tenantId } = who;
    const grant = await this.ledger.grants.get(tenantId, grantId);
    if (grant === null) throw new DoorError('grant.unknown');
    if (grant.status === 'active') {
      const command = { type: 'RevokeGrant', grantId, by: actorOf(who) } as const;
      const done =
        grant.sessionId === null
          ? await this.ledger.executeTenant(tenantId, command)
          : await this.ledger.execute({ tenantId, sessionId: grant.sessionId }, command);
      // Somebody else was faster, or its last use was: either way it is gone.
      if (!done.ok && done.code !== 'grant.unknown') throw new DoorError(done.code, done.message);
    }
    return this.stored(tenantId, grantId);
  }

  private async stored(tenantId: string, grantId: string): Promise<RootedGrant> {
    const grant = await this.ledger.grants.get(tenantId, grantId);
    const [rooted] = grant === null ? [] : await withRoots(this.ledger, tenantId, [grant]);
    if (!rooted) throw new DoorError('grant.unknown');
    return rooted;
  }
}
