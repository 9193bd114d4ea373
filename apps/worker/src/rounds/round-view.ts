/** What a round knows before it decides: heads with their ancestors, epochs, call keys, and the database's time. */
import { callHashOf, MAX_SESSION_LINE, type CallKey, type Grant } from '@countersign/contracts';
import type { PriorCall, TenantState } from '@countersign/approval';
import type { Ledger, Round } from '@countersign/ledger';
import type { BoundedMap } from './bounded-map.js';
import type { DatabaseClock } from './database-clock.js';
import { callKeyOf, callKeyText, sameCallText, streamKey } from './keys.js';
import type { QuietSessions } from './quiet-sessions.js';
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

/** Generations of parents that are looked up: whoever has so many lies too deep, and is denied. */
export const MAX_ANCESTORS = MAX_SESSION_LINE;

interface Wanted {
  readonly tenantId: string;
  readonly streamId: string;
  /** What was remembered when the round began: another round may change or forget it while the database is asked. */
  readonly known: StoredHead | undefined;
}

/** What a worker remembers from round to round. */
export interface RoundMemory {
  readonly cache: HeadCache;
  readonly tenants: TenantCache;
  readonly quiet: QuietSessions;
  readonly clock: DatabaseClock;
}

/**
 * One query, and one more for each generation of parents that neither the calls nor the cache name. `trusting`: what is remembered of
 * sessions that nobody else writes is taken as it is, and without anything else to ask there is no query: the append finds out what
 * moved and which keys were used before.
 */
export async function loadView(
  items: readonly RoundItem[],
  load: LoadRound,
  memory: RoundMemory,
  trusting = false,
): Promise<RoundView> {
  const asked = trusting ? items.filter(({ call }) => !isKnown(call, memory)) : items;
  const now = asked.length === 0 ? memory.clock.now() : null;
  return now === null
    ? askedView({ items, asked: asked.length === 0 ? items : asked }, load, memory)
    : rememberedView(items, memory, now);
}

/** Nothing that a query would tell is missing: line, tenant, and no count that others may use up. */
function isKnown(call: RoundItem['call'], { cache, tenants, quiet }: RoundMemory): boolean {
  const tenant = tenants.get(call.tenantId);
  if (call.joinsByHash || tenant === undefined || tenant.state.grants.some(isCounted)) return false;
  let streamId: string | null = call.sessionId;
  for (let depth = 0; streamId !== null; depth += 1) {
    const key = streamKey(call.tenantId, streamId);
    const head: StoredHead | undefined = cache.get(key);
    if (head === undefined || depth > MAX_ANCESTORS || !quiet.isQuiet(key)) return false;
    streamId = head.parentId;
  }
  return true;
}

function isCounted({ uses }: Grant): boolean {
  return uses !== undefined && uses !== null;
}

function rememberedView(items: readonly RoundItem[], { cache, tenants }: RoundMemory, now: string): RoundView {
  const wanted = wantLines(items, cache);
  const known = knownTenants(items, tenants);
  return {
    now,
    epochs: new Map([...known].map(([id, { epoch }]) => [id, epoch])),
    tenants: new Map([...known].map(([id, { state }]) => [id, state])),
    usesLeft: new Map(),
    heads: mergeHeads(wanted, [], cache),
    priors: new Map(),
    unfinished: new Map(),
  };
}

function knownTenants(items: readonly RoundItem[], tenants: TenantCache): Map<string, CachedTenant> {
  const known = new Map<string, CachedTenant>();
  for (const { call } of items) {
    const cached = known.has(call.tenantId) ? undefined : tenants.get(call.tenantId);
    if (cached !== undefined) known.set(call.tenantId, cached);
  }
  return known;
}

