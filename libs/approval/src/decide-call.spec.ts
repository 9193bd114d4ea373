/** One call: what is recorded and what the agent is told, for every kind of verdict and state. */
import { describe, expect, it } from '@jest/globals';
import { sessionEventSchema, type Grant } from '@countersign/contracts';
import { decideCall } from './decide-call.js';
import { sessionEvent } from './events.js';
import { evolve } from './evolve.js';
import { effectiveMode, openedState } from './facts.js';
import { basis, call, opening, policy, prior, Session, typesOf, verdict } from './fixtures/builders.js';
import { STATE_LIMITS } from './state.js';

const outcomeOfCall = (result: ReturnType<typeof decideCall>) => result.outcome;

describe('a call', () => {
  it('opens its unknown session first', () => {
    const session = new Session();
    const result = session.call('allow');
    expect(typesOf(result as never)).toEqual(['SessionStarted', 'ToolCallDecided']);
    expect(outcomeOfCall(result)).toMatchObject({ decision: 'allow', approvalStatus: 'not_required' });
    expect(session.state).toMatchObject({ sessionId: 's1', keyId: 'k1', rootId: 's1', mode: 'default' });
    for (const event of session.events) expect(sessionEventSchema.parse(event)).toEqual(event);
  });

  it('is denied with the rule that said so', () => {
    const result = new Session().call('deny');
    expect(result.outcome).toMatchObject({ decision: 'deny', ruleId: 'rule.deny', reason: 'the rule says deny' });
    expect(result.outcome.stop).toBeUndefined();
  });

  it('opens an ask with the terms of its policy', () => {
    const session = new Session(policy({ askTimeout: { after: 60, outcome: 'deny' }, passAsk: true }));
    const result = session.call('ask');
    expect(result.outcome).toMatchObject({ decision: 'pending', askId: 'ask_1', holdSeconds: 540, passAsk: true });
    expect(session.asks['ask_1']).toMatchObject({ timeoutMs: 60_000, terms: { passAsk: true } });
    expect(session.state.openAsks).toMatchObject([{ askId: 'ask_1', passAsk: true, parked: false }]);
  });

  it('asks without limit when time-outs park, and holds the hook only as long', () => {
    const session = new Session(policy({ askTimeout: { after: 60, outcome: 'park' } }));
    expect(session.call('ask').outcome).toMatchObject({ holdSeconds: 60 });
    expect(session.asks['ask_1']!.timeoutMs).toBeNull();
  });

  it('is a question of its own under another id, also with the same arguments', () => {
    const session = new Session();
    session.call('ask');
    expect(session.call('ask').outcome.askId).toBe('ask_2');
    expect(session.state.openAsks).toHaveLength(2);
  });

  it('joins the ask of the same agent, tool and arguments whose hook was let go, and is decided with it', () => {
    const session = new Session();
    session.call('ask');
    session.command({ type: 'ParkAsk', askId: 'ask_1' });
    const again = session.call('ask');
    expect(typesOf(again as never)).toEqual(['AskJoined']);
    expect(again.outcome).toMatchObject({ decision: 'pending', askId: 'ask_1' });
    expect(session.call('ask', { command: 'rm x' }).outcome.askId).toBe('ask_3');
    session.answer('ask_1', { answer: 'reject' });
    const decided = session.events.flatMap((event) => (event.type === 'ToolCallDecided' ? [event.body] : []));
    expect(decided.map(({ request, decision }) => [request.callId, decision.effect, decision.counted])).toEqual([
      [again.outcome.id, 'deny', false],
      [session.asks['ask_1']!.request.callId, 'deny', true],
    ]);
    expect(session.state.denialsTotal).toBe(1);
  });

  it('joins the same key with the same arguments, without an event', () => {
    const session = new Session();
    session.call('allow');
    const result = session.call('deny', { prior: prior() });
    expect(result).toEqual({ kind: 'joined', outcome: prior().outcome });
  });

  it('is held again when its own key comes back after its hook was let go, so that no one-time grant is left over', () => {
    const session = new Session();
    session.call('ask');
    const [ask] = session.state.openAsks;
    const open = prior({ status: 'open', askId: ask!.askId, callId: ask!.callId });
    expect(session.call('ask', { prior: open })).toEqual({ kind: 'joined', outcome: open.outcome });
    session.command({ type: 'ParkAsk', askId: ask!.askId });
    expect(session.state.openAsks).toMatchObject([{ parked: true }]);
    expect(typesOf(session.call('ask', { prior: open }) as never)).toEqual(['AskHeld']);
    expect(session.state.openAsks).toMatchObject([{ parked: false, waiting: [ask!.callId] }]);
  });

  it('denies the same key with other arguments, and the first call keeps the key', () => {
    const session = new Session();
    session.call('allow');
    const result = session.call('allow', { prior: prior({ callHash: 'other' }) });
    expect(result.outcome).toMatchObject({ decision: 'deny', ruleId: 'call.id_reused' });
    expect(session.state.denialsTotal).toBe(0);
  });

  it('denies the same key with the same arguments in another place: the first answer was made for another folder', () => {
    const session = new Session();
    session.call('allow');
    const first = prior({ callHash: 'hash of ls.here' });
    const at = (placeHash: string | undefined) =>
      session.call('allow', { call: call(placeHash === undefined ? {} : { placeHash }), prior: first });
    expect(at('here')).toEqual({ kind: 'joined', outcome: first.outcome });
    for (const place of ['there', undefined]) {
      expect(at(place).outcome).toMatchObject({ decision: 'deny', ruleId: 'call.id_reused' });
    }
  });

  it('a call that is tried again under a new id joins its open ask in the same place alone', () => {
    const session = new Session();
    session.call('ask', { call: call({ placeHash: 'here' }) });
    session.command({ type: 'ParkAsk', askId: 'ask_1' });
    expect(typesOf(session.call('ask', { call: call({ placeHash: 'there' }) }) as never)).toEqual(['AskOpened']);
    session.command({ type: 'ParkAsk', askId: 'ask_2' });
    expect(typesOf(session.call('ask', { call: call({ placeHash: 'here' }) }) as never)).toEqual(['AskJoined']);
    session.command({ type: 'ParkAsk', askId: 'ask_1' });
    session.answer('ask_1');
    expect(session.state.grants).toMatchObject([{ kind: 'once', placeHash: 'here' }]);
  });

  it('denies a foreign key, before it can join anything', () => {
    const session = new Session();
    session.call('allow');
    const foreign = session.call('allow', { call: call({ keyId: 'k2' }), prior: prior() });
    expect(foreign.outcome).toMatchObject({ decision: 'deny', ruleId: 'auth.not_own_session' });
    for (let n = 0; n < 30; n += 1) session.call('deny', { call: call({ keyId: 'k2' }) });
    // A stranger cannot open the breaker of somebody's session.
    expect(session.state).toMatchObject({ breakerOpen: false, denialsTotal: 0 });
  });

  it('denies a call below a parent of another key, and leaves the parent alone', () => {
    const parent = openedState(call({ keyId: 'k2', sessionId: 'p' }));
    const child = call({ sessionId: 'p/a', opening: opening({ parentId: 'p' }) });
    const result = new Session().call('allow', { call: child, ancestors: [parent] });
    expect(result.outcome).toMatchObject({ decision: 'deny', ruleId: 'auth.not_own_session' });
    expect((result as { events: unknown[] }).events[0]).toMatchObject({
      body: { rootId: 'p/a', opening: { parentId: null } },
    });
  });

  it('opens again after a stop, and the breaker stays open', () => {
    const session = new Session();
    for (let n = 0; n < 3; n += 1) session.call('deny', { command: `c${n}` });
    expect(session.state.breakerOpen).toBe(true);
    session.command({ type: 'StopSession', reason: 'done', by: 'k1' });
    const result = session.call('allow');
    expect(typesOf(result as never)).toEqual(['SessionReopened', 'ToolCallDecided']);
    expect(result.outcome).toMatchObject({ decision: 'deny', ruleId: 'guard.breaker', stop: true });
  });

  it('never passes a cancel, whatever a stale verdict says', () => {
    const session = new Session();
    session.call('allow');
    session.command({ type: 'CancelSession', reason: 'enough', by: 'p1' });
    for (const effect of ['allow', 'ask'] as const) {
      expect(session.call(effect).outcome).toMatchObject({ decision: 'deny', ruleId: 'guard.cancelled', stop: true });
    }
    session.command({ type: 'StopSession', reason: 'end', by: 'k1' });
    expect(session.call('allow').outcome.decision).toBe('allow');
  });

  it('an effect that nobody knows is a deny', () => {
    const odd = { ...verdict('allow'), effect: 'maybe' as never };
    expect(new Session().call('allow', { verdict: odd }).outcome).toMatchObject({
      decision: 'deny',
      ruleId: 'internal.error',
    });
  });
});

