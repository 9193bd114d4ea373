/** `POST /v1/tool-calls`, `GET /v1/tool-calls/:id` and `POST /v1/tool-calls/:id/result`. */
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { resultBodySchema, type CallOutcome, type InspectedJson, type ResultBody } from '@countersign/contracts';
import { CurrentPrincipal, InspectedBody, noteForLog, type Principal } from '@countersign/server';
import { z } from 'zod';
import { goneSignal, type RawReply } from '../door-request.js';
import { ToolCallService, type ReportedResultView } from './tool-call-service.js';

const lookQuerySchema = z.object({ wait: z.coerce.number().min(0).max(60).default(0) });

@Controller('v1/tool-calls')
export class ToolCallsController {
  constructor(@Inject(ToolCallService) private readonly calls: ToolCallService) {}

  @Post()
  @HttpCode(200)
  async decide(
    @InspectedBody() body: InspectedJson,
    @CurrentPrincipal() principal: Principal,
    @Req() request: Parameters<typeof noteForLog>[0],
    @Res({ passthrough: true }) reply: RawReply,
  ): Promise<CallOutcome> {
    const outcome = await this.calls.decide(body, principal, goneSignal(reply.raw));
    noteForLog(request, { callId: outcome.id });
    return outcome;
  }

  @Get(':id')
  look(
    @Param('id') id: string,
    @Query({ schema: lookQuerySchema }) query: z.infer<typeof lookQuerySchema>,
    @CurrentPrincipal() principal: Principal,
    @Res({ passthrough: true }) reply: RawReply,
  ): Promise<CallOutcome> {
    return this.calls.look(id, principal, { wait: query.wait, gone: goneSignal(reply.raw) });
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