/** `asked`: the calls whose sessions and keys are looked up; of the others the memory is right. */
async function askedView(
  { items, asked }: { items: readonly RoundItem[]; asked: readonly RoundItem[] },
  load: LoadRound,
  memory: RoundMemory,
): Promise<RoundView> {
  const { cache, tenants } = memory;
  const wanted = wantLines(items, cache);
  const looked = asked === items ? wanted : wantLines(asked, cache);
  const known = knownTenants(items, tenants);
  const first = await load({
    tenants: [...new Set(items.map(({ call }) => call.tenantId))],
    knownEpochs: new Map([...known].map(([id, { epoch }]) => [id, epoch])),
    streams: streamsOf(looked),
    keys: asked.map(({ call }): CallKey => callKeyOf(call)),
    hashJoins: asked
      .filter(({ call }) => call.joinsByHash)
      .map(({ call }) => ({ callHash: callHashOf(call), ...call })),
  });
  memory.clock.told(first.now);
  noteMoves(looked, first.heads, memory);
  const heads = mergeHeads(wanted, first.heads, cache);
  await loadParents(heads, load, cache);
  return {
    now: first.now,
    epochs: first.epochs,
    tenants: mergeTenants(first, known, tenants),
    usesLeft: first.usesLeft,
    heads,
    priors: new Map(first.keys.map(({ key, prior }) => [callKeyText(key), prior])),
    unfinished: new Map(first.joins.map(({ join, prior }) => [sameCallText(join, join.callHash), prior])),
  };
}

/** Of what was cached before: did somebody else write it meanwhile? */
function noteMoves(looked: ReadonlyMap<string, Wanted>, moved: readonly StoredHead[], { quiet }: RoundMemory): void {
  const found = new Set(moved.map(({ tenantId, streamId }) => streamKey(tenantId, streamId)));
  for (const [key, { known }] of looked) {
    if (found.has(key)) quiet.moved(key);
    else if (known !== undefined) quiet.unmoved(key);
  }
}

const streamsOf = (wanted: ReadonlyMap<string, Wanted>) =>
  [...wanted.values()].map(({ tenantId, streamId, known }) => ({ tenantId, streamId, knownSeq: known?.seq ?? null }));

function wantLines(items: readonly RoundItem[], cache: HeadCache): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const { call } of items) wantLine(wanted, call, cache);
  return wanted;
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
    // Of two rounds that ask at the same time, the one that was answered first may know more.
    if (epoch >= (cache.get(id)?.epoch ?? 0)) cache.set(id, { epoch, state });
  }
  return merged;
}

function wantLine(wanted: Map<string, Wanted>, call: RoundItem['call'], cache: HeadCache): void {
  const { tenantId } = call;
  for (const streamId of lineOf(call, cache)) {
    const key = streamKey(tenantId, streamId);
    wanted.set(key, { tenantId, streamId, known: cache.get(key) });
  }
}

/** The session of a call with those above it, as far as the call names or the worker remembers them. */
export function lineOf(call: RoundItem['call'], cache: HeadCache): Set<string> {
  const { tenantId } = call;
  const line = new Set([call.sessionId, ...call.ancestors.map(({ sessionId }) => sessionId)]);
  if (call.opening.parentId !== null) line.add(call.opening.parentId);
  let head = cache.get(streamKey(tenantId, call.sessionId));
  for (let depth = 0; depth < MAX_ANCESTORS; depth += 1) {
    const parentId = head?.parentId ?? null;
    if (parentId === null) break;
    line.add(parentId);
    head = cache.get(streamKey(tenantId, parentId));
  }
  return line;
}

/** A head that the query did not return has not moved since it was remembered, or does not exist. */
function mergeHeads(
  wanted: ReadonlyMap<string, Wanted>,
  moved: readonly StoredHead[],
  cache: HeadCache,
): Map<string, StoredHead> {
  const heads = new Map<string, StoredHead>();
  for (const head of moved) {
    const key = streamKey(head.tenantId, head.streamId);
    heads.set(key, head);
    if (head.state !== null) cache.set(key, head);
  }
  for (const [key, { known, tenantId, streamId }] of wanted) {
    if (!heads.has(key)) heads.set(key, known ?? { tenantId, streamId, seq: 0, parentId: null, state: null });
  }
  return heads;
}

async function loadParents(heads: Map<string, StoredHead>, load: LoadRound, cache: HeadCache): Promise<void> {
  for (let generation = 0; generation < MAX_ANCESTORS; generation += 1) {
    const missing = new Map<string, Wanted>();
    for (const { tenantId, parentId } of heads.values()) {
      if (parentId === null) continue;
      const key = streamKey(tenantId, parentId);
      if (!heads.has(key)) missing.set(key, { tenantId, streamId: parentId, known: cache.get(key) });
    }
    if (missing.size === 0) return;
    const more = await load({ tenants: [], streams: streamsOf(missing), keys: [], hashJoins: [] });
    for (const [key, head] of mergeHeads(missing, more.heads, cache)) heads.set(key, head);
  }
}
