/** For tests: a ledger over a database of its own with one tenant, and calls to put into rounds. */
import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson, type PolicyInput, type SessionOpening, type ToolCall } from '@countersign/contracts';
import { createLedger, type Ledger } from '@countersign/ledger';
import { parsePolicyDocument } from '@countersign/policy';
import { createVaultKeys, newVaultKey } from '@countersign/server';
import { createPolicyCache } from '../policies/policy-cache.js';
import { BoundedMap } from './bounded-map.js';
import { createDatabaseClock } from './database-clock.js';
import { QuietSessions } from './quiet-sessions.js';
import type { RoundDeps } from './round.js';
import type { RoundItem } from './round-item.js';
import type { StoredHead } from './stream-draft.js';
import type { CachedTenant } from './tenant-facts.js';

export const TENANT = 'tenant-1';

/** Publishes a policy under a name; throws when it is not valid. */
export async function publish(ledger: Ledger, name: string, input: PolicyInput): Promise<void> {
  const parsed = parsePolicyDocument(input);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  await ledger.policies.publish({ tenantId: TENANT, name, document: parsed.document, by: 'test' });
}

export async function openLedger(url: string, policy: PolicyInput): Promise<Ledger> {
  const ledger = createLedger({ databaseUrl: url });
  await ledger.tenants.ensure({ id: TENANT, name: 'one' });
  await publish(ledger, 'default', policy);
  return ledger;
}

/** A worker's memory; its faults are collected. */
export function roundDeps(ledger: Ledger, faults: string[] = []): RoundDeps {
  return {
    ledger,
    cache: new BoundedMap<string, StoredHead>(100),
    tenants: new BoundedMap<string, CachedTenant>(10),
    quiet: new QuietSessions(100),
    clock: createDatabaseClock(() => performance.now()),
    policies: createPolicyCache(ledger.policies, 10),
    vaultKeys: createVaultKeys([newVaultKey()]),
    surroundings: { protectedPaths: ['/var/lib/countersign'], platform: 'linux' },
    onCallFault: (call, error) => faults.push(`${call.id}: ${String(error)}`),
    onUnitFault: (_family, error) => faults.push(error),
  };
}

export interface CallWish extends Partial<Omit<ToolCall, 'args' | 'opening'>> {
  readonly args?: unknown;
  readonly opening?: Partial<SessionOpening>;
}

/** A call of key `key-1` in session `s1` unless told otherwise. */
export function makeCall(wish: CallWish = {}): ToolCall {
  const { args = { command: 'ls' }, opening, ...rest } = wish;
  const json = canonicalJson(args);
  const id = randomUUID();
  return {
    id: `call_${id}`,
    tenantId: TENANT,
    keyId: 'key-1',
    sessionId: 's1',
    agent: 'tester',
    toolUseId: `use-${id}`,
    attempt: 1,
    tool: 'Bash',
    args: { state: 'ok', json, hash: createHash('sha256').update(json).digest('hex') },
    cwd: '/srv/app',
    mode: null,
    resolvedPaths: {},
    sameHost: false,
    description: null,
    joinsByHash: false,
    ancestors: [],
    ...rest,
    opening: {
      agent: 'tester',
      parentId: null,
      policy: 'default',
      mode: 'default',
      cwd: '/srv/app',
      roots: ['/srv/app'],
      silent: false,
      tools: null,
      labels: {},
      home: '/home/tester',
      ...opening,
    },
  };
}

export const asItem = (call: ToolCall, replyTo = 'gateway-1'): RoundItem => ({ call, replyTo });
