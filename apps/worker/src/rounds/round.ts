/** One round: load, decide, append; then again for what met a conflict, under locks at last; guilty calls one by one. */
import type { Ledger, UnitResult } from '@countersign/ledger';
import { cacheHeads, forgetHeads, hasEvents, toUnit } from './append-unit.js';
import { draftRound, type DraftDeps } from './draft-round.js';
import type { FamilyDraft } from './draft-family.js';
import type { OpenedAskNotice, RoundItem, RoundResult, Settled, StoppedSession } from './round-item.js';
import type { LoadRound } from './round-view.js';

/** Conflicts that a family may meet before its heads are locked, besides one of what was remembered and not read. */
const FREE_ATTEMPTS = 2;
/** Attempts under locks: only a policy published in between, or a session opened by another worker, can still conflict. */
const LOCKED_ATTEMPTS = 8;

export interface RoundDeps extends DraftDeps {
  readonly ledger: Pick<Ledger, 'append' | 'loadRound' | 'withLockedHeads'>;
}

interface Round {
  readonly deps: RoundDeps;
  readonly settled: Settled[];
  readonly opened: OpenedAskNotice[];
  readonly stopped: StoppedSession[];
}

type Append = Ledger['append'];

/** How the families of one attempt ended. */
interface Attempt {
  readonly conflicted: FamilyDraft[];
  readonly faulty: FamilyDraft[];
}

/** `remembered`: some of it was decided on what was not read again. */
interface FreeAttempt extends Attempt {
  readonly remembered: boolean;
}

/**
 * Decides and stores `items`. Everything in the result is committed. Throws when the ledger does not answer or a call cannot
 * even be recorded as denied; what was committed until then is found again by its key when the job comes back.
 */
export async function runRound(items: readonly RoundItem[], deps: RoundDeps): Promise<RoundResult> {
  const round: Round = { deps, settled: [], opened: [], stopped: [] };
  const first = await attemptFamilies(round, items, { guilty: false, trusting: true });
  let open = itemsOf(first.conflicted);
  const faulty = [...first.faulty];
  for (let attempt = first.remembered ? 0 : 1; attempt < FREE_ATTEMPTS && open.length > 0; attempt += 1) {
    const ended = await attemptFamilies(round, open);
    faulty.push(...ended.faulty);
    open = itemsOf(ended.conflicted);
  }
  if (open.length > 0) faulty.push(...(await settleUnderLocks(round, open)));
  for (const family of faulty) await settleOneByOne(round, family);
  return { settled: round.settled, opened: round.opened, stopped: round.stopped };
}

const itemsOf = (families: readonly FamilyDraft[]): RoundItem[] => families.flatMap(({ items }) => items);

interface How {
  readonly guilty: boolean;
  readonly trusting: boolean;
}

const READ_ALL: How = { guilty: false, trusting: false };

async function attemptFamilies(round: Round, items: readonly RoundItem[], how: How = READ_ALL): Promise<FreeAttempt> {
  const { ledger } = round.deps;
  let asked = 0;
  const load: LoadRound = (query) => {
    asked += query.keys.length;
    return ledger.loadRound(query);
  };
  const families = await draftRound(items, { load, ...how, ...round.deps });
  const attempt = await store(round, families, ledger.append.bind(ledger));
  return { remembered: asked < items.length, ...attempt };
}

async function store(round: Round, families: readonly FamilyDraft[], append: Append): Promise<Attempt> {
  const attempt: Attempt = { conflicted: [], faulty: [] };
  const written = families.filter(hasEvents);
  for (const family of families) if (!hasEvents(family)) round.settled.push(...family.settled);
  if (written.length === 0) return attempt;
  const results = await append(written.map(toUnit));
  written.forEach((family, index) => take(round, family, results[index], attempt));
  return attempt;
}

function take(round: Round, family: FamilyDraft, result: UnitResult | undefined, attempt: Attempt): void {
  const { deps } = round;
  if (result?.ok === true) {
    cacheHeads(family, deps.cache);
    const [appended] = result.appended;
    if (appended !== undefined) deps.clock.told(appended.time);
    round.settled.push(...family.settled);
    round.stopped.push(...family.stopped);
    round.opened.push(...openedAsks(family, result.asks));
    return;
  }
  forgetHeads(family, deps);
  if (result !== undefined && 'conflict' in result) {
    attempt.conflicted.push(family);
    return;
  }
  deps.onUnitFault(family, result?.error ?? 'the ledger gave no result');
  attempt.faulty.push(family);
}

function openedAsks(
  family: FamilyDraft,
  deadlines: readonly { askId: string; deadline: string | null }[],
): OpenedAskNotice[] {
  const byId = new Map(deadlines.map(({ askId, deadline }) => [askId, deadline]));
  return family.streams.flatMap(({ head, events }) =>
    events.flatMap((event) => {
      if (event.type !== 'AskOpened') return [];
      const { askId } = event.body;
      return [{ tenantId: head.tenantId, sessionId: head.streamId, askId, deadline: byId.get(askId) ?? null }];
    }),
  );
}

/** Gives the families that broke their unit; every other one is settled. */
async function settleUnderLocks(round: Round, items: readonly RoundItem[], guilty = false): Promise<FamilyDraft[]> {
  const faulty: FamilyDraft[] = [];
  let open = items;
  for (let attempt = 0; attempt < LOCKED_ATTEMPTS && open.length > 0; attempt += 1) {
    const ended = await attemptLocked(round, open, guilty);
    faulty.push(...ended.flatMap((one) => one.faulty));
    open = itemsOf(ended.flatMap((one) => one.conflicted));
  }
  if (open.length > 0) throw new Error(`${open.length} calls met a conflict under locks ${LOCKED_ATTEMPTS} times`);
  return faulty;
}

/** One transaction per family, so that none waits for another's locks and none falls with another. */
async function attemptLocked(round: Round, items: readonly RoundItem[], guilty: boolean): Promise<Attempt[]> {
  const { ledger } = round.deps;
  // The first look only tells which heads to lock; what is decided on is read again behind the locks.
  const seen = await draftRound(items, { load: ledger.loadRound.bind(ledger), guilty, ...round.deps });
  const attempts: Attempt[] = [];
  for (const family of seen) {
    const heads = family.streams.map(({ head: { tenantId, streamId } }) => ({ tenantId, streamId }));
    const attempt = await ledger.withLockedHeads(heads, async (tx) => {
      const load: LoadRound = (query) => tx.loadRound(query);
      const families = await draftRound(family.items, { load, guilty, ...round.deps });
      return store(round, families, (units) => tx.append(units));
    });
    attempts.push(attempt);
  }
  return attempts;
}

/** A family whose unit raised: its calls one by one, and the one that raises again is recorded as `internal.error`. */
async function settleOneByOne(round: Round, family: FamilyDraft): Promise<void> {
  for (const item of family.items) {
    if (await settleAlone(round, item, false)) continue;
    if (await settleAlone(round, item, true)) continue;
    throw new Error(`call ${item.call.id} cannot be recorded`);
  }
}

async function settleAlone(round: Round, item: RoundItem, guilty: boolean): Promise<boolean> {
  const first = await attemptFamilies(round, [item], { guilty, trusting: false });
  if (first.conflicted.length > 0) return (await settleUnderLocks(round, [item], guilty)).length === 0;
  return first.faulty.length === 0;
}
