/** Looks for asks that are due although no job ended them: their timer was lost with the queue, or never set. */
import { expireAsk, type EndAskDeps } from './end-asks.js';

/** Most asks that one sweep ends; the next one goes on. */
const SWEEP_LIMIT = 200;

/** Ends what is due; gives how many asks it ended. */
export async function sweepDueAsks(deps: EndAskDeps): Promise<number> {
  const due = await deps.ledger.asks.due(SWEEP_LIMIT);
  let ended = 0;
  for (const { tenantId, sessionId, askId } of due) {
    if (await expireAsk(deps, { tenantId, sessionId }, askId)) ended += 1;
  }
  return ended;
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
