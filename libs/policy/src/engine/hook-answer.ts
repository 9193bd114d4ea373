/** What PermissionRequest hooks answer in place of people. They are reached by a question alone, so they never lift a deny. */
import { addMatch, type Judgement } from './judgement.js';

/** Adds the first hook's answer to a question, where the preset lets hooks answer. */
export function answerByHook(judgement: Judgement): void {
  const { facts, policy, modeEntry } = judgement;
  if (!policy.preset.hooksAnswer || modeEntry.finalAsk === 'deny') return;
  const answer = facts.hooks?.find((hook) => hook.on === 'PermissionRequest' && hook.action !== 'continue');
  if (answer?.action !== 'allow' && answer?.action !== 'deny') return;
  const effect = answer.action;
  const reason = answer.reason ?? 'a hook answered the question';
  addMatch(judgement, { layer: 'hook', effect, ruleId: 'hook.answer', reason });
}
