/** Properties of any life of a session: whatever happens in whatever order, these hold. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sessionEventSchema, type SessionEvent } from '@countersign/contracts';
import type { SessionCommand } from './command.js';
import { evolve, replay } from './evolve.js';
import { call, MIRA, opening, policy, prior, Session, verdict } from './fixtures/builders.js';
import { initialState, STATE_LIMITS } from './state.js';

type Step = (session: Session) => void;

const effects = fc.constantFrom('allow', 'ask', 'deny') as fc.Arbitrary<'allow' | 'ask' | 'deny'>;
const askIds = fc.integer({ min: 1, max: 12 }).map((n) => `ask_${n}`);
const commandTexts = fc.constantFrom('ls', 'rm', 'git push', 'npm i');
const someone = fc.constantFrom(
  MIRA,
  { channel: 'system' as const, personId: null, personName: null },
  { channel: 'agent' as const, personId: null, personName: null },
);

const calls: fc.Arbitrary<Step> = fc
  .record({
    effect: effects,
    command: commandTexts,
    keyId: fc.constantFrom('k1', 'k1', 'k1', 'k2'),
    mode: fc.constantFrom(null, 'plan', 'bypassPermissions', 'nonsense'),
    withPrior: fc.constantFrom(false, false, false, true),
    usesGrant: fc.boolean(),
  })
  .map(({ effect, command, keyId, mode, withPrior, usesGrant }) => (session) => {
    const grant = session.state.grants[0];
    const lifted =
      usesGrant && grant !== undefined
        ? [{ ...verdict('allow').matches[0]!, ruleId: `grant:${grant.id}`, source: 'grant' as const }]
        : [];
    session.call(effect, {
      call: call({ command, keyId, mode }),
      verdict: { ...verdict(effect), matches: [...verdict(effect).matches, ...lifted] },
      prior: withPrior ? prior({ callHash: 'another call' }) : null,
    });
  });

const answers: fc.Arbitrary<SessionCommand> = fc.record({
  type: fc.constant('AnswerAsk' as const),
  askId: askIds,
  answer: fc.constantFrom('approve', 'reject', 'cancel'),
  scope: fc.constantFrom('once', 'session', 'always'),
  by: someone,
  reason: fc.constantFrom(null, 'no'),
  grantId: fc.integer({ min: 1, max: 999 }).map((n) => `g${n}`),
}) as fc.Arbitrary<SessionCommand>;

const ends = fc.constantFrom<SessionCommand>(
  { type: 'CancelSession', reason: 'x', by: 'k1' },
  { type: 'StopSession', reason: 'x', by: 'k1' },
  { type: 'EndAsks', reason: 'x', by: 'system' },
  { type: 'OpenSession', sessionId: 's1', opening: opening(), keyId: 'k1', rootId: 's1' },
  { type: 'SetMode', mode: 'dontAsk', by: 'k1' },
);

const commands: fc.Arbitrary<Step> = fc
  .oneof(
    { weight: 5, arbitrary: answers },
    { weight: 1, arbitrary: ends },
    { weight: 2, arbitrary: askIds.map((askId): SessionCommand => ({ type: 'ExpireAsk', askId })) },
    { weight: 2, arbitrary: askIds.map((askId): SessionCommand => ({ type: 'ParkAsk', askId })) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 1, max: 20 }).map((n): SessionCommand => ({
        type: 'ReportResult',
        callId: `call_${n}`,
        tool: 'Bash',
        status: 'succeeded',
        elapsedMs: null,
        preview: '',
        outputHash: null,
        error: null,
      })),
    },
  )
  .map((command) => (session) => void session.command(command));

const lives = fc.array(fc.oneof({ weight: 3, arbitrary: calls }, { weight: 2, arbitrary: commands }), {
  minLength: 1,
  maxLength: 60,
});

const policies = fc.constantFrom(
  policy(),
  policy({ passAsk: true }),
  policy({ breaker: { inARow: 2, total: 4, counts: ['policy', 'person', 'expiry'] } }),
  policy({ breaker: { inARow: 50, total: 99, counts: [] } }),
);

const liveOf = (steps: Step[], document: ReturnType<typeof policy>): Session => {
  const session = new Session(document);
  for (const step of steps) step(session);
  return session;
};

const holds = (property: (session: Session) => boolean): void =>
  fc.assert(
    fc.property(lives, policies, (steps, document) => property(liveOf(steps, document))),
    { numRuns: 300 },
  );

/** Does this allow rest on an answer, a grant or the engine's own allow? */
const isFounded = (event: SessionEvent, before: readonly SessionEvent[]): boolean => {
  if (event.type !== 'ToolCallDecided' || event.body.decision.effect !== 'allow') return true;
  const { askId, answeredBy } = event.body.decision;
  if (askId === null) return event.body.verdict.effect === 'allow';
  const resolved = before.some(
    (one) => one.type === 'AskResolved' && one.body.askId === askId && one.body.status === 'approved',
  );
  return resolved && answeredBy !== null && answeredBy.channel !== 'system';
};

