/** Answers, ends, reports and changes: what each becomes, and what is refused. */
import { describe, expect, it } from '@jest/globals';
import { sessionEventSchema, type Answerer, type Rule } from '@countersign/contracts';
import { childDenialEvents } from './breaker.js';
import { agreesWith } from './answer-ask.js';
import type { ReportResult } from './command.js';
import { decideCommand } from './decide-command.js';
import { openedState, sessionFacts } from './facts.js';
import { call, MIRA, NOW, opening, policy, Session, typesOf, verdict } from './fixtures/builders.js';
import { outcomeOf } from './outcome.js';
import { isTightening } from './tightening.js';

const rule = (id: string, effect: Rule['effect'], over: Partial<Rule> = {}): Rule => ({
  id,
  effect,
  pattern: 'Bash',
  source: 'session',
  reason: '',
  order: 0,
  match: [],
  notMatch: [],
  ...over,
});

const asked = (over?: Parameters<typeof policy>[0]) => {
  const session = new Session(policy(over));
  session.call('ask');
  return session;
};

const lastDecision = (session: Session) => {
  const event = session.events.filter((one) => one.type === 'ToolCallDecided').at(-1)!;
  if (event.type !== 'ToolCallDecided') throw new Error('no decision');
  return outcomeOf(event.body);
};

