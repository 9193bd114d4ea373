/** What the jobs of the `asks` queue do. Jobs carry ids only; what they find in the ledger decides. */
import type { AskJob } from '@countersign/contracts';
import type { EndAskDeps } from './end-asks.js';

export interface AskJobDeps extends Pick<EndAskDeps, 'bus'> {
  readonly ledger: { readonly asks: Pick<EndAskDeps['ledger']['asks'], 'get'> };
  /** Ends every ask that is due. */
  readonly sweepDue: () => Promise<unknown>;
}

/** Throws when an ask is due by this host's clock but not yet by the database's: the queue tries again. */
export async function handleAskJob({ kind, tenantId, askId }: AskJob, deps: AskJobDeps): Promise<void> {
  switch (kind) {
    case 'notify':
    case 'remind': {
      const ask = await deps.ledger.asks.get(tenantId, askId);
      if (ask?.status === 'open') await deps.bus.opened({ tenantId, askId });
      return;
    }
    case 'expire':
      return expire(tenantId, askId, deps);
    default: {
      const never: never = kind;
      throw new Error(`unknown ask job ${String(never)}`);
    }
  }
}

/** A timer rings for every ask with about the same deadline, so it looks for all of them, whatever became of the one it names. */
async function expire(tenantId: string, askId: string, deps: AskJobDeps): Promise<void> {
  await deps.sweepDue();
  const ask = await deps.ledger.asks.get(tenantId, askId);
  // A frozen ask, and one whose deadline a kill switch put off, is the sweep's: no timer knows when it will be due.
  if (ask?.status === 'open' && !ask.frozen && !isPutOff(ask)) throw new Error(`ask ${askId} is not due yet`);
}

/** More than a minute by this host's clock is no matter of clocks that differ. */
function isPutOff({ deadline }: { readonly deadline: string | null }): boolean {
  return deadline === null || Date.parse(deadline) - Date.now() > 60_000;
}
