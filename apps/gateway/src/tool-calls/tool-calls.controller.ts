/** Tool calls at the agents' door: decide, look again, report a result, read on in a long output. */
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { resultBodySchema, type CallOutcome, type InspectedJson, type ResultBody } from '@countersign/contracts';
import { CurrentPrincipal, InspectedBody, noteForLog, type Principal } from '@countersign/server';
import { z } from 'zod';
import type { RawReply } from '../door-request.js';
import { goneWith } from '../waiting/gone.js';
import type { OutputPage } from '../results/kept-output.js';
import { BatchService, type BatchView } from './batch-service.js';
import { ToolCallService, type ReportedResultView } from './tool-call-service.js';

const lookQuerySchema = z.object({
  wait: z.coerce.number().min(0).max(60).default(0),
  permit: z.stringbool().default(false),
});

/** In code points. */
const outputQuerySchema = z.object({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(65_536).default(4_000),
});

@Controller('v1/tool-calls')
export class ToolCallsController {
  constructor(
    @Inject(ToolCallService) private readonly calls: ToolCallService,
    @Inject(BatchService) private readonly batches: BatchService,
  ) {}

  @Post()
  @HttpCode(200)
  async decide(
    @InspectedBody() body: InspectedJson,
    @CurrentPrincipal() principal: Principal,
    @Req() request: Parameters<typeof noteForLog>[0],
    @Res({ passthrough: true }) reply: RawReply,
  ): Promise<CallOutcome> {
    const outcome = await this.calls.decide(body, principal, goneWith(reply.raw));
    noteForLog(request, { callId: outcome.id });
    return outcome;
  }

  @Post('batch')
  @HttpCode(200)
  decideAll(
    @InspectedBody() body: InspectedJson,
    @CurrentPrincipal() principal: Principal,
    @Res({ passthrough: true }) reply: RawReply,
  ): Promise<BatchView> {
    return this.batches.decide(body, principal, goneWith(reply.raw));
  }

  @Get(':id')
  look(
    @Param('id') id: string,
    @Query({ schema: lookQuerySchema }) query: z.infer<typeof lookQuerySchema>,
    @CurrentPrincipal() principal: Principal,
    @Res({ passthrough: true }) reply: RawReply,
  ): Promise<CallOutcome> {
    return this.calls.look(id, principal, { ...query, gone: goneWith(reply.raw) });
  }

  @Get(':id/output')
  output(
    @Param('id') id: string,
    @Query({ schema: outputQuerySchema }) query: z.infer<typeof outputQuerySchema>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<OutputPage> {
    return this.calls.output(id, principal, query);
  }

  @Post(':id/result')
  @HttpCode(200)
  report(
    @Param('id') id: string,
    @Body({ schema: resultBodySchema }) body: ResultBody,
    @CurrentPrincipal() principal: Principal,
  ): Promise<ReportedResultView> {
    return this.calls.report(id, principal, body);
  }
}