describe('an answer', () => {
  it('B02 that comes late agrees with the end that it would have made, and with no other', () => {
    const statuses = ['approved', 'rejected', 'cancelled', 'expired', 'open'] as const;
    const agreeing = (['approve', 'reject', 'cancel'] as const).map((given) =>
      statuses.filter((status) => agreesWith(given, status)),
    );
    expect(agreeing).toEqual([['approved'], ['rejected'], ['cancelled']]);
  });

  it('approves the call that asked', () => {
    const session = asked();
    const result = session.answer('ask_1', { reason: 'fine' });
    expect(typesOf(result)).toEqual(['AskAnswered', 'AskResolved', 'ToolCallDecided']);
    expect(lastDecision(session)).toMatchObject({
      decision: 'allow',
      approvalStatus: 'approved',
      askId: 'ask_1',
      ruleId: 'rule.ask',
      reason: 'approved by Mira via web: fine',
    });
    for (const event of session.events) expect(sessionEventSchema.parse(event)).toEqual(event);
  });

  it('approves nothing once the time of the session is up, and still rejects', () => {
    const session = asked({ sessionSeconds: 60 });
    const answer = (given: 'approve' | 'reject', afterMs: number) => {
      const now = new Date(Date.parse(NOW) + afterMs).toISOString();
      const by = { askId: 'ask_1', scope: 'once', by: MIRA, reason: null, grantId: 'g' } as const;
      const command = { type: 'AnswerAsk', answer: given, ...by } as const;
      return decideCommand(session.state, command, { now, asks: session.stored(['ask_1']) });
    };
    expect(answer('approve', 60_001)).toMatchObject({ ok: false, code: 'session.over' });
    expect(answer('reject', 60_001)).toMatchObject({ ok: true });
    expect(answer('approve', 59_000)).toMatchObject({ ok: true });
  });

  it('resolves an ask once', () => {
    const session = asked();
    session.answer('ask_1');
    expect(session.answer('ask_1', { answer: 'reject' })).toMatchObject({ ok: false, code: 'ask.already_resolved' });
    expect(session.command({ type: 'ExpireAsk', askId: 'ask_1' })).toMatchObject({ code: 'ask.already_resolved' });
    expect(session.answer('ask_9')).toMatchObject({ ok: false, code: 'ask.unknown' });
  });

  it('rejects, and the rejection counts', () => {
    const session = asked();
    session.answer('ask_1', { answer: 'reject' });
    expect(lastDecision(session)).toMatchObject({ decision: 'deny', approvalStatus: 'rejected' });
    expect(session.state).toMatchObject({ denialsInRow: 1, denialsTotal: 1 });
  });

  it('withdraws without counting', () => {
    const session = asked();
    session.answer('ask_1', { answer: 'cancel' });
    expect(lastDecision(session)).toMatchObject({ decision: 'deny', approvalStatus: 'cancelled' });
    expect(session.state.denialsTotal).toBe(0);
  });

  it('may open the breaker, which ends all other asks in the same append', () => {
    const session = new Session();
    for (const command of ['a', 'b', 'c', 'd']) session.call('ask', { command });
    session.answer('ask_1', { answer: 'reject' });
    session.answer('ask_2', { answer: 'reject' });
    const third = session.answer('ask_3', { answer: 'reject' });
    expect(typesOf(third)).toEqual([
      'AskAnswered',
      'AskResolved',
      'ToolCallDecided',
      'BreakerOpened',
      'AskResolved',
      'ToolCallDecided',
    ]);
    expect(session.state).toMatchObject({ breakerOpen: true, openAsks: [] });
    expect(lastDecision(session)).toMatchObject({ approvalStatus: 'cancelled', askId: 'ask_4' });
  });

  it('judges the breaker by the terms of the ask', () => {
    const session = asked({ breaker: { inARow: 1, total: 9, counts: ['person'] } });
    session.answer('ask_1', { answer: 'reject' });
    expect(session.state.breakerOpen).toBe(true);
  });

  const nobody: [string, Answerer][] = [
    ['a timer', { channel: 'system', personId: null, personName: null }],
    ['an agent', { channel: 'agent', personId: null, personName: null }],
    ['nobody on the web', { channel: 'web', personId: null, personName: null }],
    ['nobody on Slack', { channel: 'slack', personId: null, personName: 'Mira' }],
    ['an unknown channel', { channel: 'fax' as never, personId: 'p1', personName: null }],
  ];
  it.each(nobody)('is no approval from %s', (_who, by) => {
    const session = asked();
    const code = expect.stringMatching(/^(auth\.wrong_role|ask\.not_approver)$/);
    expect(session.answer('ask_1', { by })).toMatchObject({ ok: false, code });
    expect(session.state.openAsks).toHaveLength(1);
  });

  it('is no approval while an ancestor is held', () => {
    const session = asked();
    const held = { ...openedState(call({ sessionId: 'root' })), cancelled: true };
    const result = decideCommand(
      session.state,
      { type: 'AnswerAsk', askId: 'ask_1', answer: 'approve', scope: 'once', by: MIRA, reason: null, grantId: 'g' },
      { now: NOW, asks: session.asks, ancestors: [held] },
    );
    expect(result).toMatchObject({ ok: false, code: 'ask.already_resolved', message: expect.stringContaining('root') });
  });

  it('makes grants of the scope that was chosen', () => {
    const forSession = asked();
    forSession.answer('ask_1', { scope: 'session' });
    expect(typesOf({ events: forSession.events }).slice(-3)).toEqual([
      'GrantCreated',
      'AskResolved',
      'ToolCallDecided',
    ]);
    expect(forSession.state.grants).toMatchObject([
      { kind: 'session', tool: 'Bash', argsHash: 'hash of ls', pattern: null, liftsRuleIds: ['rule.ask'] },
    ]);
    const always = asked();
    always.answer('ask_1', { scope: 'always', pattern: 'Bash(ls *)', expiresAt: '2027-01-01T00:00:00.000Z' });
    expect(always.state.grants).toMatchObject([
      { kind: 'always', argsHash: null, pattern: 'Bash(ls *)', expiresAt: '2027-01-01T00:00:00.000Z' },
    ]);
    const exact = asked();
    exact.answer('ask_1', { scope: 'always' });
    expect(exact.state.grants).toMatchObject([{ kind: 'always', argsHash: 'hash of ls', pattern: null }]);
    for (const scope of ['session', 'always'] as const) {
      const placed = new Session();
      placed.call('ask', { call: call({ placeHash: 'here' }) });
      placed.answer('ask_1', { scope });
      expect(placed.state.grants).toMatchObject([{ kind: scope, argsHash: 'hash of ls', placeHash: 'here' }]);
    }
    const once = asked();
    once.answer('ask_1');
    expect(once.state.grants).toEqual([]);
  });

  it('becomes a one-time grant of 15 minutes when nobody waits any more', () => {
    const session = asked();
    session.command({ type: 'ParkAsk', askId: 'ask_1' });
    expect(session.state.openAsks).toMatchObject([{ parked: true, waiting: [] }]);
    session.answer('ask_1');
    expect(session.state.grants).toMatchObject([{ kind: 'once', expiresAt: '2026-11-30T12:15:00.000Z' }]);
  });

  it('makes no one-time grant while a joined call still waits', () => {
    const session = asked();
    const first = session.state.openAsks[0]!.callId;
    session.command({ type: 'ParkAsk', askId: 'ask_1', callId: first });
    session.call('ask');
    session.command({ type: 'ParkAsk', askId: 'ask_1', callId: first });
    session.answer('ask_1');
    expect(session.state.grants).toEqual([]);
  });
});

