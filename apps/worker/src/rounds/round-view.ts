/** What a round knows before it decides: heads with their ancestors, epochs, call keys, and the database's time. */
import type { CallKey } from '@countersign/contracts';
import type { PriorCall, TenantState } from '@countersign/approval';
import type { Ledger, Round } from '@countersign/ledger';
import type { BoundedMap } from './bounded-map.js';
import { callKeyOf, callKeyText, sameCallText, streamKey } from './keys.js';
import type { RoundItem } from './round-item.js';
import type { StoredHead } from './stream-draft.js';
import type { CachedTenant, TenantCache, TenantsView } from './tenant-facts.js';

export type LoadRound = Ledger['loadRound'];
export type HeadCache = BoundedMap<string, StoredHead>;

export interface RoundView extends TenantsView {
  /** ISO-8601 UTC, the database's clock. */
  readonly now: string;
  readonly epochs: ReadonlyMap<string, number>;
  /** By stream key. Every session of the round stands here, with its known ancestors. */
  readonly heads: ReadonlyMap<string, StoredHead>;
  /** By call key text. */
  readonly priors: ReadonlyMap<string, PriorCall>;
  /** Newest unfinished call by same-call text. */
  readonly unfinished: ReadonlyMap<string, PriorCall>;
}

/** Longest line of subagents; deeper parents are not looked up, which leaves the session without them and so denied. */
export const MAX_ANCESTORS = 32;

interface StreamId {
  readonly tenantId: string;
  readonly streamId: string;
}

/** One query, and one more for each generation of parents that neither the calls nor the cache name. */
export async function loadView(
  items: readonly RoundItem[],
  load: LoadRound,
  { cache, tenants }: { cache: HeadCache; tenants: TenantCache },
): Promise<RoundView> {
  const wanted = new Map<string, StreamId>();
  for (const { call } of items) wantLine(wanted, call, cache);
  const tenantIds = [...new Set(items.map(({ call }) => call.tenantId))];
  const knownTenants = new Map(
    tenantIds.flatMap((id) => {
      const cached = tenants.get(id);
      return cached === undefined ? [] : [[id, cached] as const];
    }),
  );
  const first = await load({
    tenants: tenantIds,
    knownEpochs: new Map([...knownTenants].map(([id, { epoch }]) => [id, epoch])),
    streams: [...wanted.values()].map((id) => ({ ...id, knownSeq: known(cache, id)?.seq ?? null })),
    keys: items.map(({ call }): CallKey => callKeyOf(call)),
    hashJoins: items.filter(({ call }) => call.joinsByHash).map(({ call }) => ({ ...call, argsHash: call.args.hash })),
  });
  const heads = mergeHeads(wanted, first.heads, cache);
  await loadParents(heads, load, cache);
  return {
    now: first.now,
    epochs: first.epochs,
    tenants: mergeTenants(first, knownTenants, tenants),
    usesLeft: first.usesLeft,
    heads,
    priors: new Map(first.keys.map(({ key, prior }) => [callKeyText(key), prior])),
    unfinished: new Map(first.joins.map(({ join, prior }) => [sameCallText(join), prior])),
  };
}

/** INVARIANT: a tenant whose state is neither new nor known is an error, never a tenant without kill switches. */
function mergeTenants(
  { epochs, tenantStates }: Round,
  known: ReadonlyMap<string, CachedTenant>,
  cache: TenantCache,
): RoundView['tenants'] {
  const merged = new Map<string, TenantState>();
  for (const [id, epoch] of epochs) {
    const state = tenantStates.get(id) ?? known.get(id)?.state;
    if (state === undefined) throw new Error(`the state of tenant \`${id}\` was not loaded`);
    merged.set(id, state);
    cache.set(id, { epoch, state });
  }
  return merged;
}

function wantLine(wanted: Map<string, StreamId>, call: RoundItem['call'], cache: HeadCache): void {
  const { tenantId } = call;
  const want = (streamId: string | null): void => {
    if (streamId !== null) wanted.set(streamKey(tenantId, streamId), { tenantId, streamId });
  };
  want(call.sessionId);
  want(call.opening.parentId);
  for (const ancestor of call.ancestors) want(ancestor.sessionId);
  let head = cache.get(streamKey(tenantId, call.sessionId));
  for (let depth = 0; depth < MAX_ANCESTORS; depth += 1) {
    const parentId = head?.parentId ?? null;
    if (parentId === null) return;
    want(parentId);
    head = cache.get(streamKey(tenantId, parentId));
  }
}

function known(cache: HeadCache, id: StreamId): StoredHead | undefined {
  return cache.get(streamKey(id.tenantId, id.streamId));
}

/** A head that the query did not return has not moved since it was cached, or does not exist. */
function mergeHeads(
  wanted: ReadonlyMap<string, StreamId>,
  moved: readonly StoredHead[],
  cache: HeadCache,
): Map<string, StoredHead> {
  const heads = new Map<string, StoredHead>();
  for (const head of moved) heads.set(streamKey(head.tenantId, head.streamId), head);
  for (const [key, id] of wanted) {
    if (heads.has(key)) continue;
    heads.set(key, cache.get(key) ?? { ...id, seq: 0, parentId: null, state: null });
  }
  for (const [key, head] of heads) if (head.state !== null) cache.set(key, head);
  return heads;
}

async function loadParents(heads: Map<string, StoredHead>, load: LoadRound, cache: HeadCache): Promise<void> {
  for (let generation = 0; generation < MAX_ANCESTORS; generation += 1) {
    const missing = new Map<string, StreamId>();
    for (const { tenantId, parentId } of heads.values()) {
      if (parentId === null) continue;
      const key = streamKey(tenantId, parentId);
      if (!heads.has(key)) missing.set(key, { tenantId, streamId: parentId });
    }
    if (missing.size === 0) return;
    const streams = [...missing.values()].map((id) => ({ ...id, knownSeq: known(cache, id)?.seq ?? null }));
    const more = await load({ tenants: [], streams, keys: [], hashJoins: [] });
    for (const [key, head] of mergeHeads(missing, more.heads, cache)) heads.set(key, head);
  }
}
