/** The modes of a tenant's policies, looked up at most once a second each. */
import { policyDocumentSchema } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { PolicyModes } from './opening.js';

const FRESH_MS = 1_000;
const MAX_POLICIES = 1_000;

/** An unknown policy: the worker denies every call under it, so its modes only have to be harmless. */
const UNKNOWN: PolicyModes = policyDocumentSchema.parse({});

export type FindPolicyModes = (tenantId: string, name: string) => Promise<PolicyModes>;

interface Known {
  readonly modes: Promise<PolicyModes>;
  readonly until: number;
}

export function createPolicyModes(policies: Pick<Ledger['policies'], 'current'>, now: () => number): FindPolicyModes {
  const known = new Map<string, Known>();
  return (tenantId, name) => {
    const key = JSON.stringify([tenantId, name]);
    const cached = known.get(key);
    if (cached !== undefined && cached.until > now()) return cached.modes;
    if (known.size >= MAX_POLICIES) known.clear();
    const modes = policies.current(tenantId, name).then((policy) => policy?.document ?? UNKNOWN);
    known.set(key, { modes, until: now() + FRESH_MS });
    modes.catch(() => known.delete(key));
    return modes;
  };
}