describe('mode and folder', () => {
  it('follows a mode that the policy lets agents choose, and loosens nothing for others', () => {
    const session = new Session();
    session.call('allow');
    const result = session.call('allow', { call: call({ mode: 'plan' }) });
    expect(typesOf(result as never)).toEqual(['SessionModeChanged', 'ToolCallDecided']);
    expect(session.state.mode).toBe('plan');
    for (const mode of ['bypassPermissions', 'auto', 'godMode']) {
      expect(effectiveMode(session.state, { mode }, policy())).toBe('plan');
      session.call('allow', { call: call({ mode }) });
      expect(session.state.mode).toBe('plan');
    }
    expect(effectiveMode(session.state, { mode: null }, policy())).toBe('plan');
  });

  it('keeps a mode that a person set when the agent reports the same', () => {
    const session = new Session();
    session.call('allow');
    session.command({ type: 'SetMode', mode: 'bypassPermissions', by: 'p1' });
    expect(effectiveMode(session.state, { mode: 'bypassPermissions' }, policy())).toBe('bypassPermissions');
  });

  it('follows the working directory inside the roots only', () => {
    const session = new Session();
    session.call('allow');
    session.call('allow', { call: call({ cwd: '/srv/shop/api' }) });
    expect(session.state.cwd).toBe('/srv/shop/api');
    for (const cwd of ['/srv/shop2', '/etc', '/srv/shop/../x']) {
      session.call('allow', { call: call({ cwd }) });
      expect(session.state).toMatchObject({ cwd: '/srv/shop/api', roots: ['/srv/shop'] });
    }
  });
});

