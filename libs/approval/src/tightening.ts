/** What an agent's own key may do to its session: tighten, never loosen. */
import type { PolicyDocument } from '@countersign/contracts';
import type { SessionCommand } from './command.js';
import { newRules } from './session-rules.js';
import type { SessionState } from './state.js';
import { unreachable } from './unreachable.js';

/**
 * May an agent's key send this command to its own session? Moving among the policy's `agentModes` is not loosening (what a person
 * set is held by the command itself); rules may be added as deny or ask, those that are there already are no change, and only
 * allow rules are removed. Whether the session is the key's own is asked elsewhere.
 */
export function isTightening(
  command: SessionCommand,
  state: SessionState | null,
  policy: Pick<PolicyDocument, 'agentModes'>,
): boolean {
  switch (command.type) {
    case 'SetMode':
      return policy.agentModes.includes(command.mode);
    case 'NextMode':
      return command.order.every((mode) => policy.agentModes.includes(mode));
    case 'ChangeRules':
      return tightensRules(command, state);
    case 'AnswerAsk':
    case 'ResetBreaker':
      return false;
    case 'OpenSession':
    case 'ExpireAsk':
    case 'ParkAsk':
    case 'EndAsks':
    case 'ReportResult':
    case 'RedeemPermit':
    case 'CancelSession':
    case 'StopSession':
    case 'RevokeGrant':
    case 'ReportEvent':
    case 'NarrowSession':
    case 'ReportStep':
    case 'ReportUsage':
    case 'ReportPrompt':
    case 'ReportCompaction':
    case 'PlanBatch':
      return true;
    default:
      return unreachable(command, false);
  }
}

function tightensRules(command: Extract<SessionCommand, { type: 'ChangeRules' }>, state: SessionState | null): boolean {
  const rules = state?.rules ?? [];
  const added = newRules({ rules }, command);
  // A rule that is added under an id in use takes the place of the one that had it.
  const gone = new Set([...command.removed, ...added.map((rule) => rule.id)]);
  return (
    command.added.every((rule) => rule.effect === 'deny' || rule.effect === 'ask') &&
    rules.every((rule) => !gone.has(rule.id) || rule.effect === 'allow')
  );
}
