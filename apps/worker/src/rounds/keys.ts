/** Text keys for maps: unambiguous whatever the parts hold. */
import type { CallKey, ToolCall } from '@countersign/contracts';

const join = (...parts: (string | number)[]): string => JSON.stringify(parts);

export const streamKey = (tenantId: string, streamId: string): string => join(tenantId, streamId);

export const callKeyText = (key: CallKey): string =>
  join(key.tenantId, key.sessionId, key.agent, key.toolUseId, key.attempt);

/** What a PermissionRequest is joined by. */
export const sameCallText = (call: {
  tenantId: string;
  sessionId: string;
  agent: string;
  tool: string;
  argsHash: string;
}): string => join(call.tenantId, call.sessionId, call.agent, call.tool, call.argsHash);

export const callKeyOf = ({ tenantId, sessionId, agent, toolUseId, attempt }: ToolCall): CallKey => ({
  tenantId,
  sessionId,
  agent,
  toolUseId,
  attempt,
});
