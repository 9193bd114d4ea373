/** How a run goes: steps, tokens, background results, siblings, and what the loop is told. */
import { describe, expect, it } from '@jest/globals';
import { sessionEventSchema } from '@countersign/contracts';
import type { ProgressCommand, ReportResult } from './command.js';
import { siblingsOf } from './change-limits.js';
import { progressOf } from './facts.js';
import { call, policy, Session } from './fixtures/builders.js';
import { replay } from './evolve.js';
import { initialState } from './state.js';
import { mayCompact, nudgeOf, toldOf, type LoopLimits } from './told.js';

const notices = {
  ended: 'ended',
  lastStep: 'last step',
  nothingNew: 'nothing new',
  outOfTokens: 'out of tokens',
  makeRoom: 'make room',
  nudges: ['one', 'two', 'three'],
} as const;
const LIMITS: LoopLimits = {
  maxSteps: 8,
  softTokens: 32_000,
  maxTokens: 40_000,
  stepsWithoutNews: 2,
  compactionFailures: 3,
  notices,
};
const by = 'k1';

function started(over = {}): Session {
  const session = new Session(policy(over));
  session.call('allow');
  return session;
}

const step = (number: number, news: boolean | null = null, completed = false): ProgressCommand => ({
  type: 'ReportStep',
  step: number,
  newInformation: news,
  completed,
  limits: LIMITS,
  by,
});
const tokens = (used: number): ProgressCommand => ({ type: 'ReportUsage', tokens: used, limits: LIMITS, by });
const prompt: ProgressCommand = { type: 'ReportPrompt', characters: 3, hash: 'h', by };
const compaction = (ok: boolean): ProgressCommand => ({ type: 'ReportCompaction', phase: 'post', ok, by });
const result = (callId: string, over: Partial<ReportResult> = {}): ReportResult => ({
  type: 'ReportResult',
  callId,
  tool: 'Bash',
  status: 'succeeded',
  elapsedMs: 1,
  preview: 'done',
  outputHash: null,
  error: null,
  ...over,
});

/** What the last report was answered. */
function told(session: Session) {
  const last = session.events.at(-1);
  return last !== undefined && 'told' in last.body ? last.body.told : undefined;
}

describe('a loop', () => {
  it('goes on until its steps are used up, and then answers without tools', () => {
    const session = started();
    session.command(step(8));
    expect(told(session)).toBeNull();
    session.command(step(9));
    expect(told(session)).toEqual({ directive: 'finalize', text: 'last step' });
    expect(progressOf(session.state, call(), 2)).toMatchObject({ step: 9 });
  });

  it('ends when several steps in a row brought nothing new, and news begin the count anew', () => {
    const session = started();
    for (const news of [false, true, false, null]) session.command(step(1, news));
    expect(told(session)).toBeNull();
    session.command(step(2, false));
    expect(told(session)).toEqual({ directive: 'finalize', text: 'nothing new' });
    expect(progressOf(session.state, call(), 2).diminishingReturns).toBe(true);
    expect(progressOf(session.state, call(), null).diminishingReturns).toBe(false);
  });

  it('is nudged the stronger the nearer its tokens come to the end, then makes room, then ends', () => {
    const session = started();
    const directives = [31_000, 33_000, 36_000, 39_500, 41_000].map((used) => {
      session.command(tokens(used));
      return told(session);
    });
    expect(directives).toMatchObject([
      null,
      { directive: 'nudge', level: 1 },
      { directive: 'nudge', level: 2 },
      { directive: 'nudge', level: 3, text: 'three' },
      { directive: 'compact' },
    ]);
    for (let failed = 0; failed < 3; failed += 1) session.command(compaction(false));
    expect(mayCompact(session.state, LIMITS)).toBe(false);
    session.command(tokens(41_000));
    expect(told(session)).toMatchObject({ directive: 'finalize', text: 'out of tokens' });
    session.command(compaction(true));
    expect(mayCompact(session.state, LIMITS)).toBe(true);
  });

  it('takes a number that is none for past every limit', () => {
    const odd = { ...started().state, run: { ...initialState().run, step: Number.NaN } };
    expect(toldOf(odd, [], LIMITS)?.directive).toBe('finalize');
    const tokensOdd = { ...started().state, run: { ...initialState().run, tokens: Number.NaN } };
    expect(nudgeOf(tokensOdd, LIMITS)).toMatchObject({ level: 3 });
  });

  it('is told to break off while something holds its session or one above it', () => {
    const session = started();
    session.command({ type: 'CancelSession', reason: 'user', by });
    session.command(step(2));
    expect(told(session)).toEqual({ directive: 'break', text: 'ended' });
    expect(toldOf(started().state, [session.state], LIMITS)?.directive).toBe('break');
  });

  it('begins its steps and its run of identical calls anew with a stop and with a prompt, and keeps its tokens', () => {
    for (const end of [prompt, { type: 'StopSession', reason: 'end', by } as const]) {
      const session = started();
      session.command(step(7, false, true));
      session.command(tokens(9_000));
      session.command(end);
      expect(session.state.run).toMatchObject({ step: 0, completedSteps: 0, stepsWithoutNews: 0, tokens: 9_000 });
      expect(session.state.lastCall).toBeNull();
    }
  });

  it('goes on after a stop when the user writes again', () => {
    const session = started();
    session.command({ type: 'StopSession', reason: 'end', by });
    session.command(prompt);
    expect(session.state.stopped).toBe(false);
  });
});

