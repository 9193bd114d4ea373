import { describe, expect, it } from '@jest/globals';
import type { Grant, TenantEvent } from '@countersign/contracts';
import {
  decideTenantCommand,
  evolveTenant,
  initialTenantState,
  killHolding,
  TENANT_LIMITS,
  type TenantCommand,
  type TenantState,
} from './tenant-state.js';

const NOW = '2026-11-30T10:00:00.000Z';

const engage = (change: Partial<Extract<TenantCommand, { type: 'EngageKill' }>> = {}): TenantCommand => ({
  type: 'EngageKill',
  killId: 'kill_1',
  scope: 'tenant',
  value: null,
  reason: 'incident',
  by: 'Ann',
  ...change,
});

const grant = (id: string, change: Partial<Grant> = {}): Grant => ({
  id,
  kind: 'always',
  tool: 'Bash',
  argsHash: null,
  pattern: 'Bash(npm test)',
  liftsRuleIds: ['default.ask'],
  askId: 'ask_1',
  personId: 'person_1',
  expiresAt: null,
  ...change,
});

function after(...commands: TenantCommand[]): TenantState {
  return commands.reduce<TenantState>((state, command) => {
    const decided = decideTenantCommand(state, command, { now: NOW });
    if (!decided.ok) throw new Error(decided.code);
    return decided.events.reduce(evolveTenant, state);
  }, initialTenantState());
}

const refusal = (state: TenantState, command: TenantCommand) => decideTenantCommand(state, command, { now: NOW });

describe('kill switches', () => {
  it('are engaged until they are released', () => {
    const engaged = after(engage());
    expect(engaged.kills).toEqual([{ killId: 'kill_1', scope: 'tenant', value: null, reason: 'incident' }]);
    expect(after(engage(), { type: 'ReleaseKill', killId: 'kill_1', by: 'Bob' })).toEqual(initialTenantState());
    expect(refusal(engaged, engage())).toEqual({ ok: true, events: [] });
  });

  it('need a reason and a scope that fits', () => {
    const none = initialTenantState();
    expect(refusal(none, engage({ reason: ' ' }))).toMatchObject({ ok: false, code: 'request.invalid' });
    expect(refusal(none, engage({ value: 'x' }))).toMatchObject({ ok: false, code: 'request.invalid' });
    expect(refusal(none, engage({ scope: 'tool' }))).toMatchObject({ ok: false, code: 'request.invalid' });
    expect(refusal(none, { type: 'ReleaseKill', killId: 'kill_9', by: 'Bob' })).toEqual({
      ok: false,
      code: 'kill.unknown',
    });
  });

  it('are bounded, and none that holds is dropped', () => {
    const many = Array.from({ length: TENANT_LIMITS.kills }, (_, i) =>
      engage({ killId: `k${i}`, scope: 'tool', value: `t${i}` }),
    );
    const full = after(...many);
    expect(refusal(full, engage())).toMatchObject({ ok: false, code: 'request.invalid' });
    expect(full.kills).toHaveLength(TENANT_LIMITS.kills);
  });

  it('hold what lies in their scope, everything below a session and an agent included', () => {
    const target = { sessionIds: ['root', 'child'], agents: ['codex', 'helper'], tool: 'Bash' };
    const held = (scope: 'agent' | 'session' | 'tool', value: string) =>
      killHolding(after(engage({ scope, value })), target)?.killId ?? null;
    expect(killHolding(after(engage()), target)?.killId).toBe('kill_1');
    expect([held('session', 'root'), held('session', 'child'), held('session', 'other')]).toEqual([
      'kill_1',
      'kill_1',
      null,
    ]);
    expect([held('agent', 'codex'), held('agent', 'helper'), held('agent', 'other')]).toEqual([
      'kill_1',
      'kill_1',
      null,
    ]);
    expect([held('tool', 'Bash'), held('tool', 'Read')]).toEqual(['kill_1', null]);
    expect(killHolding(initialTenantState(), target)).toBeNull();
  });

  it('hold everything when their scope is one that nobody knows', () => {
    const odd = { kills: [{ killId: 'k', scope: 'planet' as 'tool', value: 'x', reason: 'r' }], grants: [] };
    expect(killHolding(odd, { sessionIds: [], agents: [], tool: 'Read' })?.killId).toBe('k');
  });
});

describe('tenant-wide grants', () => {
  it('are made and revoked', () => {
    const state = after({ type: 'CreateGrant', grant: grant('g1') });
    expect(state.grants).toEqual([grant('g1', { tenantWide: true })]);
    expect(
      after({ type: 'CreateGrant', grant: grant('g1') }, { type: 'RevokeGrant', grantId: 'g1', by: 'Ann' }),
    ).toEqual(initialTenantState());
    expect(refusal(state, { type: 'RevokeGrant', grantId: 'g2', by: 'Ann' })).toEqual({
      ok: false,
      code: 'grant.unknown',
    });
    expect(refusal(state, { type: 'CreateGrant', grant: grant('g3', { kind: 'once' }) })).toMatchObject({ ok: false });
  });

  it('are bounded; ended ones make room', () => {
    const full = (expiresAt: string | null): TenantState =>
      Array.from({ length: TENANT_LIMITS.grants }, (_, i): TenantEvent => {
        const made = grant(`g${i}`, i === 0 ? { expiresAt } : {});
        return { type: 'GrantCreated', version: 1, body: { grant: made } };
      }).reduce(evolveTenant, initialTenantState());
    const more: TenantCommand = { type: 'CreateGrant', grant: grant('more') };
    expect(refusal(full(null), more)).toMatchObject({ ok: false, code: 'request.invalid' });
    expect(refusal(full('2026-11-30T10:00:01.000Z'), more)).toMatchObject({ ok: false });
    const usedUp = decideTenantCommand(full(null), more, { now: NOW, usedUp: new Set(['g7']) });
    expect(usedUp).toMatchObject({ ok: true, events: [{ body: { grantId: 'g7' } }, { type: 'GrantCreated' }] });
    const made = refusal(full('2026-11-30T10:00:00.000Z'), more);
    expect(made).toMatchObject({ ok: true, events: [{ type: 'GrantRevoked' }, { type: 'GrantCreated' }] });
  });
});
