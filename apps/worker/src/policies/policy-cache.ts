/** Compiled policies by tenant, name and epoch: published ones are compiled once, and a new epoch is looked up again. */
import type { PolicyDocument } from '@countersign/contracts';
import { compilePolicy, type CompiledPolicy } from '@countersign/policy';
import { BoundedMap } from '../rounds/bounded-map.js';

export interface UsablePolicy {
  readonly state: 'usable';
  readonly name: string;
  readonly document: PolicyDocument;
  readonly compiled: CompiledPolicy;
  readonly hash: string;
  readonly epoch: number;
}

/** A policy that nothing can be judged by; calls under it are denied with `ruleId`. */
export interface UnusablePolicy {
  readonly state: 'unusable';
  readonly name: string;
  readonly ruleId: 'policy.unknown' | 'policy.invalid';
  readonly reason: string;
  readonly hash: string;
  readonly epoch: number;
}

export type RoundPolicy = UsablePolicy | UnusablePolicy;

/** Where policies come from: the ledger. */
export interface PolicySource {
  current(
    tenantId: string,
    name: string,
  ): Promise<{ document: PolicyDocument; hash: string; version: number; epoch: number } | null>;
}

export interface PolicyCache {
  /** The tenant's current policy of that name, at `epoch` or later. */
  get(tenantId: string, name: string, epoch: number): Promise<RoundPolicy>;
}

export function createPolicyCache(source: PolicySource, limit: number): PolicyCache {
  const known = new BoundedMap<string, RoundPolicy>(limit);
  /** Compiled forms by hash: a new epoch with the same document compiles nothing. */
  const compiled = new BoundedMap<string, RoundPolicy>(limit);

  return {
    async get(tenantId, name, epoch) {
      const key = JSON.stringify([tenantId, name]);
      const cached = known.get(key);
      if (cached !== undefined && cached.epoch >= epoch) return cached;
      const found = await source.current(tenantId, name);
      const policy = found === null ? unknown(name, epoch) : prepare(compiled, name, found);
      known.set(key, policy);
      return policy;
    },
  };
}

function unknown(name: string, epoch: number): UnusablePolicy {
  const reason = `no policy \`${name}\` is published`;
  return { state: 'unusable', name, ruleId: 'policy.unknown', reason, hash: '', epoch };
}

function prepare(
  compiled: BoundedMap<string, RoundPolicy>,
  name: string,
  found: { document: PolicyDocument; hash: string; epoch: number },
): RoundPolicy {
  const same = compiled.get(found.hash) ?? compile(found);
  compiled.set(found.hash, same);
  return { ...same, name, epoch: found.epoch };
}

function compile({ document, hash, epoch }: { document: PolicyDocument; hash: string; epoch: number }): RoundPolicy {
  const result = compilePolicy(document);
  if (result.ok) return { state: 'usable', name: '', document, compiled: result.policy, hash, epoch };
  const problem = result.problems[0];
  const reason = `the policy cannot be used: ${problem === undefined ? 'unknown problem' : problem.message}`;
  return { state: 'unusable', name: '', ruleId: 'policy.invalid', reason, hash, epoch };
}
