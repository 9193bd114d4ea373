/** A page of asks with the moment it was true at. */
import type { AskStatus, AskView, LateAnswer } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';

/** `version` only ever grows: a page with a smaller one is older. `now` is the same moment, for countdowns. */
export interface AskPage {
  /** Ended ones say what was answered after their end. */
  readonly items: readonly (AskView & { readonly late?: readonly LateAnswer[] })[];
  readonly next: string | null;
  readonly version: string;
  readonly now: string;
}

export interface AskPageQuery {
  /** `ended`: every status but `open`, the latest end first; else the latest opening first. */
  readonly status: AskStatus | 'all' | 'ended';
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** INVARIANT: the moment is read before the rows, so a page never claims to be newer than it is. */
export async function listAsks(ledger: Ledger, tenantId: string, query: AskPageQuery): Promise<AskPage> {
  const now = await databaseNow(ledger);
  const { status, limit, cursor } = query;
  const page =
    status === 'ended'
      ? await listEnded(ledger, tenantId, { limit, cursor })
      : await ledger.asks.list({ tenantId, limit, cursor, ...(status === 'all' ? {} : { status }) });
  return { items: page.items, next: page.next, version: now, now };
}

/** The log tells in which order asks ended; their rows tell how. */
async function listEnded(ledger: Ledger, tenantId: string, page: { limit: number; cursor: string | undefined }) {
  const ends = await ledger.events.list(tenantId, { type: 'AskResolved', ...page });
  const ids = [...new Set(ends.items.map(({ askId }) => askId).filter((id) => id !== null))];
  const [asks, late] = await Promise.all([
    Promise.all(ids.map((id) => ledger.asks.get(tenantId, id))),
    ledger.asks.late(tenantId, ids),
  ]);
  const items = asks.filter((ask) => ask !== null).map((ask) => ({ ...ask, late: late[ask.id] ?? [] }));
  return { items, next: ends.next };
}

/** The database's clock, ISO-8601 UTC. */
export async function databaseNow(ledger: Ledger): Promise<string> {
  return (await ledger.loadRound({ tenants: [], streams: [], keys: [], hashJoins: [] })).now;
}
