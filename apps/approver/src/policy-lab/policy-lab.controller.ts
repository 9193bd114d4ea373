/** `POST /v1/policies/{analyse,simulate}`: what a policy does, before it is published or after. Nothing here changes anything. */
import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import type { Ledger } from '@countersign/ledger';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import { z } from 'zod';
import { LEDGER } from '../tokens.js';
import { analysisOf, type AnalysisView } from './analyse.js';
import { compiledOf, labPolicySchema, type LabPolicy } from './lab-policy.js';
import { trialCallSchema, tryCall, type TrialView } from './simulate.js';

/** The work holds up everybody else, so it is short; what it does not reach is said. */
const WORK_MS = 250;
const simulateSchema = z.intersection(labPolicySchema, z.object({ calls: z.array(trialCallSchema).min(1).max(100) }));
type SimulateBody = z.infer<typeof simulateSchema>;

@Controller('/v1/policies')
export class PolicyLabController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Post('analyse')
  @HttpCode(200)
  async analyse(
    @CurrentPrincipal() { tenantId }: Principal,
    @Body({ schema: labPolicySchema }) body: LabPolicy,
  ): Promise<AnalysisView> {
    const policy = await compiledOf(body, tenantId, this.ledger.policies);
    const end = Date.now() + WORK_MS;
    return analysisOf(policy, () => Date.now() > end);
  }

  /** One item a call, in order; `complete` false: time ran out before the last of them. */
  @Post('simulate')
  @HttpCode(200)
  async simulate(
    @CurrentPrincipal() { tenantId }: Principal,
    @Body({ schema: simulateSchema }) body: SimulateBody,
  ): Promise<{ items: TrialView[]; complete: boolean }> {
    const policy = await compiledOf(body, tenantId, this.ledger.policies);
    const end = Date.now() + WORK_MS;
    const now = new Date().toISOString();
    const items: TrialView[] = [];
    for (const call of body.calls) {
      if (items.length > 0 && Date.now() > end) break;
      items.push(tryCall(policy, call, now));
    }
    return { items, complete: items.length === body.calls.length };
  }
}
