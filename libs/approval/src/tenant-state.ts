/** What holds in every session of a tenant: engaged kill switches and tenant-wide grants, as its own stream tells. */
import type { ErrorCode, Grant, KillFact, KillScope, TenantEvent } from '@countersign/contracts';
import { boundedText } from './text.js';
import { unreachable } from './unreachable.js';

/** How much a tenant's state may hold; beyond it a command is refused, so that nothing that holds is ever dropped. */
export const TENANT_LIMITS = { kills: 256, grants: 1_024 } as const;

/** JSON-serialisable. Only what is engaged or active stands here. */
export interface TenantState {
  readonly kills: readonly KillFact[];
  readonly grants: readonly Grant[];
}

/** `by` names the key or the person. A grant without `tenantWide` is made tenant-wide. */
export type TenantCommand =
  | {
      readonly type: 'EngageKill';
      readonly killId: string;
      readonly scope: KillScope;
      /** The agent's, session's or tool's name; null for the scope `tenant`. */
      readonly value: string | null;
      readonly reason: string;
      readonly by: string;
    }
  | { readonly type: 'ReleaseKill'; readonly killId: string; readonly by: string }
  | { readonly type: 'CreateGrant'; readonly grant: Grant }
  | { readonly type: 'RevokeGrant'; readonly grantId: string; readonly by: string };

/** Events to append (none: it was so already), or why not. */
export type TenantCommandResult =
  | { readonly ok: true; readonly events: TenantEvent[] }
  | { readonly ok: false; readonly code: ErrorCode; readonly message?: string };

/** The state before the first event. */
export function initialTenantState(): TenantState {
  return { kills: [], grants: [] };
}

/** The state after one more event. Total: an event that does not fit changes nothing. */
export function evolveTenant(state: TenantState, event: TenantEvent): TenantState {
  switch (event.type) {
    case 'KillSwitchEngaged': {
      const { killId, scope, value, reason } = event.body;
      const others = state.kills.filter((kill) => kill.killId !== killId);
      return { ...state, kills: [...others, { killId, scope, value, reason }] };
    }
    case 'KillSwitchReleased':
      return { ...state, kills: state.kills.filter((kill) => kill.killId !== event.body.killId) };
    case 'GrantCreated': {
      const { grant } = event.body;
      return { ...state, grants: [...state.grants.filter((one) => one.id !== grant.id), grant] };
    }
    case 'GrantRevoked':
      return { ...state, grants: state.grants.filter((grant) => grant.id !== event.body.grantId) };
    default:
      return state;
  }
}

/** `now`: ISO-8601 UTC, the database's clock. `usedUp`: ids of counted grants that have no use left; needed by a full state. */
export interface TenantContext {
  readonly now: string;
  readonly usedUp?: ReadonlySet<string>;
}

/**
 * Decides one command on a tenant. In a full state grants that have ended or are used up make room: they are revoked in the
 * same list. Total: every expected refusal is a value.
 */
export function decideTenantCommand(
  state: TenantState,
  command: TenantCommand,
  context: TenantContext,
): TenantCommandResult {
  switch (command.type) {
    case 'EngageKill':
      return engage(state, command);
    case 'ReleaseKill': {
      const { killId, by } = command;
      const known = state.kills.some((kill) => kill.killId === killId);
      return known ? accept({ type: 'KillSwitchReleased', version: 1, body: { killId, by } }) : refuse('kill.unknown');
    }
    case 'CreateGrant':
      return createGrant(state, command.grant, context);
    case 'RevokeGrant': {
      const { grantId, by } = command;
      const known = state.grants.some((grant) => grant.id === grantId);
      return known ? accept({ type: 'GrantRevoked', version: 1, body: { grantId, by } }) : refuse('grant.unknown');
    }
    default:
      return unreachable(command, refuse('request.invalid'));
  }
}

function engage(state: TenantState, command: Extract<TenantCommand, { type: 'EngageKill' }>): TenantCommandResult {
  const { killId, scope, value, by } = command;
  const reason = boundedText(command.reason, 2_000);
  if ((scope === 'tenant') !== (value === null) || value === '') {
    return refuse('request.invalid', 'every scope but `tenant` names what it freezes, and `tenant` names nothing');
  }
  if (reason.trim() === '') return refuse('request.invalid', 'a kill switch needs a reason');
  if (state.kills.some((kill) => kill.killId === killId)) return { ok: true, events: [] };
  if (state.kills.length >= TENANT_LIMITS.kills) {
    return refuse('request.invalid', `at most ${TENANT_LIMITS.kills} kill switches are engaged at once`);
  }
  return accept({ type: 'KillSwitchEngaged', version: 1, body: { killId, scope, value, reason, by } });
}

function createGrant(state: TenantState, wanted: Grant, context: TenantContext): TenantCommandResult {
  if (state.grants.some((grant) => grant.id === wanted.id)) return { ok: true, events: [] };
  const grant: Grant = { ...wanted, tenantWide: true };
  if (grant.kind !== 'always') return refuse('request.invalid', 'only an `always` grant holds for a whole tenant');
  const ended = roomFor(state, context);
  if (state.grants.length - ended.length >= TENANT_LIMITS.grants) {
    return refuse('request.invalid', `a tenant holds at most ${TENANT_LIMITS.grants} grants; revoke one first`);
  }
  const gone = ended.map(({ id }): TenantEvent => ({
    type: 'GrantRevoked',
    version: 1,
    body: { grantId: id, by: 'over' },
  }));
  return { ok: true, events: [...gone, { type: 'GrantCreated', version: 1, body: { grant } }] };
}

/** Grants that are over, when the state is full. An unreadable clock finds none that has ended. */
function roomFor(state: TenantState, { now, usedUp }: TenantContext): Grant[] {
  if (state.grants.length < TENANT_LIMITS.grants) return [];
  const at = Date.parse(now);
  return state.grants.filter(
    ({ id, expiresAt }) => usedUp?.has(id) === true || (expiresAt !== null && Date.parse(expiresAt) <= at),
  );
}

/** The tenant's grants that hold in a session with these roots. */
export function grantsWithin(grants: readonly Grant[], roots: readonly string[]): readonly Grant[] {
  return grants.filter(({ root }) => root === undefined || root === null || roots.includes(root));
}

/** Where a call stands: its session with all above it, every agent on that line, and its tool. */
export interface KillTarget {
  readonly sessionIds: readonly string[];
  readonly agents: readonly string[];
  readonly tool: string;
}

/** The kill switch that holds a call, the oldest of several; null: none. What holds a parent holds everything below it. */
export function killHolding(state: TenantState, target: KillTarget): KillFact | null {
  return state.kills.find((kill) => holds(kill, target)) ?? null;
}

function holds({ scope, value }: KillFact, { sessionIds, agents, tool }: KillTarget): boolean {
  switch (scope) {
    case 'tenant':
      return true;
    case 'agent':
      return value === null || agents.includes(value);
    case 'session':
      return value === null || sessionIds.includes(value);
    case 'tool':
      return value === null || value === tool;
    default:
      // INVARIANT: a scope that nobody knows freezes everything.
      return unreachable(scope, true);
  }
}

function accept(event: TenantEvent): TenantCommandResult {
  return { ok: true, events: [event] };
}

function refuse(code: ErrorCode, message?: string): TenantCommandResult {
  return message === undefined ? { ok: false, code } : { ok: false, code, message };
}
