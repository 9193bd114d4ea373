import { describe, expect, it } from '@jest/globals';
import type { CommandContext, StoredCall } from './command.js';
import { decideCommand } from './decide-command.js';
import { NOW, Session } from './fixtures/builders.js';
import { runBarredBy } from './held.js';
import { initialTenantState } from './tenant-state.js';
import type { SessionState } from './state.js';

const allowed: StoredCall = {
  callId: 'call_1',
  agent: 'claude-code',
  tool: 'Bash',
  effect: 'allow',
  redeemed: false,
  reported: false,
};
const started = (): Session => {
  const session = new Session();
  session.call('allow');
  return session;
};
const redeem = (
  state: SessionState,
  over: Partial<CommandContext> & { sessionSeconds?: number; endsWhenAllowed?: number } = {},
) => {
  const { sessionSeconds, endsWhenAllowed = 0, ...context } = over;
  const command = {
    type: 'RedeemPermit',
    callId: 'call_1',
    permitId: 'permit_1',
    keyId: 'k1',
    endsWhenAllowed,
    sessionSeconds,
  } as const;
  return decideCommand(state, command, { now: NOW, asks: {}, tenant: initialTenantState(), call: allowed, ...context });
};
const later = (seconds: number): string => new Date(Date.parse(NOW) + seconds * 1_000).toISOString();

describe('redeeming a permit', () => {
  it('takes the call up while nothing holds the session', () => {
    expect(redeem(started().state, { sessionSeconds: 60 })).toMatchObject({
      ok: true,
      events: [{ type: 'PermitRedeemed' }],
    });
  });

  it('is refused once the time of the session is up, and that is on record', () => {
    const { state } = started();
    expect(redeem(state, { sessionSeconds: 60, now: later(60) }).ok).toBe(true);
    expect(redeem(state, { sessionSeconds: 60, now: later(61) })).toMatchObject({
      ok: false,
      code: 'permit.refused',
      reason: 'deadline',
      record: [{ type: 'AgentReported', body: { kind: 'permit_refused' } }],
    });
    expect(redeem(state, { sessionSeconds: 60, now: 'no time' })).toMatchObject({ ok: false, reason: 'deadline' });
    expect(redeem(state, { now: later(10_000) }).ok).toBe(true);
  });

  it.each([
    ['CancelSession', 'cancelled'],
    ['StopSession', 'stopped'],
  ] as const)('is refused after %s, of the session or of one above it', (type, reason) => {
    const session = started();
    session.command({ type, reason: '', by: 'k1' });
    expect(redeem(session.state)).toMatchObject({ code: 'permit.refused', reason });
    expect(redeem(started().state, { ancestors: [session.state] })).toMatchObject({ code: 'permit.refused', reason });
  });

  it('is refused with an open breaker', () => {
    const session = started();
    for (const command of ['a', 'b', 'c']) session.call('deny', { command });
    expect(redeem(session.state)).toMatchObject({ code: 'permit.refused', reason: 'breaker' });
  });

  it.each([
    ['not_allowed', { effect: 'pending' }],
    ['not_allowed', { effect: 'deny' }],
    ['reported', { reported: true }],
  ] as const)('is refused as %s for a call with %j', (reason, over) => {
    expect(redeem(started().state, { call: { ...allowed, ...over } })).toMatchObject({
      code: 'permit.refused',
      reason,
    });
  });

  it('is refused under a kill switch', () => {
    const kills = [{ killId: 'k', scope: 'tenant', value: null, reason: 'fire' } as const];
    expect(redeem(started().state, { tenant: { kills, grants: [] } })).toMatchObject({
      code: 'session.frozen',
      reason: 'killed',
    });
  });
});

it('what bars a permit from being redeemed is said before one is made', () => {
  const session = started();
  expect(runBarredBy(session.state, [], { endsWhenAllowed: 0, now: NOW })).toBeNull();
  expect(runBarredBy(session.state, [], { endsWhenAllowed: 0, sessionSeconds: 5, now: later(6) })).toEqual({
    reason: 'deadline',
    message: 'the time of session `s1` is up',
  });
  session.command({ type: 'CancelSession', reason: '', by: 'k1' });
  expect(runBarredBy(session.state, [], { endsWhenAllowed: 0, now: NOW })).toEqual({
    reason: 'cancelled',
    message: 'session `s1` was cancelled',
  });
});
