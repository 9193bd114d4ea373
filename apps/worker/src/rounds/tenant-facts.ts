/** What the whole tenant adds to the facts of a call: the kill switch that holds it, and the grants that hold everywhere. */
import type { Grant, KillFact, SessionEvent, ToolCall } from '@countersign/contracts';
import { initialTenantState, killHolding, type SessionState, type TenantState } from '@countersign/approval';
import type { BoundedMap } from './bounded-map.js';

/** A tenant's state with the epoch that it was read under. */
export interface CachedTenant {
  readonly epoch: number;
  readonly state: TenantState;
}

export type TenantCache = BoundedMap<string, CachedTenant>;

/** What a round knows of its tenants. */
export interface TenantsView {
  readonly tenants: ReadonlyMap<string, TenantState>;
  /** Uses left of tenant-wide grants that have a count; absent: none. */
  readonly usesLeft: ReadonlyMap<string, number>;
}

/** Uses of counted grants by calls that this draft decided before. */
export type UsedGrants = Map<string, number>;

/** The engaged kill switch that holds this call, in its session or in one above; null: none. */
export function killOn(
  call: ToolCall,
  { tenants }: TenantsView,
  state: SessionState,
  ancestors: readonly SessionState[],
): KillFact | null {
  const tenant = tenants.get(call.tenantId);
  if (tenant === undefined || tenant.kills.length === 0) return null;
  const line = [...ancestors, state];
  return killHolding(tenant, {
    sessionIds: [...line.map((one) => one.sessionId), call.sessionId],
    agents: [call.agent, ...line.flatMap((one) => one.opening?.agent ?? [])],
    tool: call.tool,
  });
}

/** Tenant-wide grants that have a use left. */
export function tenantGrants(tenantId: string, view: TenantsView, used: UsedGrants): readonly Grant[] {
  const { grants } = view.tenants.get(tenantId) ?? initialTenantState();
  return grants.filter(({ id, uses }) => {
    if (uses === undefined || uses === null) return true;
    return (view.usesLeft.get(id) ?? 0) > (used.get(id) ?? 0);
  });
}

/** Counts what these events use up, so that a later call of the same draft finds it gone. */
export function countUses(used: UsedGrants, events: readonly SessionEvent[]): void {
  for (const event of events) {
    if (event.type !== 'GrantConsumed' || event.body.tenantWide !== true) continue;
    used.set(event.body.grantId, (used.get(event.body.grantId) ?? 0) + 1);
  }
}
