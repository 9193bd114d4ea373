/** Looks for asks whose time is over and ends them, many at a time: set off by their timers, and by itself where those were lost. */
import type { DueAsk, Expiry } from '@countersign/ledger';
import { expireAsk, tellEnded, type EndAskDeps } from './end-asks.js';

/** Most asks that one look takes up; it looks again until none is due. */
const LOOK_LIMIT = 2_048;
/** Most asks in one statement. */
const PART_LIMIT = 128;
/** Parts at one time: one is decided or told of while another is stored. */
const LANES = 2;

export interface DueSweepDeps extends EndAskDeps {
  /** From 0 to 1: workers that sweep at the same time begin at different sessions. */
  readonly random: () => number;
}

/** Ends what is due; gives how many asks it ended. */
export async function sweepDueAsks(deps: DueSweepDeps): Promise<number> {
  let ended = 0;
  for (;;) {
    const due = await deps.ledger.asks.due(LOOK_LIMIT);
    const now = await endAll(deps, due);
    ended += now;
    // What is left is another worker's, or the next look's.
    if (now === 0) return ended;
  }
}

async function endAll(deps: DueSweepDeps, due: readonly DueAsk[]): Promise<number> {
  let ended = 0;
  const left: DueAsk[] = [];
  const parts = partsOf(due, deps.random);
  const lane = async (): Promise<void> => {
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      const done = await deps.ledger.expire(part);
      left.push(...done.left);
      // Read after the wait: other lanes count too.
      const told = await tellAll(deps, done);
      ended += told;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (ended > 0) return ended;
  // Sessions that keep moving: one by one, under locks at last.
  for (const { askId, ...target } of left) if (await expireAsk(deps, target, askId)) ended += 1;
  return ended;
}

/** Gives how many asks ended. */
async function tellAll(deps: DueSweepDeps, { ended }: Expiry): Promise<number> {
  const told = await Promise.all(ended.map(({ outcomes, ...target }) => tellEnded(deps, target, outcomes)));
  return told.reduce((sum, asks) => sum + asks, 0);
}

/** Whole sessions, in another order every time. */
function partsOf(due: readonly DueAsk[], random: () => number): DueAsk[][] {
  const sessions = new Map<string, DueAsk[]>();
  for (const ask of due) {
    const key = JSON.stringify([ask.tenantId, ask.sessionId]);
    sessions.set(key, [...(sessions.get(key) ?? []), ask]);
  }
  const shuffled = [...sessions.values()].map((asks) => ({ asks, at: random() })).sort((a, b) => a.at - b.at);
  const parts: DueAsk[][] = [];
  for (const { asks } of shuffled) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + asks.length <= PART_LIMIT) last.push(...asks);
    else parts.push([...asks]);
  }
  return parts;
}

/** The same work for many callers: at most one run at a time, and whoever calls during a run is served by the next one. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      const own = work();
      running = own.catch(() => undefined);
      return own;
    });
    return next;
  };
}

/** Runs `work` again and again with pauses of `everyMs` and a quarter of jitter, until stopped. Errors go to `onError`. */
export function startSweep(work: () => Promise<unknown>, everyMs: number, onError: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const pause = (): void => {
    if (stopped) return;
    timer = setTimeout(run, everyMs * (1 + Math.random() / 4));
    timer.unref();
  };
  const run = (): void => {
    running = work().then(
      () => pause(),
      (error: unknown) => {
        onError(error);
        pause();
      },
    );
  };
  pause();
  return {
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
