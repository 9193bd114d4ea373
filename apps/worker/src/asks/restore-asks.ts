/** Brings asks back from the ledger when the queue may have lost their jobs: it was emptied, or another server took over. */
import type { Ledger } from '@countersign/ledger';
import type { Queue } from '@countersign/queue';
import { announceAsks, type AnnounceDeps } from '../replies/announce.js';

export interface RestoreDeps extends AnnounceDeps {
  readonly ledger: { readonly asks: Pick<Ledger['asks'], 'open'> };
  readonly queue: Pick<Queue, 'generation'> & AnnounceDeps['queue'];
  /** Tells how many open asks were announced again; `lost`: since the queue is another one, and not since this worker has begun. */
  readonly onRestored: (asks: number, lost: boolean) => void;
}

/** Most asks that are announced again at once; every later one is still ended in time by the sweep. */
const RESTORE_LIMIT = 5_000;

/**
 * A look for `startSweep`: announces all open asks at its first run, since nobody may have been told of one whose worker died
 * right after the commit, and again whenever the queue is not the one it was. Jobs that are still there stay as they are.
 */
export function createRestore(deps: RestoreDeps, now: () => number): () => Promise<void> {
  let known: string | null = null;
  return async () => {
    const generation = await deps.queue.generation();
    if (generation === known) return;
    const asks = await deps.ledger.asks.open(RESTORE_LIMIT);
    let failure: unknown = null;
    await announceAsks(asks, { ...deps, onError: (error) => (failure = error) }, now());
    // Not taken as done: the next look tries again.
    if (failure !== null) throw failure;
    const lost = known !== null;
    known = generation;
    if (asks.length > 0) deps.onRestored(asks.length, lost);
  };
}
