/** What the jobs of the `asks` queue do. Jobs carry ids only; what they find in the ledger decides. */
import type { AskJob } from '@countersign/contracts';
import { expireAsk, type EndAskDeps } from './end-asks.js';

/** Throws when an ask is due by this host's clock but not yet by the database's: the queue tries again. */
export async function handleAskJob(job: AskJob, deps: EndAskDeps): Promise<void> {
  const { tenantId, askId } = job;
  const ask = await deps.ledger.asks.get(tenantId, askId);
  if (ask?.status !== 'open') return;
  switch (job.kind) {
    case 'notify':
    case 'remind':
      await deps.bus.opened({ tenantId, askId });
      return;
    case 'expire':
      await expire(job, ask.sessionId, deps);
      return;
    default: {
      const never: never = job.kind;
      throw new Error(`unknown ask job ${String(never)}`);
    }
  }
}

async function expire({ tenantId, askId }: AskJob, sessionId: string, deps: EndAskDeps): Promise<void> {
  if (await expireAsk(deps, { tenantId, sessionId }, askId)) return;
  const after = await deps.ledger.asks.get(tenantId, askId);
  // A frozen ask, and one whose deadline a kill switch put off, is the sweep's: no timer knows when it will be due.
  if (after?.status === 'open' && !after.frozen && !isPutOff(after)) throw new Error(`ask ${askId} is not due yet`);
}

/** More than a minute by this host's clock is no matter of clocks that differ. */
function isPutOff({ deadline }: { readonly deadline: string | null }): boolean {
  return deadline === null || Date.parse(deadline) - Date.now() > 60_000;
}
