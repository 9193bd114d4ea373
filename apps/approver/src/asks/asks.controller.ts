/** The asks' door: list, look, answer. GET never decides. */
import { Body, Controller, Get, Headers, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import {
  answerBodySchema,
  ASK_STATUSES,
  pageQuerySchema,
  type AnswerBody,
  type AskDetail,
} from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { Bus } from '@countersign/queue';
import { CurrentPrincipal, type Principal, type VaultKeys } from '@countersign/server';
import { z } from 'zod';

import { answererOf, doorChannel, groupsOf } from '../door/answerer.js';
import { BUS, LEDGER, VAULT_KEYS } from '../tokens.js';
import { answerAsk, type AnswerResult } from './answer-ask.js';
import { askDetail } from './ask-detail.js';
import { listAsks, type AskPage } from './list-asks.js';

const askQuerySchema = pageQuerySchema.extend({ status: z.enum([...ASK_STATUSES, 'ended', 'all']).default('open') });
type AskQuery = z.infer<typeof askQuerySchema>;

@Controller('/v1/asks')
export class AsksController {
  constructor(
    @Inject(LEDGER) readonly ledger: Ledger,
    @Inject(BUS) readonly bus: Bus,
    @Inject(VAULT_KEYS) readonly vaultKeys: VaultKeys,
  ) {}

  @Get()
  list(@CurrentPrincipal() who: Principal, @Query({ schema: askQuerySchema }) query: AskQuery): Promise<AskPage> {
    return listAsks(this.ledger, who.tenantId, query);
  }

  @Get(':id')
  get(@CurrentPrincipal() who: Principal, @Param('id') askId: string): Promise<AskDetail> {
    return askDetail(this.ledger, who.tenantId, askId);
  }

  @Post(':id/answer')
  @HttpCode(200)
  async answer(
    @CurrentPrincipal() who: Principal,
    @Param('id') askId: string,
    @Body({ schema: answerBodySchema }) body: AnswerBody,
    @Headers() headers: Readonly<Record<string, unknown>>,
  ): Promise<AnswerResult> {
    const requestKey = headers['idempotency-key'];
    const { tenantId } = who;
    const groups = () => groupsOf(this.ledger, who);
    const by = answererOf(who, doorChannel(headers));
    const keyed = typeof requestKey === 'string' ? { requestKey } : {};
    return answerAsk(this, { tenantId, askId, body, by, groups, ...keyed });
  }
}