describe('in any life of a session', () => {
  it('replaying the stream gives the state again', () => {
    holds((session) => {
      expect(replay(session.events)).toEqual(session.state);
      expect(JSON.parse(JSON.stringify(session.state))).toEqual(session.state);
      return true;
    });
  });

  it('every event is one of the vocabulary', () => {
    holds((session) => session.events.every((event) => sessionEventSchema.safeParse(event).success));
  });

  it('an allow rests on an approving answer, a grant or an allow verdict', () => {
    holds((session) => session.events.every((event, at) => isFounded(event, session.events.slice(0, at))));
  });

  it('an ask is resolved once at most, and never after it ended', () => {
    holds((session) => {
      const resolved = session.events.flatMap((event) => (event.type === 'AskResolved' ? [event.body.askId] : []));
      return new Set(resolved).size === resolved.length;
    });
  });

  it('no allow and no question passes an open breaker or a cancel', () => {
    holds((session) => {
      let state = initialState();
      return session.events.every((event) => {
        const held = state.breakerOpen || state.cancelled;
        state = evolve(state, event);
        const passes =
          event.type === 'AskOpened' || (event.type === 'ToolCallDecided' && event.body.decision.effect === 'allow');
        return !(held && passes);
      });
    });
  });

  it('only a reset closes the breaker, and totals only grow without one', () => {
    holds((session) => {
      let state = initialState();
      return session.events.every((event) => {
        const next = evolve(state, event);
        const tightens =
          event.type === 'BreakerReset' ||
          ((!state.breakerOpen || next.breakerOpen) && next.denialsTotal >= state.denialsTotal);
        state = next;
        return tightens;
      });
    });
  });

  it('a one-time grant is used once at most', () => {
    holds((session) => {
      const used = session.events.flatMap((event) => (event.type === 'GrantConsumed' ? [event.body.grantId] : []));
      const once = session.events.flatMap((event) =>
        event.type === 'GrantCreated' && event.body.grant.kind === 'once' ? [event.body.grant.id] : [],
      );
      return used.every(
        (id) => once.includes(id) && used.filter((one) => one === id).length <= once.filter((one) => one === id).length,
      );
    });
  });

  it('a foreign key changes nothing but the record', () => {
    holds((session) => {
      const before = session.state;
      if (before.opening === null) return true;
      session.call('allow', { call: call({ keyId: 'stranger', mode: 'plan', cwd: '/srv/shop/x' }) });
      return session.state.mode === before.mode && session.state.denialsTotal === before.denialsTotal;
    });
  });

  it('the state stays bounded', () => {
    const session = new Session(policy({ breaker: { inARow: 9_999, total: 9_999, counts: [] } }));
    for (let n = 0; n < 500; n += 1) {
      session.call('ask', { command: `c${n}` });
      if (n % 2 === 0) session.answer(`ask_${n + 1}`, { scope: 'session', grantId: `g${n}` });
      session.command({
        type: 'ReportResult',
        callId: `x${n}`,
        tool: 'Bash',
        status: 'failed',
        elapsedMs: 1,
        preview: 'p'.repeat(5_000),
        outputHash: null,
        error: 'e'.repeat(5_000),
      });
    }
    expect(session.state.openAsks.length).toBeLessThanOrEqual(STATE_LIMITS.openAsks);
    expect(session.state.grants.length).toBeLessThanOrEqual(STATE_LIMITS.grants);
    expect(session.state.reports.length).toBeLessThanOrEqual(STATE_LIMITS.reports);
    expect(JSON.stringify(session.state).length).toBeLessThan(200_000);
  });
});
