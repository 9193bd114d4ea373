/** The sessions above a session, for whoever must hear when one of them ends. */
import type { Ledger } from '@countersign/ledger';

/** Deepest line of subagents that is followed; a worker denies calls of deeper ones. */
const MAX_LINE = 32;

/** Session ids from the root down to this one; only this one when it is unknown. */
export async function sessionLine(
  ledger: Pick<Ledger, 'loadRound'>,
  { tenantId, sessionId }: { readonly tenantId: string; readonly sessionId: string },
): Promise<string[]> {
  const line = [sessionId];
  let current: string | null = sessionId;
  while (current !== null && line.length < MAX_LINE) {
    const streams = [{ tenantId, streamId: current, knownSeq: null }];
    const { heads } = await ledger.loadRound({ tenants: [], streams, keys: [], hashJoins: [] });
    current = heads[0]?.parentId ?? null;
    if (current !== null) line.unshift(current);
  }
  return line;
}
