/** The sessions above a session, for whoever must hear when one of them ends. */
import type { SessionState } from '@countersign/approval';
import { MAX_SESSION_LINE } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';

/** The states of the session and of all above it, root first, and the database's clock (ISO-8601 UTC). Empty when it is
 * unknown; one more than `MAX_SESSION_LINE` where it is longer than it may be. */
export async function loadSessionLine(
  ledger: Pick<Ledger, 'loadRound'>,
  { tenantId, sessionId }: { readonly tenantId: string; readonly sessionId: string },
): Promise<{ now: string; line: SessionState[] }> {
  const line: SessionState[] = [];
  let now = '';
  let current: string | null = sessionId;
  while (current !== null && line.length <= MAX_SESSION_LINE) {
    const streams = [{ tenantId, streamId: current, knownSeq: null }];
    const round = await ledger.loadRound({ tenants: [], streams, keys: [], hashJoins: [] });
    now = round.now;
    const state = round.heads[0]?.state;
    if (state !== undefined) line.unshift(state);
    current = state?.parentId ?? null;
  }
  return { now, line };
}
