/** Tells observing hooks what happened to sessions: a follower of the log, so that nothing is told that is not stored. */
import type { HookRun, SessionEvent, StoredEvent } from '@countersign/contracts';
import type { HookNote, Hooks, ObservedMoment } from '@countersign/hooks';
import { appendRecord, type Ledger } from '@countersign/ledger';
import { streamKey } from '../rounds/keys.js';

export interface LifeCycleDeps {
  readonly hooks: Hooks;
  readonly ledger: Pick<Ledger, 'append' | 'events' | 'followers' | 'loadRound'>;
  /** Names this process: one at a time follows. */
  readonly self: string;
}

const FOLLOWER = 'hooks';
const PAGE = 200;
/** Longer than the hooks of one page may take. */
const HOLD_MS = 60_000;
/** Sessions whose hooks run at once. */
const SESSIONS_AT_ONCE = 32;
const TYPES = [
  'SessionStarted',
  'SessionReopened',
  'StepReported',
  'SessionStopped',
  'CompactionReported',
  'PromptSubmitted',
  'ToolCallDecided',
] as const satisfies readonly SessionEvent['type'][];

/** Tells one page, and gives whether there is more right now. Every event is told at least once, those of a session in order. */
export async function tellLifeCycle(deps: LifeCycleDeps): Promise<boolean> {
  const { ledger, self } = deps;
  const after = await ledger.followers.hold(FOLLOWER, self, HOLD_MS);
  if (after === null) return false;
  const { items, next, more } = await ledger.events.follow({ after, types: TYPES, limit: PAGE });
  const told = items.filter((event) => momentOf(event) !== null);
  if (told.length > 0) await tellAll(told, deps);
  return (await ledger.followers.advance(FOLLOWER, self, next)) && more;
}

/** Another worker goes on at once. */
export function leaveLifeCycle({ ledger, self }: Pick<LifeCycleDeps, 'ledger' | 'self'>): Promise<void> {
  return ledger.followers.release(FOLLOWER, self);
}

async function tellAll(events: readonly StoredEvent[], deps: LifeCycleDeps): Promise<void> {
  const places = await placesOf(events, deps.ledger);
  const sessions = [...groupByStream(events).values()];
  for (let from = 0; from < sessions.length; from += SESSIONS_AT_ONCE) {
    const some = sessions.slice(from, from + SESSIONS_AT_ONCE);
    await Promise.all(some.map((one) => tellSession(one, places, deps)));
  }
}

async function tellSession(
  events: readonly StoredEvent[],
  places: ReadonlyMap<string, Place>,
  { hooks, ledger }: LifeCycleDeps,
): Promise<void> {
  const [first] = events;
  if (first === undefined) return;
  const { policy, parentId } = places.get(streamOf(first)) ?? { policy: '', parentId: null };
  const runs: HookRun[] = [];
  for (const event of events) {
    const moment = momentOf(event, parentId);
    if (moment === null) continue;
    runs.push(...(await hooks.tell(moment, noteOf(event, parentId), { policy, tool: event.tool })));
  }
  if (runs.length === 0) return;
  const recorded = runs.map((body) => ({ type: 'HookRan', version: 1, body }) as const);
  await appendRecord(ledger, first, recorded);
}

interface Place {
  readonly policy: string;
  readonly parentId: string | null;
}

async function placesOf(
  events: readonly StoredEvent[],
  ledger: Pick<Ledger, 'loadRound'>,
): Promise<Map<string, Place>> {
  const wanted = new Map(
    events.map(({ tenantId, streamId }) => [streamKey(tenantId, streamId), { tenantId, streamId }]),
  );
  const streams = [...wanted.values()].map((id) => ({ ...id, knownSeq: null }));
  const { heads } = await ledger.loadRound({ tenants: [], streams, keys: [], hashJoins: [] });
  return new Map(
    heads.map(({ tenantId, streamId, state }) => [
      streamKey(tenantId, streamId),
      { policy: state.opening?.policy ?? '', parentId: state.parentId },
    ]),
  );
}

function groupByStream(events: readonly StoredEvent[]): Map<string, StoredEvent[]> {
  const groups = new Map<string, StoredEvent[]>();
  for (const event of events) groups.set(streamOf(event), [...(groups.get(streamOf(event)) ?? []), event]);
  return groups;
}

function streamOf({ tenantId, streamId }: StoredEvent): string {
  return streamKey(tenantId, streamId);
}

/** What hooks call this event; null: nothing. */
function momentOf(event: StoredEvent, parentId: string | null = null): ObservedMoment | null {
  const child = parentId !== null;
  switch (event.type) {
    case 'SessionStarted':
    case 'SessionReopened':
      return child ? 'SubagentStart' : 'SessionStart';
    case 'SessionStopped':
      return child ? 'SubagentStop' : 'SessionStop';
    case 'StepReported':
      return (event.body as { completed: boolean }).completed ? 'StepComplete' : null;
    case 'CompactionReported':
      return (event.body as { phase: string }).phase === 'pre' ? 'PreCompact' : 'PostCompact';
    case 'PromptSubmitted':
      return 'UserPromptSubmit';
    case 'ToolCallDecided':
      return 'PermissionDecision';
    default:
      return null;
  }
}

function noteOf(event: StoredEvent, parentId: string | null): HookNote {
  const { tenantId, streamId: sessionId, callId, time } = event;
  return { tenantId, sessionId, parentId, callId, time, detail: detailOf(event) };
}

/** Of a decision what C's hooks are given of it, not the whole judgement. */
function detailOf({ type, body }: StoredEvent): HookNote['detail'] {
  if (type !== 'ToolCallDecided') return body as HookNote['detail'];
  const { request, decision } = body as Extract<SessionEvent, { type: 'ToolCallDecided' }>['body'];
  const { effect, approvalStatus, ruleId, reason } = decision;
  return { tool: request.tool, effect, approvalStatus, ruleId, reason };
}
