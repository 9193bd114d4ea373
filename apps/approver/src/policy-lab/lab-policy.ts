/** The policy that is looked at: one that is published, or a document that is only tried. */
import { DoorError, policyNameSchema } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { compilePolicy, parsePolicyDocument, type CompiledPolicy } from '@countersign/policy';
import { z } from 'zod';

/** Exactly one of the two. */
export const labPolicySchema = z
  .object({ policy: policyNameSchema.optional(), document: z.record(z.string(), z.unknown()).optional() })
  .refine(({ policy, document }) => (policy === undefined) !== (document === undefined), {
    message: 'name a published `policy`, or send a `document`',
  });
export type LabPolicy = z.infer<typeof labPolicySchema>;

/** Throws `policy.unknown`, or `policy.invalid` with every problem. */
export async function compiledOf(
  wish: LabPolicy,
  tenantId: string,
  policies: Pick<Ledger['policies'], 'current'>,
): Promise<CompiledPolicy> {
  const compiled = compilePolicy(await documentOf(wish, tenantId, policies));
  if (!compiled.ok) throw new DoorError('policy.invalid', undefined, { problems: compiled.problems });
  return compiled.policy;
}

async function documentOf(
  { policy, document }: LabPolicy,
  tenantId: string,
  policies: Pick<Ledger['policies'], 'current'>,
) {
  if (document === undefined) {
    const found = await policies.current(tenantId, policy ?? '');
    if (found === null) throw new DoorError('policy.unknown');
    return found.document;
  }
  const parsed = parsePolicyDocument(document);
  if (!parsed.ok) throw new DoorError('policy.invalid', undefined, { problems: parsed.problems });
  return parsed.document;
}