describe('the breaker', () => {
  it('opens after three denials in a row, in the same append, and says stop', () => {
    const session = new Session();
    session.call('ask', { command: 'waits' });
    session.call('deny', { command: 'a' });
    session.call('deny', { command: 'b' });
    const third = session.call('deny', { command: 'c' });
    expect(typesOf(third as never)).toEqual(['ToolCallDecided', 'BreakerOpened', 'AskResolved', 'ToolCallDecided']);
    expect(third.outcome.stop).toBe(true);
    expect(session.state).toMatchObject({ breakerOpen: true, denialsInRow: 3, denialsTotal: 3, openAsks: [] });
  });

  it('names the asks that it could not end', () => {
    const session = new Session();
    session.call('ask', { command: 'waits' });
    session.call('deny', { command: 'a' });
    session.call('deny', { command: 'b' });
    expect(session.call('deny', { command: 'c', asks: {} })).toMatchObject({ unended: ['ask_1'] });
    expect(session.answer('ask_1')).toMatchObject({ ok: false, code: 'ask.already_resolved' });
    session.command({ type: 'EndAsks', reason: 'breaker', by: 'system' });
    expect(session.state.openAsks).toEqual([]);
  });

  it('counts no denial of guards that repeat a stop, and none of joins', () => {
    const session = new Session();
    const guard = (ruleId: string) => verdict('deny', { ruleId, layer: 'guard' });
    for (const ruleId of ['guard.breaker', 'guard.cancelled', 'guard.stopped', 'guard.killed']) {
      for (let n = 0; n < 4; n += 1) session.call('deny', { verdict: guard(ruleId) });
    }
    expect(session.state).toMatchObject({ breakerOpen: false, denialsTotal: 0 });
  });

  it('ends a run with any final allow, and keeps the total', () => {
    const session = new Session();
    session.call('deny', { command: 'a' });
    session.call('deny', { command: 'b' });
    session.call('ask');
    session.answer('ask_3');
    expect(session.state).toMatchObject({ denialsInRow: 0, denialsTotal: 2 });
  });

  it('opens at the total, though never two in a row', () => {
    const session = new Session(policy({ breaker: { inARow: 3, total: 5, counts: ['policy'] } }));
    for (let n = 0; n < 5; n += 1) {
      expect(session.state.breakerOpen).toBe(false);
      session.call('deny', { command: `d${n}` });
      session.call('allow', { command: `a${n}` });
    }
    expect(session.state.breakerOpen).toBe(true);
  });

  it('counts what its policy counts', () => {
    const session = new Session(policy({ breaker: { inARow: 2, total: 20, counts: ['expiry'] } }));
    session.call('deny', { command: 'a' });
    session.call('deny', { command: 'b' });
    session.call('deny', { command: 'c' });
    expect(session.state).toMatchObject({ breakerOpen: false, denialsTotal: 0 });
    session.call('ask', { command: 'd' });
    session.command({ type: 'ExpireAsk', askId: 'ask_4' });
    expect(session.state.denialsInRow).toBe(1);
  });
});

