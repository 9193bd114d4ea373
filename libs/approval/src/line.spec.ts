/** What holds along a line of sessions: depth, time, ends, questions and denials of those above and below. */
import { describe, expect, it } from '@jest/globals';
import { MAX_SESSION_LINE, MODES, sessionEventSchema, type Mode, type SessionEvent } from '@countersign/contracts';
import { basis, call, NOW, opening, policy, Session, typesOf, verdict } from './fixtures/builders.js';
import { decideCommand } from './decide-command.js';
import { decideCall } from './decide-call.js';
import { effectiveMode, endsOf, openedState, sessionFacts } from './facts.js';
import { evolve, replay } from './evolve.js';
import { holderOf, isTooDeep, runBarredBy } from './held.js';
import { childAskEvents, childRefusalEvents } from './told-root.js';
import type { SessionState } from './state.js';

const session = (sessionId: string, over: Partial<SessionState> = {}): SessionState => ({
  ...openedState(call({ sessionId }), [], { at: NOW }),
  ...over,
});
const lineOf = (length: number): SessionState[] => Array.from({ length }, (_, depth) => session(`s${depth}`));
const within = (
  state: SessionState,
  ancestors: readonly SessionState[],
  over: Partial<Parameters<typeof decideCall>[0]> = {},
) =>
  decideCall({
    state,
    ancestors,
    call: call(),
    verdict: verdict('allow'),
    basis: basis(state),
    policy: policy(),
    newAskId: 'ask_1',
    prior: null,
    ...over,
  });
const added = (result: ReturnType<typeof within>): SessionEvent[] => (result.kind === 'decided' ? result.events : []);
const later = (seconds: number): string => new Date(Date.parse(NOW) + seconds * 1_000).toISOString();
const at = (state: SessionState, now: string) => ({ ...basis(state), facts: { ...basis(state).facts, now } });

describe('a line that is too long', () => {
  it('is held: one session more than there may be is denied whatever the verdict says, and no less', () => {
    const deepest = lineOf(MAX_SESSION_LINE - 1);
    const tooMany = lineOf(MAX_SESSION_LINE);
    expect([isTooDeep(deepest), isTooDeep(tooMany)]).toEqual([false, true]);
    expect(within(session('own'), deepest).outcome).toMatchObject({ decision: 'allow' });
    for (const effect of ['allow', 'ask'] as const) {
      const denied = within(session('own'), tooMany, { verdict: verdict(effect) });
      expect(denied.outcome).toMatchObject({ decision: 'deny', ruleId: 'session.too_deep' });
    }
    expect(holderOf(session('own'), deepest)).toBeNull();
    expect(holderOf(session('own'), tooMany)?.reason).toBe('too_deep');
  });

  it('is on record for a call that would open its session', () => {
    const denied = within(session('own'), lineOf(MAX_SESSION_LINE), { state: null });
    expect(added(denied).map(({ type }) => type)).toEqual(['SessionStarted', 'ToolCallDecided']);
  });
});

describe('the time of a session', () => {
  it('bounds those below it too: calls, permits and approvals', () => {
    const [root, child] = [session('root'), session('child', { startedAt: later(50) })];
    const limited = policy({ sessionSeconds: 60 });
    const late = at(child, later(61));
    expect(within(child, [root], { policy: limited, basis: late }).outcome.ruleId).toBe('guard.deadline');
    expect(within(child, [], { policy: limited, basis: late }).outcome.decision).toBe('allow');
    const terms = { sessionSeconds: 60, endsWhenAllowed: 0, now: later(61) };
    expect(runBarredBy(child, [root], terms)?.message).toBe('the time of session `root` is up');
    expect(runBarredBy(child, [], terms)).toBeNull();
    const asking = new Session(limited);
    asking.call('ask');
    const command = { type: 'AnswerAsk', askId: 'ask_1', answer: 'approve', scope: 'once', reason: null } as const;
    const by = { channel: 'web', personId: 'p1', personName: 'Ann' } as const;
    const context = {
      now: later(30),
      asks: asking.stored(['ask_1']),
      ancestors: [session('root', { startedAt: later(-31) })],
    };
    const answer = decideCommand(asking.state, { ...command, by, grantId: 'g' }, context);
    expect(answer).toMatchObject({ ok: false, code: 'session.over' });
  });
});

