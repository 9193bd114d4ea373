/** Layer 1: may this session act at all? What holds a parent holds everything below it. */
import { addMatch, type Judgement } from '../judgement.js';

export function guardLayer(judgement: Judgement): void {
  const { session } = judgement.facts;
  const by = session.heldBy === null || session.heldBy === session.sessionId ? '' : ` (by \`${session.heldBy}\`)`;
  if (session.cancelled) deny(judgement, 'guard.cancelled', `the session was cancelled${by}`);
  if (session.stopped) deny(judgement, 'guard.stopped', `the session was stopped${by}`);
  if (session.breakerOpen) deny(judgement, 'guard.breaker', `the session stopped after too many denials${by}`);
  if (session.tools !== null && !session.tools.includes(judgement.call.tool)) {
    deny(judgement, 'guard.tool_not_available', `this session may not use \`${judgement.call.tool}\``);
  }
}

function deny(judgement: Judgement, ruleId: string, reason: string): void {
  addMatch(judgement, { layer: 'guard', effect: 'deny', ruleId, reason });
}
