/** Tenant-wide grants that are used up: they stand in the tenant's state until somebody needs their room. */
import { TENANT_LIMITS, type TenantState } from '@countersign/approval';
import type { Queryable } from './append.js';
import { fromColumn, toColumn } from './column-text.js';

/** Ids of the state's grants that have no use left. Looked up only for a full state: a state with room needs none. */
export async function usedUpGrants(
  db: Queryable,
  tenantId: string,
  { grants }: TenantState,
): Promise<ReadonlySet<string>> {
  if (grants.length < TENANT_LIMITS.grants) return new Set();
  const text = `SELECT id FROM grants WHERE id = ANY($1::text[]) AND tenant_id = $2 AND status = 'consumed'`;
  const values = [grants.map((grant) => toColumn(grant.id)), toColumn(tenantId)];
  const { rows } = await db.query<{ id: string }>({ name: 'grants_used_up', text, values });
  return new Set(rows.map((row) => fromColumn(row.id)));
}
