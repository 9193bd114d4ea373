/** Layer 8: whatever nothing covers. */
import { gapsOf } from '../cover.js';
import { addMatch, type Judgement } from '../judgement.js';

export function defaultLayer(judgement: Judgement): void {
  const { entry, args } = judgement.analysis;
  if (args === null) return;
  const { preset, document } = judgement.policy;
  for (const { subject } of gapsOf(judgement)) {
    if (entry.known) {
      const effect = preset.defaultEffect;
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
