/** Limits of a session that are set while it runs: silence, fewer tools, the next mode, the plan of a step's calls. */
import type { Mode } from '@countersign/contracts';
import { accepted, refused, type CommandResult, type SessionCommand } from './command.js';
import { sessionEvent } from './events.js';
import { narrowerTools } from './narrower.js';
import type { SessionState } from './state.js';

type CommandOf<T extends SessionCommand['type']> = Extract<SessionCommand, { type: T }>;

/** INVARIANT: silence is only set and tools only taken away, whoever asks. */
export function narrowSession(state: SessionState, command: CommandOf<'NarrowSession'>): CommandResult {
  const silent = state.silent || command.silent;
  const narrowed = narrowerTools(state.tools, command.tools);
  const tools = narrowed === null ? null : [...narrowed];
  const same = silent === state.silent && tools?.length === state.tools?.length;
  return accepted(same ? [] : [sessionEvent('SessionLimitsChanged', { silent, tools, by: command.by })]);
}

/** The mode after the session's own in the order that is given; from a mode that is not in it, the first. */
export function nextMode(state: SessionState, { order, by }: CommandOf<'NextMode'>): CommandResult {
  const next = modeAfter(order, state.mode);
  if (next === undefined) return refused('mode.unknown');
  return accepted(next === state.mode ? [] : [sessionEvent('SessionModeChanged', { mode: next, by })]);
}

/** The mode behind `mode` in the order, the first after the last. */
export function modeAfter(order: readonly Mode[], mode: Mode): Mode | undefined {
  return order[(order.indexOf(mode) + 1) % order.length];
}

/** Records how a step's calls are to be run. */
export function planBatch({ batches, by }: CommandOf<'PlanBatch'>): CommandResult {
  return accepted(batches.length === 0 ? [] : [sessionEvent('BatchPlanned', { batches: [...batches], by })]);
}

/** The calls that the failure of this one stops: those beside it whose results are not known. */
export function siblingsOf(state: SessionState, callId: string): string[] {
  const group = state.groups.find(({ calls, abortOn }) => abortOn.includes(callId) && calls.includes(callId));
  const ended = new Set(state.reports.map((report) => report.callId));
  return (group?.calls ?? []).filter((one) => one !== callId && !ended.has(one));
}
