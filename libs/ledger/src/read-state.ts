/** Stored states as the core knows them now: what an older version did not keep is as at the beginning. */
import { initialState, initialTenantState, type SessionState, type TenantState } from '@countersign/approval';

/**
 * What this release understands of a state. A release that gives a state a meaning which an older one must not overlook writes a
 * higher `reader` into it; absent: 1.
 */
export const READER = 1;

/** A state that a later release wrote for readers like itself: nothing may be decided on it here. */
export class WrittenByNewer extends Error {
  override readonly name = 'WrittenByNewer';
  readonly code = 'unavailable';
}

/** Reads the `state` of a session's head. Throws WrittenByNewer. */
export function readState(text: string): SessionState {
  return { ...initialState(), ...parsed<SessionState>(text) };
}

/** Reads the `state` of a tenant's own head; null: nothing was kept yet. */
export function readTenantState(text: string | null): TenantState {
  return text === null ? initialTenantState() : { ...initialTenantState(), ...parsed<TenantState>(text) };
}

function parsed<S extends object>(text: string): Partial<S> {
  const state = JSON.parse(text) as Partial<S> & { readonly reader?: unknown };
  const { reader = READER } = state;
  if (typeof reader === 'number' && reader <= READER) return state;
  throw new WrittenByNewer('a state was written by a later release; bring this service up to date');
}
