/** In which order a key cycles through the modes of a session. */
import type { Mode, PolicyDocument } from '@countersign/contracts';
import { legalModes } from '@countersign/policy';

/** The order in which Claude Code's own documents print its modes; `custom` is set, never cycled to. */
const PRINTED_ORDER: readonly Mode[] = ['default', 'acceptEdits', 'bypassPermissions', 'dontAsk', 'plan', 'auto'];

/** The modes that the policy has, in order; an agent only passes those that it may choose by itself. */
export function modeOrder(
  { preset, agentModes }: Pick<PolicyDocument, 'preset' | 'agentModes'>,
  agent: boolean,
): Mode[] {
  const legal = legalModes(preset);
  return PRINTED_ORDER.filter((mode) => legal.includes(mode) && (!agent || agentModes.includes(mode)));
}
