/** The asks' door: list, look, answer. GET never decides. */
import { Body, Controller, Get, Headers, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import {
  answerBodySchema,
  ASK_STATUSES,
  DoorError,
  pageQuerySchema,
  type AnswerBody,
  type AskView,
} from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { Bus } from '@countersign/queue';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import { z } from 'zod';

import { answererOf } from '../door/answerer.js';
import { BUS, LEDGER } from '../tokens.js';
import { answerAsk, type AnswerResult } from './answer-ask.js';
import { listAsks, type AskPage } from './list-asks.js';

const askQuerySchema = pageQuerySchema.extend({ status: z.enum([...ASK_STATUSES, 'ended', 'all']).default('open') });
type AskQuery = z.infer<typeof askQuerySchema>;

@Controller('/v1/asks')
export class AsksController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(BUS) private readonly bus: Bus,
  ) {}

  @Get()
  list(@CurrentPrincipal() who: Principal, @Query({ schema: askQuerySchema }) query: AskQuery): Promise<AskPage> {
    return listAsks(this.ledger, who.tenantId, query);
  }

  @Get(':id')
  async get(@CurrentPrincipal() who: Principal, @Param('id') askId: string): Promise<AskView> {
    const ask = await this.ledger.asks.get(who.tenantId, askId);
    if (ask === null) throw new DoorError('ask.unknown');
    return ask;
  }

  @Post(':id/answer')
  @HttpCode(200)
  answer(
    @CurrentPrincipal() who: Principal,
    @Param('id') askId: string,
    @Body({ schema: answerBodySchema }) body: AnswerBody,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
  ): Promise<AnswerResult> {
    const keyless = idempotencyKey === undefined;
    return answerAsk(this.ledger, this.bus, { tenantId: who.tenantId, askId, body, by: answererOf(who), keyless });
  }
}
