/** What a grant's row does not tell: where a tenant-wide one holds, from the tenant's own state, and the name of who made it. */
import type { GrantView, Ledger } from '@countersign/ledger';

/** `root`: only sessions with this root use the grant; null: every session, the grant's own session, or a grant that has ended. */
export type RootedGrant = GrantView & { readonly root: string | null; readonly personName: string | null };

export async function withRoots(
  ledger: Pick<Ledger, 'loadRound' | 'people'>,
  tenantId: string,
  grants: readonly GrantView[],
): Promise<RootedGrant[]> {
  const wide = grants.some(({ sessionId, status }) => sessionId === null && status === 'active');
  const roots = wide ? await rootsOf(ledger, tenantId) : new Map<string, string>();
  const names = await namesOf(ledger, tenantId, grants);
  return grants.map((grant) => ({
    ...grant,
    root: roots.get(grant.id) ?? null,
    personName: names.get(grant.personId) ?? null,
  }));
}

async function namesOf(
  { people }: Pick<Ledger, 'people'>,
  tenantId: string,
  grants: readonly GrantView[],
): Promise<ReadonlyMap<string | null, string>> {
  const ids = [...new Set(grants.flatMap(({ personId }) => personId ?? []))];
  const found = await Promise.all(ids.map((id) => people.get(tenantId, id)));
  return new Map(found.flatMap((person) => (person === null ? [] : [[person.id, person.name] as const])));
}

async function rootsOf(ledger: Pick<Ledger, 'loadRound'>, tenantId: string): Promise<ReadonlyMap<string, string>> {
  const round = await ledger.loadRound({ tenants: [tenantId], streams: [], keys: [], hashJoins: [] });
  const { grants } = round.tenantStates.get(tenantId) ?? { grants: [] };
  return new Map(grants.flatMap(({ id, root }) => (typeof root === 'string' ? [[id, root] as const] : [])));
}
