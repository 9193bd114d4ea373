/** Compiled policies of a tenant's sessions, looked up at most once a second each and compiled once a version. */
import { policyDocumentSchema, type PolicyDocument } from '@countersign/contracts';
import type { LoopLimits } from '@countersign/approval';
import { compilePolicy, loopLimitsOf, type CompiledPolicy } from '@countersign/policy';
import type { Ledger } from '@countersign/ledger';

const FRESH_MS = 1_000;
const MAX_POLICIES = 500;

/** A policy as the gateway needs it: to tell limits, modes, obligations and how calls may run, and what it denies by now; it allows nothing. */
export interface SessionPolicy {
  readonly document: PolicyDocument;
  readonly compiled: CompiledPolicy;
  readonly limits: LoopLimits;
}

export type FindSessionPolicy = (tenantId: string, name: string) => Promise<SessionPolicy>;

/** Stands for a policy that is unknown or cannot be used: the worker denies every call under it. */
const UNKNOWN = prepare(policyDocumentSchema.parse({})) as SessionPolicy;

interface Known {
  readonly policy: Promise<SessionPolicy>;
  readonly until: number;
}

export function createSessionPolicies(
  policies: Pick<Ledger['policies'], 'current'>,
  now: () => number,
): FindSessionPolicy {
  const known = new Map<string, Known>();
  const prepared = new Map<string, SessionPolicy>();
  const load = async (tenantId: string, name: string): Promise<SessionPolicy> => {
    const found = await policies.current(tenantId, name);
    if (found === null) return UNKNOWN;
    const policy = prepared.get(found.hash) ?? prepare(found.document) ?? UNKNOWN;
    if (prepared.size >= MAX_POLICIES) prepared.clear();
    prepared.set(found.hash, policy);
    return policy;
  };
  return (tenantId, name) => {
    const key = JSON.stringify([tenantId, name]);
    const cached = known.get(key);
    if (cached !== undefined && cached.until > now()) return cached.policy;
    if (known.size >= MAX_POLICIES) known.clear();
    const policy = load(tenantId, name);
    known.set(key, { policy, until: now() + FRESH_MS });
    policy.catch(() => known.delete(key));
    return policy;
  };
}

function prepare(document: PolicyDocument): SessionPolicy | null {
  const result = compilePolicy(document);
  return result.ok ? { document, compiled: result.policy, limits: loopLimitsOf(result.policy) } : null;
}
