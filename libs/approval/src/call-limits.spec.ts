/** What keeps a call from people whatever the engine says: denials of before, too many questions, a session's time. */
import { describe, expect, it } from '@jest/globals';
import type { PolicyInput, Verdict } from '@countersign/contracts';
import { basis, MIRA, NOW, opening, policy, Session, verdict } from './fixtures/builders.js';
import { effectiveMode, inheritedOpening, openedState, sessionStarted } from './facts.js';
import { evolve } from './evolve.js';
import { initialState, type SessionState } from './state.js';

const LATER = '2026-11-30T12:10:00.001Z';

/** The basis of a call that comes at `now`. */
const at = (state: SessionState, now: string) => {
  const made = basis(state);
  return { ...made, facts: { ...made.facts, now } };
};

function asksAbout(...subjects: string[]): Verdict {
  const [match] = verdict('ask').matches;
  if (match === undefined) throw new Error('a verdict has a match');
  return verdict('ask', { matches: subjects.map((subject) => ({ ...match, subject })) });
}

function withDenial(over: PolicyInput = {}): Session {
  const session = new Session(policy({ denialMemorySeconds: 600, ...over }));
  session.call('ask', { command: 'git push', verdict: asksAbout('git push') });
  session.answer('ask_1', { answer: 'reject', reason: 'not today' });
  return session;
}

describe('a call that a person denied', () => {
  it('B33 is answered from memory and counts, and at the limit the run ends', () => {
    const session = withDenial();
    const again = session.call('ask', { command: 'git push', verdict: asksAbout('git push') });
    expect(again.outcome).toMatchObject({ decision: 'deny', ruleId: 'ask.denied_before' });
    expect(again.outcome.reason).toContain('not today');
    expect(again.outcome.reason).toContain('do something else');
    expect(session.state.denialsInRow).toBe(2);
    const third = session.call('ask', { command: 'git push', verdict: asksAbout('git push') });
    expect(third.outcome.stop).toBe(true);
    expect(session.state.breakerOpen).toBe(true);
    expect(session.types().filter((type) => type === 'AskOpened')).toHaveLength(1);
  });

  it('B33 is the same call when its parts stand in another one again', () => {
    const session = withDenial();
    const wrapped = session.call('ask', { command: "sh -c 'git push' && ls", verdict: asksAbout('git push', 'ls') });
    expect(wrapped.outcome.ruleId).toBe('ask.denied_before');
    const other = session.call('ask', { command: 'git pull', verdict: asksAbout('git pull') });
    expect(other.outcome.decision).toBe('pending');
  });

  it('is asked about again when the memory is over, or when there is none', () => {
    const session = withDenial();
    const soon = { command: 'git push', verdict: asksAbout('git push') };
    const late = { ...soon, basis: at(session.state, LATER) };
    expect(session.call('ask', late).outcome.decision).toBe('pending');
    const forgetful = withDenial({ denialMemorySeconds: 0 });
    expect(forgetful.call('ask', soon).outcome.decision).toBe('pending');
  });

  it('stays denied when its time cannot be read no longer than that: it is asked again', () => {
    const session = withDenial();
    const odd = { command: 'git push', verdict: asksAbout('git push'), basis: at(session.state, 'noon') };
    expect(session.call('ask', odd).outcome.decision).toBe('pending');
  });

  it('is not one whose ask was withdrawn or ran out', () => {
    const session = new Session(policy({ denialMemorySeconds: 600 }));
    session.call('ask', { command: 'a' });
    session.answer('ask_1', { answer: 'cancel' });
    session.call('ask', { command: 'b' });
    session.command({ type: 'ExpireAsk', askId: 'ask_2' });
    expect(session.state.refused).toEqual([]);
  });
});

describe('questions', () => {
  it('B32 beyond the cap of a minute are denied without asking, and the next minute has its own', () => {
    const session = new Session(policy({ askCaps: { perSession: 100, perMinute: 3 } }));
    const outcomes = [1, 2, 3, 4].map((nth) => session.call('ask', { command: `make ${nth}` }).outcome);
    expect(outcomes.map(({ decision }) => decision)).toEqual(['pending', 'pending', 'pending', 'deny']);
    expect(outcomes[3]).toMatchObject({ ruleId: 'ask.too_many' });
    expect(session.state.denialsTotal).toBe(0);
    const later = { command: 'make 5', basis: at(session.state, '2026-11-30T12:01:00.000Z') };
    expect(session.call('ask', later).outcome.decision).toBe('pending');
  });

  it('B32 beyond the cap of the session are denied whatever the time', () => {
    const session = new Session(policy({ askCaps: { perSession: 1, perMinute: 10 } }));
    session.call('ask', { command: 'a' });
    const late = { command: 'b', basis: at(session.state, LATER) };
    expect(session.call('ask', late).outcome.ruleId).toBe('ask.too_many');
  });
});