describe('background results', () => {
  it('are handed over once, with the next step', () => {
    const session = started();
    session.command(result('call_bg', { background: true, tool: 'bg_task_run' }));
    session.command(step(2));
    session.command(step(3));
    const handed = session.events.flatMap((event) => (event.type === 'StepReported' ? [event.body.handedOver] : []));
    expect(handed).toEqual([[{ callId: 'call_bg', tool: 'bg_task_run', text: 'done' }], []]);
  });

  it('go along with the next call of an agent that reports no steps, and only once', () => {
    const session = started();
    session.command(result('call_bg', { background: true, status: 'failed', error: 'no space' }));
    expect(session.call('allow').outcome.additionalContext).toBe('Bash ended: failed: no space');
    expect(session.call('allow').outcome.additionalContext).toBeUndefined();
    expect(session.types()).toContain('ResultsHandedOver');
  });

  it('nudge beside an answer when tokens run low', () => {
    const session = started();
    session.command(tokens(33_000));
    expect(session.call('allow', { limits: LIMITS }).outcome.additionalContext).toBe('one');
    expect(session.call('deny', { limits: LIMITS }).outcome.additionalContext).toBe('one');
  });
});

describe('calls of one step', () => {
  const batches = [{ parallel: true, calls: ['a', 'b', 'c'], abortOn: ['a'] }];

  it('are stopped by the failure of one whose failure stops its siblings, those apart that ended', () => {
    const session = started();
    session.command({ type: 'PlanBatch', batches, by });
    session.command(result('b'));
    expect(siblingsOf(session.state, 'c')).toEqual([]);
    session.command(result('a', { status: 'failed', error: 'x' }));
    const stopped = session.events.flatMap((event) => (event.type === 'SiblingsStopped' ? [event.body] : []));
    expect(stopped).toEqual([{ callId: 'a', calls: ['c'] }]);
    expect(session.state.groups).toEqual([]);
  });

  it('are named again to whoever reports the same failure again', () => {
    const session = started();
    session.command({ type: 'PlanBatch', batches, by });
    const failed = result('a', { status: 'failed', error: 'x' });
    const first = session.command(failed);
    expect(first).toMatchObject({ ok: true, siblings: ['b', 'c'] });
    session.command(result('b'));
    expect(session.command(failed)).toEqual({ ok: true, events: [], siblings: ['b', 'c'] });
    expect(replay(session.events)).toEqual(session.state);
  });

  it('go on when another one fails, or when it succeeds', () => {
    const session = started();
    session.command({ type: 'PlanBatch', batches, by });
    session.command(result('c', { status: 'failed' }));
    session.command(result('a'));
    expect(session.types()).not.toContain('SiblingsStopped');
  });
});

describe('limits of a session', () => {
  it('are only ever narrowed', () => {
    const session = started();
    session.command({ type: 'NarrowSession', silent: true, tools: ['Bash', 'Read'], by });
    session.command({ type: 'NarrowSession', silent: false, tools: ['Read', 'Write'], by });
    expect(session.state).toMatchObject({ silent: true, tools: ['Read'] });
    expect(session.command({ type: 'NarrowSession', silent: false, tools: null, by })).toMatchObject({ events: [] });
  });

  it('cycle through the modes in the order that is given, from the start after the last', () => {
    const session = started();
    const order = ['default', 'plan'] as const;
    const modes = [1, 2, 3].map(() => {
      session.command({ type: 'NextMode', order, by });
      return session.state.mode;
    });
    expect(modes).toEqual(['plan', 'default', 'plan']);
    expect(session.command({ type: 'NextMode', order: [], by })).toMatchObject({ ok: false, code: 'mode.unknown' });
  });
});

describe('the state of a run', () => {
  it('is the same when its stream is replayed, and every event is of its shape', () => {
    const session = started();
    session.command(step(2, true, true));
    session.command(result('call_bg', { background: true }));
    session.command(tokens(12));
    session.command(prompt);
    session.command(compaction(false));
    session.command({ type: 'PlanBatch', batches: [{ parallel: true, calls: ['a', 'b'], abortOn: ['a'] }], by });
    expect(replay(session.events)).toEqual(session.state);
    for (const event of session.events) expect(sessionEventSchema.parse(event)).toEqual(event);
  });

  it('counts calls and results by their ends', () => {
    const session = started();
    session.call('deny');
    session.call('ask');
    session.command(result('x', { status: 'failed' }));
    session.command(result('y', { status: 'cancelled' }));
    expect(session.state.counts).toEqual({ allowed: 1, denied: 1, asked: 1, succeeded: 0, failed: 1, cancelled: 1 });
  });
});
