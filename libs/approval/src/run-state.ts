/** The part of a session's state that tells how its run has gone so far: steps, tokens, background work, questions, denials. */
import type { BackgroundResult, SessionEvent } from '@countersign/contracts';
import type { BodyOf } from './events.js';
import type { OpenAsk, SessionState } from './state.js';
import { unreachable } from './unreachable.js';

/** At each limit the oldest entry is forgotten. */
export const RUN_LIMITS = { background: 32, refused: 64, groups: 16 } as const;

/** What the agent's loop reported; a stop, and the next prompt, begin it anew but for tokens, failures and results that wait. */
export interface RunState {
  readonly step: number;
  readonly completedSteps: number;
  /** Steps in a row that brought nothing new. */
  readonly stepsWithoutNews: number;
  readonly tokens: number;
  /** Compactions in a row that failed. */
  readonly compactionFailures: number;
  /** Background results that the agent was not told yet, oldest first. */
  readonly background: readonly BackgroundResult[];
}

/** How many calls came to which end so far. */
export interface CallCounts {
  readonly allowed: number;
  readonly denied: number;
  readonly asked: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** Questions of the minute that the last one was put in; `minute`: the first 16 characters of its time. */
export interface AskRate {
  readonly minute: string;
  readonly count: number;
}

/** A call that a person denied. `subjects`: the parts that were asked about; empty: the whole call. `at`: ISO-8601 UTC. */
export interface RefusedCall {
  readonly tool: string;
  readonly argsHash: string;
  readonly subjects: readonly string[];
  readonly at: string;
  readonly reason: string;
}

/** Calls of one step that run together, by our ids; the failure of one in `abortOn` stops the others. */
export interface ParallelGroup {
  readonly calls: readonly string[];
  readonly abortOn: readonly string[];
}

/** The run of a session that has reported nothing. */
export const FRESH_RUN: RunState = {
  step: 0,
  completedSteps: 0,
  stepsWithoutNews: 0,
  tokens: 0,
  compactionFailures: 0,
  background: [],
};

/** The counts of a session without calls. */
export const NO_CALLS: CallCounts = { allowed: 0, denied: 0, asked: 0, succeeded: 0, failed: 0, cancelled: 0 };

/** The run as the session's next turn begins it. */
export function nextTurn({ run, ...state }: SessionState): SessionState {
  return { ...state, lastCall: null, run: { ...run, step: 0, completedSteps: 0, stepsWithoutNews: 0 } };
}

type RunEvent = Extract<
  SessionEvent,
  {
    type:
      | 'StepReported'
      | 'UsageReported'
      | 'PromptSubmitted'
      | 'CompactionReported'
      | 'ResultsHandedOver'
      | 'BatchPlanned'
      | 'SiblingsStopped';
  }
>;

/** What the events of a run do. */
export function evolveRun(state: SessionState, event: RunEvent): SessionState {
  const { run } = state;
  switch (event.type) {
    case 'StepReported':
      return { ...state, run: stepped(run, event.body) };
    case 'UsageReported':
      return { ...state, run: { ...run, tokens: event.body.tokens } };
    case 'PromptSubmitted':
      return nextTurn({ ...state, stopped: false, run: without(run, idsOf(event.body.handedOver)) });
    case 'CompactionReported':
      return { ...state, run: compacted(run, event.body) };
    case 'ResultsHandedOver':
      return { ...state, run: without(run, event.body.callIds) };
    case 'BatchPlanned':
      return { ...state, groups: [...state.groups, ...groupsOf(event.body)].slice(-RUN_LIMITS.groups) };
    case 'SiblingsStopped':
      return siblingsStopped(state, event.body);
    default:
      return unreachable(event, state);
  }
}

/** The group is over; its report keeps whom it stopped, for whoever reports again. */
function siblingsStopped(state: SessionState, { callId, calls }: BodyOf<'SiblingsStopped'>): SessionState {
  const groups = state.groups.filter((group) => !group.calls.includes(callId));
  const reports = state.reports.map((report) => (report.callId === callId ? { ...report, siblings: calls } : report));
  return { ...state, groups, reports };
}

function stepped(run: RunState, { step, newInformation, completed, handedOver }: BodyOf<'StepReported'>): RunState {
  const stale = newInformation === false ? run.stepsWithoutNews + 1 : run.stepsWithoutNews;
  return {
    ...without(run, idsOf(handedOver)),
    step,
    completedSteps: completed ? run.completedSteps + 1 : run.completedSteps,
    stepsWithoutNews: newInformation === true ? 0 : stale,
  };
}

function compacted(run: RunState, { phase, ok }: BodyOf<'CompactionReported'>): RunState {
  if (phase === 'pre') return run;
  return { ...run, compactionFailures: ok === true ? 0 : run.compactionFailures + 1 };
}

function idsOf(results: readonly BackgroundResult[]): string[] {
  return results.map(({ callId }) => callId);
}

function without(run: RunState, callIds: readonly string[]): RunState {
  if (callIds.length === 0) return run;
  return { ...run, background: run.background.filter(({ callId }) => !callIds.includes(callId)) };
}

/** Only groups in which somebody's failure stops others have to be remembered. */
function groupsOf({ batches }: BodyOf<'BatchPlanned'>): ParallelGroup[] {
  return batches.flatMap(({ parallel, calls, abortOn }) =>
    parallel && calls.length > 1 && abortOn.length > 0 ? [{ calls, abortOn }] : [],
  );
}

/** A result came in: it is counted, and one of a background task waits to be handed over. */
export function resultCame(state: SessionState, body: BodyOf<'ToolResultReported'>): SessionState {
  const { callId, tool, status, preview, error, background } = body;
  const counts = { ...state.counts, [status]: state.counts[status] + 1 };
  if (background !== true) return { ...state, counts };
  const text = error === null || error === '' ? preview : `${status}: ${error}`;
  const waiting = [...state.run.background, { callId, tool, text }].slice(-RUN_LIMITS.background);
  return { ...state, counts, run: { ...state.run, background: waiting } };
}

/** A question was put: it counts in all and in its minute. `now`: ISO-8601 UTC. */
export function questionPut(state: SessionState, now: string): SessionState {
  return { ...inMinute(state, now), counts: { ...state.counts, asked: state.counts.asked + 1 } };
}

/** A session below this root put a question. */
export function childAsked(state: SessionState, { at }: BodyOf<'ChildAsked'>): SessionState {
  return { ...inMinute(state, at), askedBelow: state.askedBelow + 1 };
}

function inMinute(state: SessionState, at: string): SessionState {
  const minute = at.slice(0, 16);
  const count = state.askRate?.minute === minute ? state.askRate.count + 1 : 1;
  return { ...state, askRate: { minute, count } };
}

/** A person denied what this ask was about: it is remembered for a while. */
export function rememberDenial(state: SessionState, ask: OpenAsk, body: BodyOf<'AskResolved'>): SessionState {
  if (body.status !== 'rejected' || body.at === undefined) return state;
  const { tool, argsHash, subjects } = ask;
  return withRefused(state, { tool, argsHash, subjects, at: body.at, reason: body.reason });
}

/** A person denied a call of a session below this root. */
export function childRefused(state: SessionState, body: BodyOf<'ChildRefused'>): SessionState {
  const { tool, argsHash, subjects, at, reason } = body;
  return withRefused(state, { tool, argsHash, subjects, at, reason });
}

function withRefused(state: SessionState, refused: RefusedCall): SessionState {
  const others = state.refused.filter((one) => one.tool !== refused.tool || one.argsHash !== refused.argsHash);
  return { ...state, refused: [...others, refused].slice(-RUN_LIMITS.refused) };
}
