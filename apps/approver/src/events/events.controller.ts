/** The auditors' door: search the log, verify its chain. Reading is itself recorded. */
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { eventQuerySchema, TENANT_STREAM, type EventQuery, type StoredEvent } from '@countersign/contracts';
import { appendRecord, type Ledger } from '@countersign/ledger';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import { actorOf } from '../door/answerer.js';

import { LEDGER } from '../tokens.js';

@Controller('/v1')
export class EventsController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Get('events')
  async list(
    @CurrentPrincipal() who: Principal,
    @Query({ schema: eventQuerySchema }) query: EventQuery,
  ): Promise<{ items: StoredEvent[]; next: string | null }> {
    await this.recordRead(who, `events ${JSON.stringify(query)}`);
    return this.ledger.events.list(who.tenantId, query);
  }

  @Get('verify')
  async verify(@CurrentPrincipal() who: Principal): ReturnType<Ledger['verify']> {
    await this.recordRead(who, 'verify');
    return this.ledger.verify(who.tenantId);
  }

  /** INVARIANT: who cannot be recorded does not read. */
  private async recordRead(who: Principal, query: string): Promise<void> {
    const event = { type: 'LogRead', version: 1, body: { by: actorOf(who), query: query.slice(0, 4_000) } } as const;
    const stored = await appendRecord(this.ledger, { tenantId: who.tenantId, streamId: TENANT_STREAM }, [event]);
    if (!stored?.ok) throw new Error(`reading the log could not be recorded: ${JSON.stringify(stored)}`);
  }
}