describe('ends', () => {
  it('expire as expired, not as a refusal of people', () => {
    const session = asked();
    session.command({ type: 'ExpireAsk', askId: 'ask_1' });
    expect(lastDecision(session)).toMatchObject({
      decision: 'deny',
      approvalStatus: 'expired',
      reason: 'nobody answered within 600 s',
    });
    expect(session.state.denialsTotal).toBe(0);
  });

  it('a cancel ends every open ask, and a later answer is refused', () => {
    const session = asked();
    session.call('ask', { command: 'other' });
    const result = session.command({ type: 'CancelSession', reason: 'enough', by: 'p1' });
    expect(typesOf(result)).toEqual([
      'SessionCancelled',
      'AskResolved',
      'ToolCallDecided',
      'AskResolved',
      'ToolCallDecided',
    ]);
    expect(lastDecision(session)).toMatchObject({ approvalStatus: 'cancelled', stop: true });
    expect(session.answer('ask_1')).toMatchObject({ ok: false, code: 'ask.already_resolved' });
    expect(typesOf(session.command({ type: 'CancelSession', reason: 'again', by: 'p1' }))).toEqual([]);
  });

  it('a cancel without the stored asks is refused as a whole', () => {
    const session = asked();
    const result = session.command({ type: 'CancelSession', reason: 'x', by: 'p1' }, {});
    expect(result).toMatchObject({ ok: false, code: 'internal.error' });
    expect(session.state.cancelled).toBe(false);
  });

  it('a stop clears a cancel that came after the stop before', () => {
    const session = asked();
    for (const type of ['StopSession', 'CancelSession', 'StopSession'] as const) {
      session.command({ type, reason: '', by: 'k1' });
    }
    expect(session.state).toMatchObject({ stopped: true, cancelled: false });
    expect(typesOf(session.command({ type: 'StopSession', reason: '', by: 'k1' }))).toEqual([]);
  });

  it('a stop clears cancel and run, and keeps breaker, totals, rules and grants', () => {
    const session = new Session();
    session.call('ask');
    session.answer('ask_1', { scope: 'session' });
    session.command({ type: 'ChangeRules', added: [rule('r1', 'deny')], removed: [], by: 'k1' });
    for (const command of ['a', 'b', 'c']) session.call('deny', { command });
    session.command({ type: 'CancelSession', reason: '', by: 'k1' });
    session.command({ type: 'StopSession', reason: '', by: 'k1' });
    expect(session.state).toMatchObject({
      stopped: true,
      cancelled: false,
      lastCall: null,
      breakerOpen: true,
      denialsTotal: 3,
      rules: [{ id: 'r1' }],
      grants: [{ kind: 'session' }],
    });
    session.command({ type: 'ResetBreaker', by: 'p1' });
    expect(session.state).toMatchObject({ breakerOpen: false, denialsInRow: 0, denialsTotal: 0 });
  });
});

