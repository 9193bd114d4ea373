/** Layer 8: whatever nothing covers. */
import { gapsOf } from '../cover.js';
import { addMatch, type Judgement } from '../judgement.js';

export function defaultLayer(judgement: Judgement): void {
  const { entry, args } = judgement.analysis;
  if (args === null) return;
  const { preset, document } = judgement.policy;
  if (preset.coverage === 'call') {
    judgeCall(judgement);
    return;
  }
  for (const { subject, kind } of gapsOf(judgement)) {
    if (entry.known) {
      const effect = judgement.modeEntry.uncovered?.[kind] ?? preset.defaultEffect;
      addMatch(judgement, {
        layer: 'default',
        effect,
        ruleId: `default.${effect}`,
        reason: 'no rule covers this',
        subject,
      });
    } else {
      const effect = document.unknownTool ?? preset.unknownTool;
      const reason = `no manifest knows the tool \`${judgement.call.tool}\``;
      addMatch(judgement, { layer: 'default', effect, ruleId: 'tool.unknown', reason, subject });
    }
  }
}

/** The default of a preset that judges calls as a whole: only when nothing else spoke. An unknown tool never gets it. */
function judgeCall(judgement: Judgement): void {
  const { analysis, policy, call, matches } = judgement;
  const { defaultEffect, defaultReason, unknownTool } = policy.preset;
  if (!analysis.entry.known) {
    const effect = policy.document.unknownTool ?? unknownTool;
    const reason = defaultReason.replace('{tool}', () => call.tool);
    addMatch(judgement, { layer: 'default', effect, ruleId: 'tool.unknown', reason });
  } else if (matches.length === 0) {
    const reason = defaultReason.replace('{tool}', () => call.tool);
    addMatch(judgement, { layer: 'default', effect: defaultEffect, ruleId: `default.${defaultEffect}`, reason });
  }
}
