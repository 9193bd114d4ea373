/** What the agent's loop is told to do next, from the state of its session and the limits of its policy. */
import type { Told } from '@countersign/contracts';
import type { SessionState } from './state.js';

/** Words for the model; each preset has its own. */
export interface RunNotices {
  readonly ended: string;
  readonly lastStep: string;
  readonly nothingNew: string;
  readonly outOfTokens: string;
  readonly makeRoom: string;
  /** One for each strength of a nudge, the weakest first. */
  readonly nudges: readonly [string, string, string];
}

/** The limits of a run, as the policy has them; null: none. Steps and tokens are counted, compactions are failures in a row. */
export interface LoopLimits {
  readonly maxSteps: number | null;
  readonly softTokens: number | null;
  readonly maxTokens: number | null;
  readonly stepsWithoutNews: number | null;
  readonly compactionFailures: number | null;
  readonly notices: RunNotices;
}

/** Written so that NaN is past every limit. */
function isPast(count: number, limit: number | null): boolean {
  return limit !== null && !(count <= limit);
}

/** Have several steps in a row brought nothing new? */
export function isGoingInCircles({ run }: SessionState, limit: number | null): boolean {
  return limit !== null && !(run.stepsWithoutNews < limit);
}

/** May the context still be made smaller without being told to? Not when it failed too often in a row. */
export function mayCompact(
  { run }: SessionState,
  { compactionFailures }: Pick<LoopLimits, 'compactionFailures'>,
): boolean {
  return compactionFailures === null || run.compactionFailures < compactionFailures;
}

/** What to do next; null: go on. `ancestors`: what holds one of them holds this session. The strongest word comes first. */
export function toldOf(state: SessionState, ancestors: readonly SessionState[], limits: LoopLimits): Told | null {
  const { notices } = limits;
  const { step, tokens } = state.run;
  const held = [...ancestors, state].some((one) => one.cancelled || one.breakerOpen) || ancestors.some(hasStopped);
  if (held) return { directive: 'break', text: notices.ended };
  if (isPast(step, limits.maxSteps)) return { directive: 'finalize', text: notices.lastStep };
  if (isPast(tokens, limits.maxTokens)) {
    const text = notices.outOfTokens;
    return mayCompact(state, limits)
      ? { directive: 'compact', text: notices.makeRoom }
      : { directive: 'finalize', text };
  }
  if (isGoingInCircles(state, limits.stepsWithoutNews)) return { directive: 'finalize', text: notices.nothingNew };
  return nudgeOf(state, limits);
}

function hasStopped(state: SessionState): boolean {
  return state.stopped;
}

/** A nudge once the soft limit is passed, the stronger the nearer the hard one is; null below. */
export function nudgeOf({ run }: SessionState, limits: LoopLimits): Told | null {
  const { softTokens, maxTokens, notices } = limits;
  if (softTokens === null || !isPast(run.tokens, softTokens)) return null;
  const room = maxTokens === null ? softTokens : Math.max(1, maxTokens - softTokens);
  const used = (run.tokens - softTokens) / room;
  const level = !(used < 2 / 3) ? 3 : used < 1 / 3 ? 1 : 2;
  return { directive: 'nudge', level, text: notices.nudges[level - 1] ?? notices.nudges[2] };
}