describe('the time of a session', () => {
  const limited = () => {
    const session = new Session(policy({ sessionSeconds: 600 }));
    session.call('allow');
    return session;
  };

  it('ends it: nothing is allowed or asked any more, and nothing counts', () => {
    const session = limited();
    expect(session.state.startedAt).toBe(NOW);
    for (const effect of ['allow', 'ask'] as const) {
      const outcome = session.call(effect, { basis: at(session.state, LATER) }).outcome;
      expect(outcome).toMatchObject({ decision: 'deny', ruleId: 'guard.deadline', stop: true });
    }
    expect(session.state.denialsTotal).toBe(0);
    expect(session.call('allow', { basis: at(session.state, '2026-11-30T12:09:59.000Z') }).outcome.decision).toBe(
      'allow',
    );
  });

  it('is over when it cannot be read', () => {
    const session = limited();
    expect(session.call('allow', { basis: at(session.state, 'noon') }).outcome.ruleId).toBe('guard.deadline');
  });
});

describe('arguments that cannot be read', () => {
  it('are no matter of permission: their denial counts in no breaker', () => {
    const session = new Session();
    for (let nth = 0; nth < 5; nth += 1) {
      session.call('deny', { verdict: verdict('deny', { ruleId: 'request.invalid_arguments', layer: 'request' }) });
    }
    expect(session.state).toMatchObject({ denialsTotal: 0, breakerOpen: false });
  });
});

describe('what holds a session', () => {
  it('does not count its denials as calls of a run', () => {
    const session = new Session();
    session.call('allow', { command: 'ls' });
    session.command({ type: 'CancelSession', reason: 'x', by: 'k1' });
    session.call('deny', { command: 'ls', verdict: verdict('deny', { ruleId: 'guard.cancelled', layer: 'guard' }) });
    expect(session.state.lastCall?.run).toBe(1);
  });
});

describe('a child session', () => {
  const parent = (over: Partial<SessionState> = {}): SessionState => ({
    ...openedState({ sessionId: 'root', keyId: 'k1', opening: opening() }),
    ...over,
  });

  it('is silent where the policy lets no child ask, and asks where it may', () => {
    const child = opening({ parentId: 'root' });
    expect(inheritedOpening(child, parent(), { childAsks: false }).silent).toBe(true);
    expect(inheritedOpening(child, parent(), { childAsks: true }).silent).toBe(false);
    expect(inheritedOpening({ ...child, silent: true }, parent(), { childAsks: true }).silent).toBe(true);
    expect(inheritedOpening(child, parent({ silent: true }), { childAsks: true }).silent).toBe(true);
    expect(inheritedOpening(opening(), null, { childAsks: false }).silent).toBe(false);
  });

  it('is judged by no looser mode than its parent’s, whatever it was opened with or reports', () => {
    const states = (mode: SessionState['mode']) => [parent({ mode })];
    const child = (mode: SessionState['mode']) =>
      evolve(
        initialState(),
        sessionStarted({ sessionId: 'c', keyId: 'k1', opening: opening({ parentId: 'root', mode }) }, []),
      );
    const rules = policy({ agentModes: ['default', 'acceptEdits', 'plan', 'dontAsk'] });
    const modeOf = (own: SessionState['mode'], said: string | null, above: SessionState['mode']) =>
      effectiveMode(child(own), { mode: said }, rules, states(above));
    expect(modeOf('bypassPermissions', null, 'default')).toBe('default');
    expect(modeOf('default', 'acceptEdits', 'default')).toBe('default');
    expect(modeOf('default', 'acceptEdits', 'acceptEdits')).toBe('acceptEdits');
    expect(modeOf('default', 'plan', 'acceptEdits')).toBe('plan');
    expect(modeOf('dontAsk', null, 'plan')).toBe('plan');
    expect(modeOf('default', null, 'bypassPermissions')).toBe('default');
  });
});

describe('the answers of this room', () => {
  it('carry the time of a denial', () => {
    const session = withDenial();
    const resolved = session.events.find((event) => event.type === 'AskResolved');
    expect(resolved?.body).toMatchObject({ status: 'rejected', at: NOW, by: MIRA });
  });
});
