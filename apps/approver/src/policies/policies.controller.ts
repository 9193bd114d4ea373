/** The policies' door: read the current version, publish the next one. */
import { Body, Controller, Get, Inject, Param, Put } from '@nestjs/common';
import { DoorError, policyNameSchema } from '@countersign/contracts';
import type { Ledger, PolicyVersion } from '@countersign/ledger';
import { compilePolicy, parsePolicyDocument, policyWarnings, type PolicyWarning } from '@countersign/policy';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import { z } from 'zod';
import { actorOf } from '../door/answerer.js';

import { LEDGER } from '../tokens.js';

/** The analysis holds up everybody else, so it is short; what it does not reach is said. */
const ANALYSIS_MS = 250;
const documentSchema = z.record(z.string(), z.unknown());

@Controller('/v1/policies')
export class PoliciesController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Get(':name')
  async get(
    @CurrentPrincipal() who: Principal,
    @Param('name') name: string,
  ): Promise<PolicyVersion & { epoch: number }> {
    if (!policyNameSchema.safeParse(name).success) throw new DoorError('policy.unknown');
    const policy = await this.ledger.policies.current(who.tenantId, name);
    if (policy === null) throw new DoorError('policy.unknown');
    return policy;
  }

  @Put(':name')
  async publish(
    @CurrentPrincipal() who: Principal,
    @Param('name', { schema: policyNameSchema }) name: string,
    @Body({ schema: documentSchema }) input: unknown,
  ): Promise<PolicyVersion & { warnings: PolicyWarning[] }> {
    const parsed = parsePolicyDocument(input);
    if (!parsed.ok) throw new DoorError('policy.invalid', undefined, { problems: parsed.problems });
    const compiled = compilePolicy(parsed.document);
    if (!compiled.ok) throw new DoorError('policy.invalid', undefined, { problems: compiled.problems });
    const { document } = parsed;
    const published = await this.ledger.policies.publish({ tenantId: who.tenantId, name, document, by: actorOf(who) });
    const end = Date.now() + ANALYSIS_MS;
    return { ...published, warnings: policyWarnings(compiled.policy, () => Date.now() > end) };
  }
}