describe('results', () => {
  const report = (over: Partial<ReportResult> = {}): ReportResult => ({
    type: 'ReportResult',
    callId: 'call_x',
    tool: 'Bash',
    status: 'succeeded',
    elapsedMs: 12,
    preview: 'ok',
    outputHash: 'h1',
    error: null,
    ...over,
  });

  it('are recorded once; the same again is no event, a different one is refused and recorded', () => {
    const session = asked();
    expect(typesOf(session.command(report()))).toEqual(['ToolResultReported']);
    expect(session.command(report({ elapsedMs: 99 }))).toEqual({ ok: true, events: [] });
    expect(session.command(report({ outputHash: 'h2' }))).toMatchObject({
      ok: false,
      code: 'call.result_differs',
      record: [{ type: 'AgentReported', body: { kind: 'result_differs' } }],
    });
  });

  it('are told apart by the hash of the whole report where there is one', () => {
    const session = asked();
    const error = 'e'.repeat(90);
    session.command(report({ error, reportHash: 'r1' }));
    expect(session.command(report({ error, reportHash: 'r1' }))).toEqual({ ok: true, events: [] });
    expect(session.command(report({ error, reportHash: 'r2' }))).toMatchObject({ code: 'call.result_differs' });
  });

  it("answer a question that the agent's own prompt put", () => {
    const session = asked({ passAsk: true });
    const { callId } = session.state.openAsks[0]!;
    expect(typesOf(session.command(report({ callId })))).toEqual([
      'AskResolved',
      'ToolCallDecided',
      'ToolResultReported',
    ]);
    expect(lastDecision(session)).toMatchObject({ decision: 'allow', approvalStatus: 'approved' });
    const cancelled = asked({ passAsk: true });
    cancelled.command(report({ callId: cancelled.state.openAsks[0]!.callId, status: 'cancelled' }));
    expect(lastDecision(cancelled)).toMatchObject({ decision: 'deny', approvalStatus: 'cancelled' });
  });

  it('withdraw a question when the agent gave its call up, unless another call waits for it', () => {
    const session = asked();
    session.command(report({ callId: session.state.openAsks[0]!.callId, status: 'cancelled' }));
    expect(lastDecision(session)).toMatchObject({ decision: 'deny', approvalStatus: 'cancelled' });
    expect(session.state).toMatchObject({ openAsks: [], denialsTotal: 0 });
    const two = asked();
    two.command({ type: 'ParkAsk', askId: 'ask_1' });
    const given = two.call('ask').outcome.id;
    const other = two.call('ask').outcome.id;
    two.command(report({ callId: given, status: 'cancelled' }));
    expect(two.state.openAsks).toMatchObject([{ parked: false, waiting: [other] }]);
  });

  it('approve nothing that people were asked', () => {
    const session = asked();
    const { callId } = session.state.openAsks[0]!;
    expect(typesOf(session.command(report({ callId })))).toEqual(['AgentReported', 'ToolResultReported']);
    expect(session.state.openAsks).toHaveLength(1);
  });

  it('of a denied call stand in the record as blocked, and as run although it was denied', () => {
    const session = asked();
    const ran = session.command(report({ denied: true }));
    if (!ran.ok) throw new Error('refused');
    expect(ran.events).toMatchObject([
      { type: 'AgentReported', body: { kind: 'ran_although_denied' } },
      { type: 'ToolResultReported', body: { outcome: 'BLOCKED' } },
    ]);
    const gaveUp = session.command(report({ callId: 'call_y', denied: true, status: 'cancelled' }));
    expect(typesOf(gaveUp)).toEqual(['ToolResultReported']);
  });

  it.each([
    ['succeeded', 'SUCCEEDED'],
    ['failed', 'FAILED'],
    ['cancelled', 'FAILED'],
  ] as const)('of an allowed call that %s are %s', (status, outcome) => {
    const done = asked().command(report({ status }));
    expect(done).toMatchObject({ events: [{ type: 'ToolResultReported', body: { outcome } }] });
  });

  it('are kept bounded and well-formed', () => {
    const session = asked();
    session.command({ type: 'ReportEvent', kind: 'k'.repeat(500), detail: `\ud800${'x'.repeat(9_000)}` });
    const event = session.events.at(-1)!;
    if (event.type !== 'AgentReported') throw new Error('not recorded');
    expect(event.body.kind).toHaveLength(100);
    expect(event.body.detail).toHaveLength(4_000);
    expect(event.body.detail.startsWith('\uFFFD')).toBe(true);
  });
});

describe('a session', () => {
  const open = (over: object = {}) =>
    ({ type: 'OpenSession', sessionId: 's1', opening: opening(), keyId: 'k1', rootId: 's1', ...over }) as const;

  it('opens once, and again after a stop', () => {
    const session = new Session();
    expect(typesOf(session.command(open()))).toEqual(['SessionStarted']);
    expect(session.command(open())).toEqual({ ok: true, events: [] });
    session.command({ type: 'StopSession', reason: 'end', by: 'k1' });
    expect(typesOf(session.command(open()))).toEqual(['SessionReopened']);
  });

  it('is not taken over, and not opened otherwise', () => {
    const session = new Session();
    session.command(open());
    expect(session.command(open({ keyId: 'k2' }))).toMatchObject({ code: 'auth.not_own_session' });
    expect(session.command(open({ opening: opening({ tools: ['Read'] }) }))).toMatchObject({ code: 'session.exists' });
  });

  it('must be known', () => {
    expect(new Session().command({ type: 'SetMode', mode: 'plan', by: 'k1' })).toMatchObject({
      code: 'session.unknown',
    });
  });

  it('changes rules as session rules, within limits', () => {
    const session = asked();
    session.command({ type: 'ChangeRules', added: [rule('r1', 'deny', { source: 'managed' })], removed: [], by: 'k1' });
    expect(session.state.rules).toMatchObject([{ id: 'r1', source: 'session' }]);
    const many = Array.from({ length: 256 }, (_, n) => rule(`m${n}`, 'deny'));
    expect(session.command({ type: 'ChangeRules', added: many, removed: [], by: 'k1' })).toMatchObject({
      code: 'request.invalid',
    });
    session.command({ type: 'ChangeRules', added: [], removed: ['r1'], by: 'p1' });
    expect(session.state.rules).toEqual([]);
  });

  it('revokes grants that it has', () => {
    const session = asked();
    session.answer('ask_1', { scope: 'session' });
    expect(session.command({ type: 'RevokeGrant', grantId: 'nope', by: 'p1' })).toMatchObject({
      code: 'grant.unknown',
    });
    session.command({ type: 'RevokeGrant', grantId: 'grant_of_ask_1', by: 'p1' });
    expect(session.state.grants).toEqual([]);
  });
});

