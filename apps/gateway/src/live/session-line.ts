/** The sessions above a session, for whoever must hear when one of them ends. */
import type { SessionState } from '@countersign/approval';
import type { Ledger } from '@countersign/ledger';

/** Deepest line of subagents that is followed; a worker denies calls of deeper ones. */
const MAX_LINE = 32;

/** The states of the session and of all above it, root first, and the database's clock (ISO-8601 UTC). Empty when it is unknown. */
export async function loadSessionLine(
  ledger: Pick<Ledger, 'loadRound'>,
  { tenantId, sessionId }: { readonly tenantId: string; readonly sessionId: string },
): Promise<{ now: string; line: SessionState[] }> {
  const line: SessionState[] = [];
  let now = '';
  let current: string | null = sessionId;
  while (current !== null && line.length < MAX_LINE) {
    const streams = [{ tenantId, streamId: current, knownSeq: null }];
    const round = await ledger.loadRound({ tenants: [], streams, keys: [], hashJoins: [] });
    now = round.now;
    const state = round.heads[0]?.state;
    if (state !== undefined) line.unshift(state);
    current = state?.parentId ?? null;
  }
  return { now, line };
}

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
