/** What the tool itself says of the call: its own checks, and whether it can run without a person. */
import { fileSizeProblem } from '../../tools/file-size.js';
import { readArguments } from '../../tools/read-arguments.js';
import { addMatch, type Judgement } from '../judgement.js';

/** Adds what the tool's own checks refuse, and files larger than a call may write. */
export function denyByTool(judgement: Judgement): void {
  for (const check of judgement.facts.toolChecks ?? []) {
    if (check.effect !== 'deny') continue;
    addMatch(judgement, { layer: 'hard-deny', effect: 'deny', ruleId: 'tool.refused', reason: check.reason });
  }
  const { settings } = judgement.policy;
  const { args, entry } = judgement.analysis;
  const limit = settings.limits.maxFileSize;
  if (args === null || (limit === null && entry.maxFileSize === undefined)) return;
  const reason = fileSizeProblem(entry, readArguments(entry, args, null), limit);
  if (reason === null) return;
  addMatch(judgement, { layer: 'hard-deny', effect: 'deny', ruleId: 'content.too_large', reason });
}

/** Adds what the tool's own checks ask about, and the question that a tool is which cannot run without a person. */
export function askByTool(judgement: Judgement): void {
  const { facts, policy, analysis } = judgement;
  for (const check of facts.toolChecks ?? []) {
    if (check.effect !== 'ask') continue;
    const ruleId = check.kind === 'safety' ? 'tool.safety' : 'tool.asks';
    addMatch(judgement, { layer: 'ask', effect: 'ask', ruleId, reason: check.reason });
  }
  const needsPerson =
    facts.requiresUserInteraction ??
    (policy.preset.asksForInteraction && analysis.entry.requiresUserInteraction === true);
  if (needsPerson) {
    const reason = `\`${judgement.call.tool}\` cannot run without a person`;
    addMatch(judgement, { layer: 'ask', effect: 'ask', ruleId: 'tool.interaction', reason });
  }
}
