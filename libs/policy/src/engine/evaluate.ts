/** The engine's one door: call + policy + facts -> verdict. */
import type { Facts, Layer, Verdict } from '@countersign/contracts';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import type { EngineCall } from './analysis.js';
import { openJudgement, type Judgement } from './judgement.js';
import { allowLayer } from './layers/allow.js';
import { askLayer } from './layers/ask.js';
import { defaultLayer } from './layers/default.js';
import { guardLayer } from './layers/guard.js';
import { hardDenyLayer } from './layers/hard-deny.js';
import { hookLayer } from './layers/hook.js';
import { modeLayer } from './layers/mode.js';
import { pathLayer } from './layers/path.js';
import { requestLayer } from './layers/request.js';
import { settle } from './settle.js';

const LAYERS: Readonly<Record<Layer, (judgement: Judgement) => void>> = {
  request: requestLayer,
  guard: guardLayer,
  hook: hookLayer,
  'hard-deny': hardDenyLayer,
  path: pathLayer,
  ask: askLayer,
  mode: modeLayer,
  allow: allowLayer,
  default: defaultLayer,
};

/**
 * Judges a call. INVARIANT: total. It never throws and never loops, and no failure inside it allows: an unexpected one asks,
 * or denies where nobody may be asked.
 */
export function evaluate(call: EngineCall, policy: CompiledPolicy, facts: Facts): Verdict {
  try {
    const judgement = openJudgement(call, policy, facts);
    for (const layer of policy.preset.layers) LAYERS[layer](judgement);
    return settle(judgement);
  } catch {
    return failure(facts);
  }
}

function failure(facts: Facts): Verdict {
  const effect = facts.session.silent || facts.session.mode === 'dontAsk' ? 'deny' : 'ask';
  const spoken = {
    effect,
    ruleId: 'engine.failure',
    reason: 'the call could not be judged',
    layer: 'request',
  } as const;
  const match = { ...spoken, source: null, pattern: null, subject: null, level: null };
  return { ...spoken, risk: 'high', mode: facts.session.mode, matches: [match] };
}