describe('grants', () => {
  const grant: Grant = {
    id: 'g1',
    kind: 'once',
    tool: 'Bash',
    argsHash: 'hash of ls',
    pattern: null,
    liftsRuleIds: [],
    askId: 'ask_0',
    personId: 'p1',
    expiresAt: null,
  };
  const byGrant = verdict('allow', {
    ruleId: 'grant:g1',
    matches: [{ ...verdict('allow').matches[0]!, ruleId: 'grant:g1', source: 'grant' }],
  });

  it('uses up a one-time grant that let the call through', () => {
    const session = new Session();
    session.call('allow', { command: 'first' });
    session.append([sessionEvent('GrantCreated', { grant })]);
    const result = session.call('allow', { verdict: byGrant });
    expect(typesOf(result as never)).toEqual(['GrantConsumed', 'ToolCallDecided']);
    expect(session.state.grants).toEqual([]);
  });

  it('keeps a grant for the session', () => {
    const session = new Session();
    session.call('allow', { command: 'first' });
    session.append([sessionEvent('GrantCreated', { grant: { ...grant, kind: 'session' } })]);
    session.call('allow', { verdict: byGrant });
    expect(session.state.grants).toHaveLength(1);
  });

  it('drops the oldest beyond the limit, so that its call asks again', () => {
    let state = openedState(call());
    for (let n = 0; n <= STATE_LIMITS.grants; n += 1) {
      state = evolve(state, sessionEvent('GrantCreated', { grant: { ...grant, id: `g${n}` } }));
    }
    expect(state.grants).toHaveLength(STATE_LIMITS.grants);
    expect(state.grants[0]!.id).toBe('g1');
  });
});

describe('limits', () => {
  it('denies a question too many', () => {
    const session = new Session();
    for (let n = 0; n < STATE_LIMITS.openAsks; n += 1) session.call('ask', { command: `c${n}` });
    expect(session.call('ask', { command: 'one more' }).outcome).toMatchObject({
      decision: 'deny',
      ruleId: 'ask.too_many_open',
    });
    expect(session.state.openAsks).toHaveLength(STATE_LIMITS.openAsks);
    expect(session.state.denialsTotal).toBe(0);
  });

  it('denies a waiter too many', () => {
    const session = new Session();
    for (let n = 0; n < STATE_LIMITS.waiters; n += 1) session.call('ask');
    expect(session.call('ask').outcome).toMatchObject({ decision: 'deny', ruleId: 'ask.too_many_open' });
  });

  it('counts the run of identical calls, ends of asks aside', () => {
    const session = new Session();
    session.call('allow');
    session.call('ask');
    expect(session.state.lastCall).toEqual({ fingerprint: 'Bash hash of ls', run: 2 });
    session.answer('ask_2');
    expect(session.state.lastCall?.run).toBe(2);
    session.call('allow', { command: 'other' });
    expect(session.state.lastCall?.run).toBe(1);
  });

  it('does not touch the state that it was given', () => {
    const session = new Session();
    session.call('ask');
    const before = JSON.stringify(session.state);
    const state = session.state;
    decideCall({
      state,
      call: call({ mode: 'plan', cwd: '/srv/shop/x' }),
      verdict: verdict('deny'),
      basis: basis(state),
      policy: policy(),
      newAskId: 'a',
      prior: null,
    });
    expect(JSON.stringify(state)).toBe(before);
  });
});
