/** Tells an observing hook what happened to sessions: a follower of the log, so that nothing is told that is not stored. */
import type { HookRun, StoredEvent } from '@countersign/contracts';
import { wasTold, type Hooks } from '@countersign/hooks';
import { appendRecord, type Ledger } from '@countersign/ledger';
import { streamKey } from '../rounds/keys.js';
import { momentOf, noteOf, NOTED_TYPES } from './hook-notes.js';

export interface LifeCycleDeps {
  readonly hooks: Hooks;
  readonly ledger: Pick<Ledger, 'append' | 'events' | 'followers' | 'loadRound'>;
  /** Names this process: one at a time follows for each hook. */
  readonly self: string;
}

/** One hook's way through the log. */
export interface LifeCycle {
  /**
   * Tells one page, and gives whether there is more right now. Every event is told at least once, those of a session in order: a hook
   * that cannot be told keeps its place, and is told from there on when it is called again.
   */
  tell(): Promise<boolean>;
  /** Another worker goes on at once. */
  leave(): Promise<void>;
}

const PAGE = 200;
const HOLD_MS = 60_000;
/** What of a page is not told by then waits for the next time, so that nobody else takes the hook over meanwhile. */
const TURN_MS = HOLD_MS / 3;
/** Sessions that a hook is told of at once. */
const SESSIONS_AT_ONCE = 32;

/** Each hook stands where it stands: one that cannot be told holds up no other. */
export function createLifeCycle(observer: string, { hooks, ledger, self }: LifeCycleDeps): LifeCycle {
  const follower = `hooks:${observer}`;
  /** Events of the page that is being told, as far as they were told: it may take several turns. */
  const told = new Set<string>();
  return {
    tell: async () => {
      const after = await ledger.followers.hold(follower, self, HOLD_MS);
      if (after === null) {
        told.clear();
        return false;
      }
      const { items, next, more } = await ledger.events.follow({ after, types: NOTED_TYPES, limit: PAGE });
      const open = items.filter((event) => momentOf(event) !== null && !told.has(eventKey(event)));
      if (!(await tellAll(open, { observer, hooks, ledger, told }))) return false;
      told.clear();
      return (await ledger.followers.advance(follower, self, next)) && more;
    },
    leave: () => ledger.followers.release(follower, self),
  };
}

interface Telling {
  readonly observer: string;
  readonly hooks: Hooks;
  readonly ledger: Pick<Ledger, 'append' | 'loadRound'>;
  readonly told: Set<string>;
}

/** True once all of them were told. */
async function tellAll(events: readonly StoredEvent[], telling: Telling): Promise<boolean> {
  if (events.length === 0) return true;
  const scene = { ...(await placesOf(events, telling.ledger)), until: performance.now() + TURN_MS };
  const sessions = [...groupByStream(events).values()];
  let all = true;
  for (let from = 0; from < sessions.length; from += SESSIONS_AT_ONCE) {
    const some = sessions.slice(from, from + SESSIONS_AT_ONCE);
    const done = await Promise.all(some.map((one) => tellSession(one, scene, telling)));
    all = all && done.every((one) => one);
  }
  return all;
}

interface Scene {
  /** ISO-8601 UTC, the database's clock. */
  readonly now: string;
  readonly places: ReadonlyMap<string, Place>;
  /** Milliseconds of a clock that only goes forward. */
  readonly until: number;
}

/** In order, until one cannot be told. INVARIANT: what counts as told is on record before. */
async function tellSession(events: readonly StoredEvent[], scene: Scene, telling: Telling): Promise<boolean> {
  const [first] = events;
  if (first === undefined) return true;
  const runs: HookRun[] = [];
  const done: string[] = [];
  for (const event of events) {
    const run = performance.now() < scene.until ? await tellOne(event, scene, telling) : 'later';
    if (run === 'later') break;
    if (run !== null) runs.push(run);
    done.push(eventKey(event));
  }
  const recorded = runs.map((body) => ({ type: 'HookRan', version: 1, body }) as const);
  if (recorded.length > 0) await appendRecord(telling.ledger, first, recorded);
  for (const key of done) telling.told.add(key);
  return done.length === events.length;
}

/** Null: the hook does not hear of it. */
async function tellOne(
  event: StoredEvent,
  { now, places }: Scene,
  { observer, hooks }: Telling,
): Promise<HookRun | 'later' | null> {
  const { policy, parentId } = places.get(streamOf(event)) ?? { policy: '', parentId: null };
  const moment = momentOf(event, parentId);
  if (moment === null) return null;
  const place = { policy, tool: event.tool };
  const run = await hooks.tell(observer, { moment, note: noteOf(event, parentId), place });
  if (run === null) return null;
  return wasTold(run, Date.parse(now) - Date.parse(event.time)) ? run : 'later';
}

interface Place {
  readonly policy: string;
  readonly parentId: string | null;
}

async function placesOf(
  events: readonly StoredEvent[],
  ledger: Pick<Ledger, 'loadRound'>,
): Promise<Pick<Scene, 'now' | 'places'>> {
  const wanted = new Map(
    events.map(({ tenantId, streamId }) => [streamKey(tenantId, streamId), { tenantId, streamId }]),
  );
  const streams = [...wanted.values()].map((id) => ({ ...id, knownSeq: null }));
  const { now, heads } = await ledger.loadRound({ tenants: [], streams, keys: [], hashJoins: [] });
  const places = heads.map(
    ({ tenantId, streamId, state }) =>
      [streamKey(tenantId, streamId), { policy: state.opening?.policy ?? '', parentId: state.parentId }] as const,
  );
  return { now, places: new Map(places) };
}

function groupByStream(events: readonly StoredEvent[]): Map<string, StoredEvent[]> {
  const groups = new Map<string, StoredEvent[]>();
  for (const event of events) groups.set(streamOf(event), [...(groups.get(streamOf(event)) ?? []), event]);
  return groups;
}

function streamOf({ tenantId, streamId }: StoredEvent): string {
  return streamKey(tenantId, streamId);
}

function eventKey(event: StoredEvent): string {
  return `${event.seq} ${streamOf(event)}`;
}
