/** What the engine is told of a session, its ancestors folded in. */
import type {
  Mode,
  PolicyDocument,
  Progress,
  Rule,
  SessionEvent,
  SessionFacts,
  SessionOpening,
  ToolCall,
} from '@countersign/contracts';
import { MODES } from '@countersign/contracts';
import { sessionEvent } from './events.js';
import { callFingerprint, evolve } from './evolve.js';
import { narrowerTools } from './narrower.js';
import { withinRoots } from './scope.js';
import { initialState, type SessionState } from './state.js';
import { isGoingInCircles } from './told.js';

/**
 * The facts of a session. `ancestors` root first: their cancel, stop and open breaker hold here too, their deny and ask
 * rules and their limits on tools apply, and a silent ancestor makes its children silent. Grants are the session's own.
 * The session's own stop is not told: a new call opens the session again.
 */
export function sessionFacts(state: SessionState, ancestors: readonly SessionState[]): SessionFacts {
  const line = [...ancestors, state];
  const ends = endsOf(line);
  return {
    sessionId: state.sessionId,
    cancelled: line.some((one) => one.cancelled),
    stopped: ancestors.some((one) => one.stopped),
    breakerOpen: line.some((one) => one.breakerOpen),
    heldBy: holder(state, ancestors),
    mode: state.mode,
    silent: line.some((one) => one.silent),
    subagent: state.parentId !== null,
    tools: line.map((one) => one.tools).reduce(narrowerTools, null) as string[] | null,
    rules: [...ancestors.flatMap(inheritedRules), ...state.rules],
    grants: [...state.grants],
    roots: [...state.roots],
    cwd: state.cwd,
    home: state.opening?.home ?? null,
    ...(ends === 0 ? {} : { ends }),
  };
}

/** How often the sessions of a line were cancelled or stopped so far. */
export function endsOf(line: readonly Pick<SessionState, 'ends'>[]): number {
  return line.reduce((sum, one) => sum + one.ends, 0);
}

/** The session that holds this one, seen from the root; null when none does. */
function holder(state: SessionState, ancestors: readonly SessionState[]): string | null {
  const above = ancestors.find((one) => one.cancelled || one.stopped || one.breakerOpen);
  if (above) return above.sessionId;
  return state.cancelled || state.breakerOpen ? state.sessionId : null;
}

/** How far the run has come with this call; `stepsWithoutNews`: the policy's limit on steps in a row that bring nothing new. */
export function progressOf(
  state: SessionState,
  call: Pick<ToolCall, 'tool' | 'args'>,
  stepsWithoutNews: number | null,
): Progress {
  const { run, lastCall } = state;
  const again = lastCall?.fingerprint === callFingerprint(call.tool, call.args.hash);
  return {
    step: run.step,
    repeat: again ? lastCall.run + 1 : 1,
    tokens: run.tokens,
    diminishingReturns: isGoingInCircles(state, stepsWithoutNews),
  };
}

function inheritedRules(state: SessionState): Rule[] {
  return state.rules.filter((rule) => rule.effect !== 'allow');
}

/**
 * The mode that a call is judged by: the one that the agent's hook reported when it is the session's own or the policy lets
 * agents choose it; any other reported mode is judged as `default`, or as the session's own where that is stricter; nothing
 * reported: the session's. INVARIANT: below a parent
 * no mode is looser than the parent's (`ancestors` root first), and none is looser than a person set it.
 */
export function effectiveMode(
  state: SessionState,
  call: Pick<ToolCall, 'mode'>,
  policy: Pick<PolicyDocument, 'agentModes'>,
  ancestors: readonly SessionState[] = [],
): Mode {
  const own = withinFloor(wishedMode(state, call, policy), state);
  return ancestors.map((one) => one.mode).reduceRight(noLooserThan, own);
}

/** The mode that comes of an agent's wish: what a person set is not loosened by the agent. */
export function withinFloor(mode: Mode, { modeFloor }: Pick<SessionState, 'modeFloor'>): Mode {
  return modeFloor === null ? mode : noLooserThan(mode, modeFloor);
}

/** How much a mode lets through; equal strict ones are not comparable, and there the parent's counts. */
const LOOSENESS: Readonly<Record<Mode, number>> = {
  plan: 0,
  dontAsk: 0,
  custom: 0,
  default: 1,
  acceptEdits: 2,
  auto: 3,
  bypassPermissions: 4,
};

function noLooserThan(mode: Mode, parents: Mode): Mode {
  if (LOOSENESS[mode] > LOOSENESS[parents]) return parents;
  return LOOSENESS[parents] === 0 ? parents : mode;
}

function wishedMode(
  state: SessionState,
  call: Pick<ToolCall, 'mode'>,
  policy: Pick<PolicyDocument, 'agentModes'>,
): Mode {
  // People set `custom`, and its rules alone decide: no report leaves it.
  if (call.mode === null || call.mode === state.mode || state.mode === 'custom') return state.mode;
  const reported = MODES.find((mode) => mode === call.mode);
  return reported !== undefined && policy.agentModes.includes(reported)
    ? reported
    : noLooserThan('default', state.mode);
}

/** What a session is opened under. `childAsks` false: a session below another is silent. `at`: ISO-8601 UTC. */
export interface StartTerms {
  readonly childAsks?: boolean;
  readonly at?: string;
}

/** How a session is opened below a parent: it inherits the parent's mode, silence and limits on tools, and never widens its roots. */
export function inheritedOpening(
  opening: SessionOpening,
  parent: SessionState | null,
  { childAsks = true }: Pick<StartTerms, 'childAsks'> = {},
): SessionOpening {
  if (parent === null) return opening;
  const tools = narrowerTools(opening.tools, parent.tools);
  return {
    ...opening,
    mode: parent.mode,
    silent: opening.silent || parent.silent || !childAsks,
    tools: tools === null ? null : [...tools],
    roots: rootsBelow(opening.roots, parent.roots),
  };
}

/** The wanted roots that lie inside the parent's; the parent's own where none does. */
function rootsBelow(wanted: readonly string[], parents: readonly string[]): string[] {
  const inside = wanted.filter((root) => withinRoots(root, parents));
  return inside.length > 0 ? inside : [...parents];
}

/**
 * The event that opens a session below its ancestors (root first). A ToolCall names its own session; for the unknown
 * ancestors of a call give `{sessionId, opening, keyId: call.keyId}` of each, root first.
 */
export function sessionStarted(
  session: Pick<ToolCall, 'sessionId' | 'keyId' | 'opening'>,
  ancestors: readonly SessionState[],
  terms: StartTerms = {},
): SessionEvent {
  const parent = ancestors.at(-1) ?? null;
  return sessionEvent('SessionStarted', {
    sessionId: session.sessionId,
    keyId: session.keyId,
    opening: inheritedOpening(session.opening, parent, terms),
    rootId: parent?.rootId ?? session.sessionId,
    ...(terms.at === undefined ? {} : { at: terms.at }),
  });
}

/** The state that an unknown session has once this call has opened it: facts are built from it before the call is decided. */
export function openedState(
  session: Pick<ToolCall, 'sessionId' | 'keyId' | 'opening'>,
  ancestors: readonly SessionState[] = [],
  terms: StartTerms = {},
): SessionState {
  return evolve(initialState(), sessionStarted(session, ancestors, terms));
}
