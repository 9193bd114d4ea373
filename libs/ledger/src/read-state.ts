/** Stored states as the core knows them now: what an older version did not keep is as at the beginning. */
import { initialState, initialTenantState, type SessionState, type TenantState } from '@countersign/approval';

/** Reads the `state` of a session's head. */
export function readState(text: string): SessionState {
  return { ...initialState(), ...(JSON.parse(text) as Partial<SessionState>) };
}

/** Reads the `state` of a tenant's own head; null: nothing was kept yet. */
export function readTenantState(text: string | null): TenantState {
  return text === null
    ? initialTenantState()
    : { ...initialTenantState(), ...(JSON.parse(text) as Partial<TenantState>) };
}
