/** Layer 1: may this session act at all? What holds a parent holds everything below it. */
import { addMatch, type Judgement } from '../judgement.js';

export function guardLayer(judgement: Judgement): void {
  denyHeld(judgement);
  denyUnavailable(judgement);
  denyPastLimits(judgement);
}

function denyHeld(judgement: Judgement): void {
  const { session } = judgement.facts;
  const by = session.heldBy === null || session.heldBy === session.sessionId ? '' : ` (by \`${session.heldBy}\`)`;
  if (session.kill !== undefined) {
    deny(judgement, 'guard.killed', `a kill switch is engaged: ${session.kill.reason}`);
  }
  if (session.cancelled) deny(judgement, 'guard.cancelled', `the session was cancelled${by}`);
  if (session.stopped) deny(judgement, 'guard.stopped', `the session was stopped${by}`);
  if (session.breakerOpen) deny(judgement, 'guard.breaker', `the session stopped after too many denials${by}`);
}

/** Tools and modes that this session has not. */
function denyUnavailable(judgement: Judgement): void {
  const { session } = judgement.facts;
  const { silencesInteraction, legalModes } = judgement.policy.preset;
  if (session.tools !== null && !session.tools.includes(judgement.call.tool)) {
    deny(judgement, 'guard.tool_not_available', `this session may not use \`${judgement.call.tool}\``);
  }
  if (!legalModes.includes(judgement.mode)) {
    deny(judgement, 'guard.illegal_mode', `this policy has no mode \`${judgement.mode}\``);
  }
  if (session.silent && silencesInteraction && judgement.analysis.entry.kind === 'interaction') {
    deny(judgement, 'guard.nobody_to_ask', 'the session is silent: there is no user to talk to');
  }
}

/** What a run may use up. INVARIANT: no mode, rule or grant lifts a limit, so they are guards. */
function denyPastLimits(judgement: Judgement): void {
  const { progress } = judgement.facts.session;
  if (progress === undefined) return;
  const { limits } = judgement.policy.settings;
  const { step, repeat, tokens, diminishingReturns } = progress;
  if (isPast(step, limits.maxSteps)) {
    deny(judgement, 'guard.max_steps', `step ${String(step)} is past the limit of ${String(limits.maxSteps)}`);
  }
  if (limits.maxRepeats !== null && !(repeat < limits.maxRepeats)) {
    deny(judgement, 'guard.duplicate_call', `the same call ${String(repeat)} times in a row`);
  }
  if (isPast(tokens, limits.maxTokens) && !limits.makeRoom.includes(judgement.call.tool)) {
    deny(judgement, 'guard.token_hard_limit', `more than ${String(limits.maxTokens)} tokens are used up`);
  }
  if (limits.stopsWithoutNews && diminishingReturns) {
    deny(judgement, 'guard.diminishing_returns', 'several steps brought nothing new');
  }
}

/** Written so that NaN is past every limit. */
function isPast(count: number, limit: number | null): boolean {
  return limit !== null && !(count <= limit);
}

function deny(judgement: Judgement, ruleId: string, reason: string): void {
  addMatch(judgement, { layer: 'guard', effect: 'deny', ruleId, reason });
}
