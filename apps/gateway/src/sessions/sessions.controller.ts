/** `POST /v1/sessions` and what may be done to a session afterwards. */
import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import {
  endSessionBodySchema,
  limitsBodySchema,
  modeBodySchema,
  openSessionBodySchema,
  sessionRulesBodySchema,
  type OpenSessionBody,
} from '@countersign/contracts';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import type { z } from 'zod';
import { SessionService, type OpenedSessionView } from './session-service.js';

type EndBody = z.infer<typeof endSessionBodySchema>;

@Controller('v1/sessions')
export class SessionsController {
  constructor(@Inject(SessionService) private readonly sessions: SessionService) {}

  @Post()
  open(
    @Body({ schema: openSessionBodySchema }) body: OpenSessionBody,
    @CurrentPrincipal() principal: Principal,
  ): Promise<OpenedSessionView> {
    return this.sessions.open(body, principal);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  cancel(
    @Param('id') id: string,
    @Body({ schema: endSessionBodySchema }) body: EndBody,
    @CurrentPrincipal() principal: Principal,
  ) {
    return this.sessions.end(id, principal, { cancel: true, reason: body.reason ?? 'cancelled' });
  }

  @Post(':id/stop')
  @HttpCode(200)
  stop(
    @Param('id') id: string,
    @Body({ schema: endSessionBodySchema }) body: EndBody,
    @CurrentPrincipal() principal: Principal,
  ) {
    return this.sessions.end(id, principal, { cancel: false, reason: body.reason ?? 'stopped' });
  }

  @Post(':id/mode')
  @HttpCode(200)
  setMode(
    @Param('id') id: string,
    @Body({ schema: modeBodySchema }) body: z.infer<typeof modeBodySchema>,
    @CurrentPrincipal() principal: Principal,
  ) {
    return this.sessions.setMode(id, principal, body.mode);
  }

  @Post(':id/mode/next')
  @HttpCode(200)
  nextMode(@Param('id') id: string, @CurrentPrincipal() principal: Principal) {
    return this.sessions.nextMode(id, principal);
  }

  @Post(':id/limits')
  @HttpCode(200)
  narrow(
    @Param('id') id: string,
    @Body({ schema: limitsBodySchema }) body: z.infer<typeof limitsBodySchema>,
    @CurrentPrincipal() principal: Principal,
  ) {
    return this.sessions.narrow(id, principal, body);
  }

  @Get(':id/rules')
  rules(@Param('id') id: string, @CurrentPrincipal() principal: Principal) {
    return this.sessions.rules(id, principal);
  }

  @Post(':id/rules')
  @HttpCode(200)
  changeRules(
    @Param('id') id: string,
    @Body({ schema: sessionRulesBodySchema }) body: z.infer<typeof sessionRulesBodySchema>,
    @CurrentPrincipal() principal: Principal,
  ) {
    return this.sessions.changeRules(id, principal, body);
  }

  @Post(':id/reset-breaker')
  @HttpCode(200)
  resetBreaker(@Param('id') id: string, @CurrentPrincipal() principal: Principal) {
    return this.sessions.resetBreaker(id, principal);
  }
}