describe('what an agent may do', () => {
  const state = asked().state;
  const may = (added: Rule[], removed: string[] = [], rules: Rule[] = []) =>
    isTightening({ type: 'ChangeRules', added, removed, by: 'k1' }, { ...state, rules }, policy());

  it('adds denies and asks, and removes only allows', () => {
    expect(may([rule('a', 'deny'), rule('b', 'ask')])).toBe(true);
    expect(may([rule('a', 'allow')])).toBe(false);
    expect(may([rule('a', 'whatever' as never)])).toBe(false);
    expect(may([], ['x'], [rule('x', 'allow')])).toBe(true);
    expect(may([], ['x'], [rule('x', 'deny')])).toBe(false);
    // Replacing a deny by a narrower rule under its id would loosen.
    expect(may([rule('x', 'ask')], [], [rule('x', 'deny')])).toBe(false);
  });

  it('moves among the modes of the policy, and never answers or resets', () => {
    const check = (command: Parameters<typeof isTightening>[0]) => isTightening(command, state, policy());
    expect(check({ type: 'SetMode', mode: 'plan', by: 'k1' })).toBe(true);
    expect(check({ type: 'SetMode', mode: 'bypassPermissions', by: 'k1' })).toBe(false);
    expect(check({ type: 'ResetBreaker', by: 'k1' })).toBe(false);
    expect(
      check({ type: 'AnswerAsk', askId: 'a', answer: 'approve', scope: 'once', by: MIRA, reason: null, grantId: 'g' }),
    ).toBe(false);
    expect(check({ type: 'CancelSession', reason: '', by: 'k1' })).toBe(true);
  });
});

describe('facts of a subagent', () => {
  const root = openedState(call({ sessionId: 'root', opening: opening({ tools: ['Bash', 'Read'] }) }));
  const child = call({ sessionId: 'root/a', opening: opening({ parentId: 'root', tools: ['Bash', 'Write'] }) });

  it('inherit cancel, stop, breaker, denies, silence and limits on tools', () => {
    const state = openedState(child, [root]);
    expect(state).toMatchObject({ rootId: 'root', parentId: 'root', tools: ['Bash'] });
    const above = { ...root, rules: [rule('d', 'deny'), rule('a', 'allow')], cancelled: true, silent: true };
    expect(sessionFacts(state, [above])).toMatchObject({
      cancelled: true,
      heldBy: 'root',
      silent: true,
      subagent: true,
      tools: ['Bash'],
      rules: [{ id: 'd' }],
    });
    expect(sessionFacts(state, [{ ...root, stopped: true }])).toMatchObject({ stopped: true, heldBy: 'root' });
    expect(sessionFacts(state, [{ ...root, breakerOpen: true }])).toMatchObject({ breakerOpen: true });
    expect(sessionFacts({ ...state, stopped: true }, [root])).toMatchObject({ stopped: false, heldBy: null });
  });

  it("inherit the parent's mode", () => {
    expect(openedState(child, [{ ...root, mode: 'plan' }]).mode).toBe('plan');
  });

  it("count in the root's total", () => {
    const limits = { inARow: 3, total: 2, counts: ['policy' as const] };
    const denied = { sessionId: 'root/a', callId: 'c' };
    expect(typesOf({ events: childDenialEvents(root, denied, limits) })).toEqual(['ChildDenied']);
    expect(typesOf({ events: childDenialEvents({ ...root, denialsTotal: 1 }, denied, limits) })).toEqual([
      'ChildDenied',
      'BreakerOpened',
    ]);
    expect(childDenialEvents({ ...root, breakerOpen: true }, denied, limits)).toEqual([]);
  });

  it('an ask verdict keeps every rule that asked', () => {
    const session = new Session();
    const two = verdict('ask', {
      matches: [verdict('ask').matches[0]!, { ...verdict('ask').matches[0]!, ruleId: 'rule.other' }],
    });
    session.call('ask', { verdict: two });
    session.answer('ask_1', { scope: 'session' });
    expect(session.state.grants[0]!.liftsRuleIds).toEqual(['rule.ask', 'rule.other']);
  });
});
