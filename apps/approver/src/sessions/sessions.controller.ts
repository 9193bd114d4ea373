/** The sessions' door: which runs there are and how each stands. */
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { DoorError, pageQuerySchema } from '@countersign/contracts';
import type { Ledger, SessionCounts } from '@countersign/ledger';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import type { z } from 'zod';

import { LEDGER } from '../tokens.js';

type PageQuery = z.infer<typeof pageQuerySchema>;

@Controller('/v1/sessions')
export class SessionsController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Get()
  list(
    @CurrentPrincipal() who: Principal,
    @Query({ schema: pageQuerySchema }) query: PageQuery,
  ): ReturnType<Ledger['sessions']['list']> {
    return this.ledger.sessions.list({ tenantId: who.tenantId, ...query });
  }

  @Get(':id/metrics')
  async metrics(@CurrentPrincipal() who: Principal, @Param('id') sessionId: string): Promise<SessionCounts> {
    if ((await this.ledger.sessions.get(who.tenantId, sessionId)) === null) throw new DoorError('session.unknown');
    return this.ledger.sessions.count(who.tenantId, sessionId);
  }

  @Get(':id')
  async get(@CurrentPrincipal() who: Principal, @Param('id') sessionId: string) {
    const session = await this.ledger.sessions.get(who.tenantId, sessionId);
    if (session === null) throw new DoorError('session.unknown');
    return session;
  }
}
