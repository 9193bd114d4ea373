/** What an agent's loop reports: `/v1/sessions/:id/{steps,usage,prompts,compactions}`. */
import { Body, Controller, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { compactionBodySchema, promptBodySchema, stepBodySchema, usageBodySchema } from '@countersign/contracts';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import type { z } from 'zod';
import { ProgressService, type CompactionView, type ProgressView, type StepView } from './progress-service.js';

@Controller('v1/sessions')
export class ProgressController {
  constructor(@Inject(ProgressService) private readonly progress: ProgressService) {}

  @Post(':id/steps')
  @HttpCode(200)
  step(
    @Param('id') id: string,
    @Body({ schema: stepBodySchema }) body: z.infer<typeof stepBodySchema>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<StepView> {
    return this.progress.step(id, principal, body);
  }

  @Post(':id/usage')
  @HttpCode(200)
  usage(
    @Param('id') id: string,
    @Body({ schema: usageBodySchema }) body: z.infer<typeof usageBodySchema>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<ProgressView> {
    return this.progress.usage(id, principal, body.tokens);
  }

  @Post(':id/prompts')
  @HttpCode(200)
  prompt(
    @Param('id') id: string,
    @Body({ schema: promptBodySchema }) body: z.infer<typeof promptBodySchema>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<ProgressView> {
    return this.progress.prompt(id, principal, body.text);
  }

  @Post(':id/compactions')
  @HttpCode(200)
  compaction(
    @Param('id') id: string,
    @Body({ schema: compactionBodySchema }) body: z.infer<typeof compactionBodySchema>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<CompactionView> {
    return this.progress.compaction(id, principal, { phase: body.phase, ok: body.ok });
  }
}
