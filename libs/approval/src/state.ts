/** The state of one session: what its stream of events amounts to. Plain JSON, and bounded. */
import type { Grant, Mode, Rule, SessionOpening } from '@countersign/contracts';
import {
  FRESH_RUN,
  NO_CALLS,
  type AskRate,
  type CallCounts,
  type ParallelGroup,
  type RefusedCall,
  type RunState,
} from './run-state.js';

/**
 * How much a state may hold. At `openAsks` and `waiters` a call that would ask is denied; at `grants` the oldest grant is
 * dropped (its call asks again); at `rules` a change is refused; at `reports` the oldest result is forgotten, at
 * `running` the oldest call that was taken up.
 */
export const STATE_LIMITS = { openAsks: 64, waiters: 64, grants: 256, rules: 256, reports: 64, running: 64 } as const;

/** An ask that waits for people. `waiting` are the calls that are held for it; `parked` when none is held any more. */
export interface OpenAsk {
  readonly askId: string;
  readonly callId: string;
  readonly agent: string;
  readonly tool: string;
  readonly argsHash: string;
  /** What `callHashOf` makes of the call: only the very same one joins the ask. */
  readonly callHash: string;
  /** The parts of the call that were asked about; empty: the whole call. */
  readonly subjects: readonly string[];
  readonly waiting: readonly string[];
  readonly parked: boolean;
  /** The agent's own prompt puts the question: a reported result approves it. */
  readonly passAsk: boolean;
}

/** The call that came last, and how many identical ones came in a row, itself included. */
export interface LastCall {
  readonly fingerprint: string;
  readonly run: number;
}

/** A result that was reported: `fingerprint` tells the same report again from a different one. */
export interface ReportedResult {
  readonly callId: string;
  readonly fingerprint: string;
  /** The calls that this failure stopped; absent: none. */
  readonly siblings?: readonly string[];
}

/** A call that an executor took up; its result is not known yet. */
export interface RunningCall {
  readonly callId: string;
  readonly permitId: string;
}

/** JSON-serialisable. `opening` is null until the session has started. */
export interface SessionState {
  readonly sessionId: string;
  readonly keyId: string;
  readonly rootId: string;
  readonly parentId: string | null;
  readonly opening: SessionOpening | null;
  readonly mode: Mode;
  /** The mode that a person set last: the agent itself chooses no looser one. Null: no person did. */
  readonly modeFloor: Mode | null;
  readonly cwd: string | null;
  readonly roots: readonly string[];
  readonly silent: boolean;
  readonly tools: readonly string[] | null;
  readonly rules: readonly Rule[];
  readonly grants: readonly Grant[];
  readonly cancelled: boolean;
  readonly stopped: boolean;
  /** Cancels and stops so far: what was allowed before one of them runs no more. */
  readonly ends: number;
  readonly breakerOpen: boolean;
  readonly denialsInRow: number;
  /** All counted denials of this session; for a root those of its subagents too. */
  readonly denialsTotal: number;
  readonly lastCall: LastCall | null;
  readonly openAsks: readonly OpenAsk[];
  readonly reports: readonly ReportedResult[];
  readonly running: readonly RunningCall[];
  /** ISO-8601 UTC, the database's clock; null before the start. */
  readonly startedAt: string | null;
  readonly run: RunState;
  readonly counts: CallCounts;
  readonly askRate: AskRate | null;
  /** Of a root: questions that the sessions below it put. */
  readonly askedBelow: number;
  readonly refused: readonly RefusedCall[];
  readonly groups: readonly ParallelGroup[];
}

/** The state before the first event: not started, silent, nothing allowed. */
export function initialState(): SessionState {
  return {
    sessionId: '',
    keyId: '',
    rootId: '',
    parentId: null,
    opening: null,
    mode: 'default',
    modeFloor: null,
    cwd: null,
    roots: [],
    silent: true,
    tools: null,
    rules: [],
    grants: [],
    cancelled: false,
    stopped: false,
    ends: 0,
    breakerOpen: false,
    denialsInRow: 0,
    denialsTotal: 0,
    lastCall: null,
    openAsks: [],
    reports: [],
    running: [],
    startedAt: null,
    run: FRESH_RUN,
    counts: NO_CALLS,
    askRate: null,
    askedBelow: 0,
    refused: [],
    groups: [],
  };
}

const FIELDS = Object.keys(initialState()).length;

/**
 * The same state, written out field by field. V8 11 gives every copy of a copy (`{ ...state, more }`, event by event) a hidden class of
 * its own: copying took ten times as long, and whoever read a state missed its caches. A state of a later release keeps what it has more.
 */
export function inOneForm(state: SessionState): SessionState {
  let fields = 0;
  for (const _field in state) fields += 1;
  if (fields !== FIELDS) return state;
  return {
    sessionId: state.sessionId,
    keyId: state.keyId,
    rootId: state.rootId,
    parentId: state.parentId,
    opening: state.opening,
    mode: state.mode,
    modeFloor: state.modeFloor,
    cwd: state.cwd,
    roots: state.roots,
    silent: state.silent,
    tools: state.tools,
    rules: state.rules,
    grants: state.grants,
    cancelled: state.cancelled,
    stopped: state.stopped,
    ends: state.ends,
    breakerOpen: state.breakerOpen,
    denialsInRow: state.denialsInRow,
    denialsTotal: state.denialsTotal,
    lastCall: state.lastCall,
    openAsks: state.openAsks,
    reports: state.reports,
    running: state.running,
    startedAt: state.startedAt,
    run: state.run,
    counts: state.counts,
    askRate: state.askRate,
    askedBelow: state.askedBelow,
    refused: state.refused,
    groups: state.groups,
  };
}

/** The open ask that this call opened or joined. */
export function waitingAsk(state: SessionState, callId: string): OpenAsk | undefined {
  return state.openAsks.find((ask) => ask.callId === callId || ask.waiting.includes(callId));
}
