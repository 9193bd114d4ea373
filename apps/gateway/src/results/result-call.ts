/** From a call's row and its session to the call that a result is recorded of. */
import type { PriorCall, SessionState } from '@countersign/approval';
import type { CallKey } from '@countersign/contracts';
import { DEFAULT_POLICY_NAME } from '../sessions/opening.js';
import type { ResultCall } from './results.js';

/** `state` null: the session was forgotten; its policy is the tenant's default. */
export function resultCallOf(
  { key, ...prior }: PriorCall & { readonly key: CallKey },
  state: SessionState | null,
): ResultCall {
  return {
    tenantId: key.tenantId,
    sessionId: key.sessionId,
    parentId: state?.parentId ?? null,
    agent: key.agent,
    policy: state?.opening?.policy ?? DEFAULT_POLICY_NAME,
    cwd: state?.cwd ?? null,
    callId: prior.callId,
    toolUseId: key.toolUseId,
    tool: prior.tool,
    denied: prior.status === 'decided' && prior.outcome.decision === 'deny',
  };
}
