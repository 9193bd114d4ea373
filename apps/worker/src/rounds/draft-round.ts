/** Loads what a round needs and drafts the decisions of all its families. */
import type { ResolvedPaths, ToolCall } from '@countersign/contracts';
import { effectiveMode, openedState, sessionFacts, type SessionState } from '@countersign/approval';
import { requiredPaths } from '@countersign/policy';
import { gatherEvidence, MAX_PATHS_PER_CALL } from '@countersign/server/evidence';
import type { VaultKeys } from '@countersign/server';
import type { PolicyCache, RoundPolicy } from '../policies/policy-cache.js';
import { draftFamily, type FamilyDraft, type Surroundings } from './draft-family.js';
import { engineCallsOf, type EngineCalls } from './engine-call.js';
import { groupByFamily, parentInView, sessionLine } from './family.js';
import { streamKey } from './keys.js';
import type { RoundItem } from './round-item.js';
import { loadView, type LoadRound, type RoundMemory, type RoundView } from './round-view.js';

export interface DraftDeps extends RoundMemory {
  readonly policies: PolicyCache;
  readonly surroundings: Surroundings;
  readonly vaultKeys: VaultKeys;
  /** A call that broke the engine or the core. */
  readonly onCallFault: (call: ToolCall, error: unknown) => void;
  /** A unit that the ledger could not store. */
  readonly onUnitFault: (family: FamilyDraft, error: string) => void;
}

export interface DraftRoundInput extends DraftDeps {
  readonly load: LoadRound;
  /** True: record every call as `internal.error` without judging it. */
  readonly guilty: boolean;
  /** What is remembered of sessions that nobody else writes need not be read again; only where a conflict is tried again. */
  readonly trusting?: boolean;
}

export async function draftRound(items: readonly RoundItem[], input: DraftRoundInput): Promise<FamilyDraft[]> {
  const view = await loadView(items, input.load, input, input.trusting);
  const policyOf = await loadPolicies(items, view, input.policies);
  const engineCalls = readCalls(items, input);
  const engineCall = (item: RoundItem): EngineCalls => engineCalls.get(item) ?? engineCallsOf(item);
  const evidence = await evidenceByItem([...engineCalls.keys()], {
    view,
    policyOf,
    engineCall,
    onCallFault: input.onCallFault,
  });
  return groupByFamily(items, view).map((family) =>
    draftFamily(family, {
      view,
      policyOf,
      engineCall,
      evidenceOf: (item) => evidence.get(item) ?? {},
      surroundings: input.surroundings,
      vaultKeys: input.vaultKeys,
      onFault: input.onCallFault,
      isGuilty: (item) => !engineCalls.has(item),
    }),
  );
}

/** The calls that can be judged; the others are recorded as `internal.error`. */
function readCalls(items: readonly RoundItem[], input: DraftRoundInput): ReadonlyMap<RoundItem, EngineCalls> {
  const calls = new Map<RoundItem, EngineCalls>();
  for (const item of input.guilty ? [] : items) {
    if (item.guilty) continue;
    try {
      calls.set(item, engineCallsOf(item));
    } catch (error) {
      input.onCallFault(item.call, error);
    }
  }
  return calls;
}

type PolicyOf = (tenantId: string, name: string) => RoundPolicy;

function stateOf(call: ToolCall, view: RoundView): SessionState | null {
  return view.heads.get(streamKey(call.tenantId, call.sessionId))?.state ?? null;
}

async function loadPolicies(items: readonly RoundItem[], view: RoundView, policies: PolicyCache): Promise<PolicyOf> {
  const names = new Map<string, { tenantId: string; name: string }>();
  for (const { call } of items) {
    // A call that joins in this round may find its session opened by another call's opening.
    for (const name of [stateOf(call, view)?.opening?.policy, call.opening.policy]) {
      if (name !== undefined) names.set(streamKey(call.tenantId, name), { tenantId: call.tenantId, name });
    }
  }
  const found = await Promise.all(
    [...names].map(async ([key, { tenantId, name }]) => {
      const policy = await policies.get(tenantId, name, view.epochs.get(tenantId) ?? 0);
      return [key, policy] as const;
    }),
  );
  const loaded = new Map(found);
  return (tenantId, name) => {
    const policy = loaded.get(streamKey(tenantId, name));
    if (policy === undefined) throw new Error('a policy was not loaded for its round');
    return policy;
  };
}

interface EvidenceInput {
  readonly view: RoundView;
  readonly policyOf: PolicyOf;
  readonly engineCall: (item: RoundItem) => EngineCalls;
  readonly onCallFault: DraftDeps['onCallFault'];
}

/** Only for agents on this host: there its own look counts, whatever the client sent. */
async function evidenceByItem(
  items: readonly RoundItem[],
  input: EvidenceInput,
): Promise<ReadonlyMap<RoundItem, ResolvedPaths>> {
  const needs = new Map<RoundItem, string[]>();
  for (const item of items) if (item.call.sameHost) needs.set(item, neededPathsOrNone(item, input));
  const all = await gatherEvidence([...needs.values()].flat());
  const result = new Map<RoundItem, ResolvedPaths>();
  for (const [item, paths] of needs) result.set(item, pick(all, paths));
  return result;
}

/** A call whose needs cannot be told goes without evidence, which asks or denies. */
function neededPathsOrNone(item: RoundItem, input: EvidenceInput): string[] {
  try {
    return neededPaths(item, input);
  } catch (error) {
    input.onCallFault(item.call, error);
    return [];
  }
}

function neededPaths(item: RoundItem, { view, policyOf, engineCall }: EvidenceInput): string[] {
  const { call } = item;
  const line = sessionLine(call, parentInView(call.tenantId, view)).slice(0, -1);
  const ancestors = line.flatMap((id) => view.heads.get(streamKey(call.tenantId, id))?.state ?? []);
  const state = stateOf(call, view) ?? openedState(call, ancestors);
  const policy = policyOf(call.tenantId, state.opening?.policy ?? call.opening.policy);
  if (policy.state === 'unusable') return [];
  const session = { ...sessionFacts(state, ancestors), mode: effectiveMode(state, call, policy.document, ancestors) };
  const { original, final } = engineCall(item);
  const paths = [original, ...(final === null ? [] : [final])].flatMap((one) =>
    requiredPaths(one, policy.compiled, session),
  );
  return [...new Set(paths)].slice(0, MAX_PATHS_PER_CALL);
}

function pick(all: ResolvedPaths, paths: readonly string[]): ResolvedPaths {
  const picked: ResolvedPaths = {};
  for (const path of paths) {
    const evidence = all[path];
    if (evidence !== undefined) picked[path] = evidence;
  }
  return picked;
}
