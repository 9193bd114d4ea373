/** Limits of a session that are set while it runs: silence, fewer tools, the next mode, the plan of a step's calls. */
import type { Mode, SessionEvent } from '@countersign/contracts';
import { accepted, refused, type CommandResult, type SessionCommand } from './command.js';
import { sessionEvent } from './events.js';
import { withinFloor } from './facts.js';
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

/** INVARIANT: an agent moves to no looser mode than a person set last, by whatever road. */
export function setMode(state: SessionState, { mode, by, byPerson }: CommandOf<'SetMode'>): CommandResult {
  if (byPerson !== true && withinFloor(mode, state) !== mode) {
    return refused('auth.loosens', `a person set this session to the mode \`${state.modeFloor ?? ''}\``);
  }
  return accepted(modeChanged(state, mode, { by, byPerson }));
}

/**
 * The mode after the session's own in the order that is given; from a mode that is not in it, the first. An agent passes over those
 * that are looser than a person set it, and stays where it is when no other is left.
 */
export function nextMode(state: SessionState, { order, by, byPerson }: CommandOf<'NextMode'>): CommandResult {
  const open = byPerson === true ? order : order.filter((mode) => withinFloor(mode, state) === mode);
  if (order.length === 0) return refused('mode.unknown');
  return accepted(modeChanged(state, modeAfter(open, state.mode) ?? state.mode, { by, byPerson }));
}

interface Author {
  readonly by: string;
  readonly byPerson: true | undefined;
}

/** A person who sets the mode that is set already makes it hold against the agent. */
function modeChanged(state: SessionState, mode: Mode, { by, byPerson }: Author): SessionEvent[] {
  const same = state.mode === mode && (byPerson !== true || state.modeFloor === mode);
  return same ? [] : [sessionEvent('SessionModeChanged', { mode, by, ...(byPerson === true ? { byPerson } : {}) })];
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
