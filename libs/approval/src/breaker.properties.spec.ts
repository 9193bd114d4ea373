/** Properties of the breaker: whatever happens to a session, a breaker only tightens, and only a person's reset opens the way. */
import { describe, expect, it } from '@jest/globals';
import type { PolicyInput, SessionEvent, Verdict } from '@countersign/contracts';
import fc from 'fast-check';
import { countedDenial } from './breaker.js';
import type { SessionCommand } from './command.js';
import { decideCall } from './decide-call.js';
import { replay } from './evolve.js';
import { basis, call, policy, prior, Session, verdict } from './fixtures/builders.js';
import type { SessionState } from './state.js';

const STRICTNESS = { allow: 0, pending: 1, deny: 2 } as const;
const effect = fc.constantFrom<Verdict['effect']>('allow', 'ask', 'deny');
const limits = fc.record({
  inARow: fc.integer({ min: 1, max: 5 }),
  total: fc.integer({ min: 1, max: 8 }),
  counts: fc.uniqueArray(fc.constantFrom('policy' as const, 'person' as const, 'expiry' as const)),
});

/** Something that may happen to a session. */
type Move = (session: Session) => unknown;

const by = 'k1';
const commands: SessionCommand[] = [
  { type: 'CancelSession', reason: 'x', by },
  { type: 'StopSession', reason: 'x', by },
  { type: 'SetMode', mode: 'bypassPermissions', by },
  { type: 'ChangeRules', added: [], removed: ['none'], by },
  { type: 'NarrowSession', silent: true, tools: null, by },
  { type: 'ReportPrompt', characters: 1, hash: 'h', by },
];
/** Does something with the oldest open ask, if there is one. */
const onAsk =
  (act: (session: Session, askId: string) => unknown): Move =>
  (session) => {
    const askId = session.state.openAsks[0]?.askId;
    return askId === undefined ? null : act(session, askId);
  };
const answered = fc
  .constantFrom('approve' as const, 'reject' as const, 'cancel' as const)
  .map((answer): Move => onAsk((session, askId) => session.answer(askId, { answer })));
const called = effect.map(
  (wanted): Move =>
    (session) =>
      session.call(wanted),
);
const expired: Move = onAsk((session, askId) => session.command({ type: 'ExpireAsk', askId }));
const commanded = fc.constantFrom(...commands).map(
  (command): Move =>
    (session) =>
      session.state.opening === null ? null : session.command(command),
);
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: called },
  { weight: 2, arbitrary: answered },
  fc.constant(expired),
  commanded,
);

function played(breaker: NonNullable<PolicyInput['breaker']>, moves: readonly Move[]): Session {
  const session = new Session(policy({ breaker }));
  for (const one of moves) one(session);
  return session;
}

function outcomeOn(state: SessionState, wanted: Verdict['effect'], session: Session) {
  const made = decideCall({
    state,
    call: call(),
    verdict: verdict(wanted),
    basis: basis(state),
    policy: session.policy_,
    newAskId: 'ask_new',
    prior: null,
  });
  return made.outcome.decision;
}

describe('a breaker', () => {
  it('never lets a call through that it would have refused with one denial less', () => {
    fc.assert(
      fc.property(limits, fc.array(move, { maxLength: 25 }), effect, (breaker, moves, wanted) => {
        const session = played(breaker, moves);
        if (session.state.opening === null) return;
        const before = outcomeOn(session.state, wanted, session);
        const after = outcomeOn(countedDenial(session.state), wanted, session);
        expect(STRICTNESS[after]).toBeGreaterThanOrEqual(STRICTNESS[before]);
        const open = outcomeOn({ ...session.state, breakerOpen: true }, wanted, session);
        expect(open).toBe('deny');
      }),
      { numRuns: 300 },
    );
  });

  it('stays open until a person resets it: nothing is allowed or asked, and stop, start, prompt and mode change nothing', () => {
    fc.assert(
      fc.property(limits, fc.array(move, { minLength: 5, maxLength: 40 }), (breaker, moves) => {
        const session = new Session(policy({ breaker }));
        let open = false;
        for (const one of moves) {
          const from = session.events.length;
          one(session);
          if (open) expect(session.events.slice(from).filter(letsThrough)).toEqual([]);
          open ||= session.state.breakerOpen;
          expect(session.state.breakerOpen).toBe(open);
          if (open) expect(session.state.openAsks).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is what its stream says, however the stream came about', () => {
    fc.assert(
      fc.property(limits, fc.array(move, { maxLength: 40 }), (breaker, moves) => {
        const session = played(breaker, moves);
        expect(replay(session.events)).toEqual(session.state);
      }),
      { numRuns: 200 },
    );
  });
});

function letsThrough(event: SessionEvent): boolean {
  if (event.type === 'AskOpened' || event.type === 'GrantCreated') return true;
  return event.type === 'ToolCallDecided' && event.body.decision.effect === 'allow';
}

describe('the end of a call', () => {
  it('B17 runs nothing but what a rule, a grant or an answering person allowed, for every way an ask may end', () => {
    const ends: [string, (session: Session) => unknown][] = [
      ['approved', (session) => session.answer('ask_1')],
      ['rejected', (session) => session.answer('ask_1', { answer: 'reject' })],
      ['withdrawn', (session) => session.answer('ask_1', { answer: 'cancel' })],
      ['expired', (session) => session.command({ type: 'ExpireAsk', askId: 'ask_1' })],
      ['cancelled', (session) => session.command({ type: 'CancelSession', reason: 'x', by })],
      ['stopped', (session) => session.command({ type: 'StopSession', reason: 'x', by })],
      ['ended', (session) => session.command({ type: 'EndAsks', reason: 'x', by: 'system' })],
      ['nobody', (session) => session.answer('ask_1', { by: { channel: 'system', personId: null, personName: null } })],
      ['unnamed', (session) => session.answer('ask_1', { by: { channel: 'web', personId: null, personName: null } })],
      ['agent', (session) => session.answer('ask_1', { by: { channel: 'agent', personId: null, personName: null } })],
    ];
    for (const [name, end] of ends) {
      const session = new Session();
      session.call('ask');
      end(session);
      const ran = session.events.some(letsThroughCall);
      expect([name, ran]).toEqual([name, name === 'approved']);
    }
  });

  it('B17 takes an effect that nobody knows for a refusal', () => {
    const session = new Session();
    const odd = session.call('allow', { verdict: verdict('permit' as Verdict['effect']) });
    expect(odd.outcome.decision).toBe('deny');
    expect(session.call('allow', { prior: prior({ callHash: 'other' }) }).outcome.decision).toBe('deny');
  });
});

function letsThroughCall(event: SessionEvent): boolean {
  return event.type === 'ToolCallDecided' && event.body.decision.effect === 'allow';
}
