/** A page of asks with the moment it was true at. */
import type { AskView } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';

/** `version` only ever grows: a page with a smaller one is older. `now` is the same moment, for countdowns. */
export interface AskPage {
  readonly items: readonly AskView[];
  readonly next: string | null;
  readonly version: string;
  readonly now: string;
}

export interface AskPageQuery {
  readonly status: 'open' | 'all';
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** INVARIANT: the moment is read before the rows, so a page never claims to be newer than it is. */
export async function listAsks(ledger: Ledger, tenantId: string, query: AskPageQuery): Promise<AskPage> {
  const now = await databaseNow(ledger);
  const { status, limit, cursor } = query;
  const page = await ledger.asks.list({ tenantId, limit, cursor, ...(status === 'open' ? { status } : {}) });
  return { items: page.items, next: page.next, version: now, now };
}

/** The database's clock, ISO-8601 UTC. */
export async function databaseNow(ledger: Ledger): Promise<string> {
  return (await ledger.loadRound({ tenants: [], streams: [], keys: [], hashJoins: [] })).now;
}