describe('a cancel or a stop', () => {
  const ended = (): Session => {
    const one = new Session();
    one.call('allow');
    one.command({ type: 'CancelSession', reason: '', by: 'Ann' });
    one.command({ type: 'StopSession', reason: '', by: 'k1' });
    return one;
  };

  it('bars what was allowed before it, also when the session goes on, and nothing that is allowed afterwards', () => {
    const one = ended();
    one.command({ type: 'ReportPrompt', characters: 1, hash: 'h', by: 'k1' });
    expect(one.state).toMatchObject({ cancelled: false, stopped: false, ends: 2 });
    expect(runBarredBy(one.state, [], { endsWhenAllowed: 0, now: NOW })?.reason).toBe('ended_since');
    expect(runBarredBy(one.state, [], { endsWhenAllowed: 1, now: NOW })?.reason).toBe('ended_since');
    const { ends = 0 } = sessionFacts(one.state, []);
    expect([ends, runBarredBy(one.state, [], { endsWhenAllowed: ends, now: NOW })]).toEqual([2, null]);
    expect(runBarredBy(session('child'), [one.state], { endsWhenAllowed: 0, now: NOW })?.reason).toBe('ended_since');
    expect(runBarredBy(one.state, [], { endsWhenAllowed: Number.NaN, now: NOW })?.reason).toBe('ended_since');
    expect([endsOf([one.state, session('child')]), replay(one.events)]).toEqual([2, one.state]);
  });

  it('that comes while a call’s hooks run denies the call, which opens nothing again', () => {
    const { state } = ended();
    const sent = new Map([[state.sessionId, 0]]);
    const denied = within(state, [], { endsWhenSent: sent });
    expect(denied.outcome).toMatchObject({ decision: 'deny', ruleId: 'guard.stopped', stop: true });
    expect(added(denied).map(({ type }) => type)).toEqual(['ToolCallDecided']);
    expect(within(state, [], { endsWhenSent: new Map([[state.sessionId, 2]]) }).outcome.decision).toBe('allow');
    const parent = session('parent', { ends: 1 });
    expect(within(session('child'), [parent], { endsWhenSent: new Map([['parent', 0]]) }).outcome.decision).toBe(
      'deny',
    );
  });
});

describe('questions of children', () => {
  const asked = (root: SessionState, sessionId: string) =>
    within(session(sessionId), [root], {
      verdict: verdict('ask'),
      policy: policy({ askCaps: { perSession: 3, perMinute: 2 } }),
    });

  it('count in the caps of their root', () => {
    let root = session('root');
    const outcomes = ['a', 'b', 'c'].map((child) => {
      const result = asked(root, child);
      const told = childAskEvents(child, added(result));
      for (const event of told) expect(sessionEventSchema.parse(event)).toEqual(event);
      root = told.reduce(evolve, root);
      return result.outcome.ruleId;
    });
    expect(outcomes).toEqual(['rule.ask', 'rule.ask', 'ask.too_many']);
    expect(root).toMatchObject({ askedBelow: 2, counts: { asked: 0 }, askRate: { count: 2 } });
  });

  it('are not put when a person denied the same above or, as the root was told, beside them', () => {
    const asking = new Session(policy({ denialMemorySeconds: 600 }));
    asking.call('ask');
    asking.answer('ask_1', { answer: 'reject', reason: 'never' });
    const told = childRefusalEvents('child', asking.events, (askId) => asking.asks[askId]);
    for (const event of told) expect(sessionEventSchema.parse(event)).toEqual(event);
    expect(typesOf({ events: told })).toEqual(['ChildRefused']);
    const terms = { verdict: verdict('ask'), policy: asking.policy_ };
    for (const root of [asking.state, told.reduce(evolve, session('root'))]) {
      expect(within(session('other'), [root], terms).outcome.ruleId).toBe('ask.denied_before');
    }
    expect(within(session('other'), [session('root')], terms).outcome.decision).toBe('pending');
  });
});

describe('a mode that a hook reports', () => {
  const judged = (own: Mode, reported: string, agentModes: Mode[]): Mode =>
    effectiveMode(session('s', { mode: own }), call({ mode: reported }), policy({ agentModes }));

  it('and that the agent may not choose loosens nothing, and is not kept', () => {
    for (const reported of ['default', 'weird', 'bypassPermissions', 'acceptEdits']) {
      expect(judged('plan', reported, ['plan'])).toBe('plan');
      expect(judged('dontAsk', reported, ['dontAsk'])).toBe('dontAsk');
    }
    expect(judged('acceptEdits', 'bypassPermissions', ['acceptEdits'])).toBe('default');
    const bound = opening({ mode: 'acceptEdits' });
    const one = new Session(policy({ agentModes: ['acceptEdits'] }));
    for (const mode of ['default', 'weird', ...MODES]) one.call('allow', { call: call({ opening: bound, mode }) });
    expect(one.state.mode).toBe('acceptEdits');
    expect(one.types()).not.toContain('SessionModeChanged');
  });

  it('and that the agent may choose is the session’s from then on', () => {
    expect(judged('plan', 'acceptEdits', ['plan', 'acceptEdits'])).toBe('acceptEdits');
  });
});

it('an approval of what is denied by now is refused, and the ask can still be rejected', () => {
  const asking = new Session();
  asking.call('ask');
  const refused = asking.answer('ask_1', { deniedNow: 'a rule denies it' });
  const message = 'denied by now, and the ask stays open: a rule denies it';
  expect(refused).toEqual({ ok: false, code: 'ask.denied_now', message });
  expect(asking.answer('ask_1', { answer: 'reject', deniedNow: 'a rule denies it' }).ok).toBe(true);
});
