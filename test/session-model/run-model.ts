/** Many families at once over two workers that are killed again and again; then the model is held against what is stored. */
import { setTimeout as pause } from 'node:timers/promises';
import { replay, type SessionState } from '@countersign/approval';
import type { PolicyInput, SessionEvent } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { send } from '../system/doors.js';
import { createChance } from '../system/chance.js';
import { FaultHouse } from '../faults/house.js';
import { Family, type FamilyDoors } from './family.js';
import { LIMITS, type ModelSession } from './model.js';

export const MODEL_POLICY: PolicyInput = {
  deny: ['Bash(git push *)'],
  ask: ['Bash(make *)'],
  allow: ['Bash(echo *)'],
  breaker: { inARow: LIMITS.inARow, total: LIMITS.total, counts: ['policy', 'person'] },
  options: { maxRepeats: LIMITS.maxRepeats },
  askTimeout: { after: 86_400, outcome: 'deny' },
  askCaps: { perSession: 100_000, perMinute: 100_000 },
};

/** What the model is held against. */
export interface ModelHouse extends FamilyDoors {
  readonly ledger: Ledger;
  readonly tenantId: string;
  /** Ends one worker where it stands, another one each time, and starts it again. */
  crash(turn: number): Promise<void>;
  close(): Promise<void>;
}

/** Every service a process of its own: one gateway, two workers, one approver. */
export async function openModelHouse(): Promise<ModelHouse> {
  const house = await FaultHouse.open({ counts: { gateway: 1, worker: 2, approver: 1 }, policy: MODEL_POLICY });
  return {
    gateway: house.gatewayUrl,
    approver: house.approverUrl,
    keys: house.keys,
    ledger: house.ledger,
    tenantId: 'default',
    crash: async (turn) => {
      const worker = house.service('worker', turn % 2);
      await worker.end('SIGKILL');
      await worker.start();
    },
    close: () => house.close(),
  };
}

export interface ModelRun {
  readonly families: number;
  readonly calls: number;
  /** Between two crashes of a worker, in milliseconds. */
  readonly crashEveryMs: number;
}

export interface ModelSummary {
  readonly sessions: number;
  readonly calls: number;
  readonly crashes: number;
  readonly internal: number;
  readonly events: number;
  readonly differences: readonly string[];
}

export async function runModel(house: ModelHouse, seed: number, run: ModelRun): Promise<ModelSummary> {
  const families = Array.from(
    { length: run.families },
    (_none, place) => new Family(house, `model-${place}`, createChance(seed + place)),
  );
  let ended = false;
  const crashing = crashWorkers(house, run.crashEveryMs, () => ended);
  const each = Math.ceil(run.calls / run.families);
  try {
    await Promise.all(families.map((family) => family.run(each)));
  } finally {
    ended = true;
  }
  const crashes = await crashing;
  const sessions = families.flatMap((family) => family.sessions);
  const stored: string[] = [];
  let events = 0;
  for (const session of sessions) {
    const found = await holdAgainst(house, session);
    stored.push(...found.differences);
    events += found.events;
  }
  return {
    sessions: sessions.length,
    calls: families.reduce((sum, family) => sum + family.calls, 0),
    crashes,
    internal: families.reduce((sum, family) => sum + family.internal, 0),
    events,
    differences: [...families.flatMap((family) => family.differences), ...stored],
  };
}

/** Kills one worker after the other where it stands, and starts it again. */
async function crashWorkers(house: ModelHouse, everyMs: number, isOver: () => boolean): Promise<number> {
  let crashes = 0;
  for (let turn = 0; !isOver(); turn += 1) {
    for (let waited = 0; waited < everyMs && !isOver(); waited += 100) await pause(100);
    if (isOver()) break;
    await house.crash(turn);
    crashes += 1;
  }
  return crashes;
}

/** The stored state, the state that the stream amounts to, and the model must be one. */
async function holdAgainst(house: ModelHouse, session: ModelSession) {
  const path = `${house.approver}/v1/sessions/${session.id}`;
  const { body } = await send(path, { key: house.keys.adminKey });
  const state = body['state'] as SessionState;
  const events = await streamOf(house, session.id);
  const replayed = replay(events);
  const differences = [
    ...(JSON.stringify(sorted(replayed)) === JSON.stringify(sorted(state))
      ? []
      : [`${session.id}: the stream amounts to another state than the stored one`]),
    ...differencesOf(session, state),
  ];
  return { differences, events: events.length };
}

async function streamOf({ ledger, tenantId }: ModelHouse, streamId: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for (let after = 0; ;) {
    const page = await ledger.events.ofStream({ tenantId, streamId }, after, 500);
    events.push(...page.map(({ type, version, body }) => ({ type, version, body }) as unknown as SessionEvent));
    const last = page.at(-1);
    if (last === undefined) return events;
    after = Number(last.seq);
  }
}

function differencesOf(model: ModelSession, state: SessionState): string[] {
  const { allowed, denied, asked } = state.counts;
  const seen = {
    breakerOpen: state.breakerOpen,
    inARow: state.denialsInRow,
    total: state.denialsTotal,
    cancelled: state.cancelled,
    stopped: state.stopped,
    openAsks: state.openAsks.map(({ askId }) => askId),
    counts: { allowed, denied, asked },
  };
  const { breakerOpen, inARow, total, cancelled, stopped, openAsks, counts } = model;
  const wanted = { breakerOpen, inARow, total, cancelled, stopped, openAsks, counts };
  const same = JSON.stringify(seen) === JSON.stringify(wanted);
  return same ? [] : [`${model.id}: ${JSON.stringify(seen)}, predicted ${JSON.stringify(wanted)}`];
}

/** The same value with its keys in one order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
