/** Layer 2: what the hooks said. The first block ends their chain; a hook never lifts anything. */
import { addMatch, type Judgement } from '../judgement.js';

export function hookLayer(judgement: Judgement): void {
  const { hooks } = judgement.facts;
  if (hooks === undefined) return;
  for (const hook of hooks) {
    if (hook.on !== 'PreToolUse') continue;
    if (hook.action === 'require_permission') {
      const reason = hook.reason ?? 'a hook wants a person to decide';
      addMatch(judgement, { layer: 'hook', effect: 'ask', ruleId: 'hook.require_permission', reason });
    }
    if (hook.action === 'block' || hook.action === 'deny') {
      addMatch(judgement, {
        layer: 'hook',
        effect: 'deny',
        ruleId: 'hook.block',
        reason: hook.reason ?? 'a hook blocked',
      });
      return;
    }
  }
}
