/** Where tenant-wide grants hold: the root that each was bound to, from the tenant's own state. */
import type { GrantView, Ledger } from '@countersign/ledger';

/** `root`: only sessions with this root use the grant; null: every session, the grant's own session, or a grant that has ended. */
export type RootedGrant = GrantView & { readonly root: string | null };

export async function withRoots(
  ledger: Pick<Ledger, 'loadRound'>,
  tenantId: string,
  grants: readonly GrantView[],
): Promise<RootedGrant[]> {
  const wide = grants.some(({ sessionId, status }) => sessionId === null && status === 'active');
  const roots = wide ? await rootsOf(ledger, tenantId) : new Map<string, string>();
  return grants.map((grant) => ({ ...grant, root: roots.get(grant.id) ?? null }));
}

async function rootsOf(ledger: Pick<Ledger, 'loadRound'>, tenantId: string): Promise<ReadonlyMap<string, string>> {
  const round = await ledger.loadRound({ tenants: [tenantId], streams: [], keys: [], hashJoins: [] });
  const { grants } = round.tenantStates.get(tenantId) ?? { grants: [] };
  return new Map(grants.flatMap(({ id, root }) => (typeof root === 'string' ? [[id, root] as const] : [])));
}
