/** Text keys for maps: unambiguous whatever the parts hold. */
import type { CallKey, ToolCall } from '@countersign/contracts';

/** Each part with its length before it. */
const part = (text: string | number): string => `${String(text).length}:${text}`;

/** Also of a tenant's policy and its name. */
export const streamKey = (tenantId: string, streamId: string): string => part(tenantId) + streamId;

export const callKeyText = (key: CallKey): string =>
  part(key.tenantId) + part(key.sessionId) + part(key.agent) + part(key.toolUseId) + String(key.attempt);

/** What a PermissionRequest is joined by. */
export const sameCallText = (
  { tenantId, sessionId, agent, tool }: Pick<ToolCall, 'tenantId' | 'sessionId' | 'agent' | 'tool'>,
  callHash: string,
): string => part(tenantId) + part(sessionId) + part(agent) + part(tool) + callHash;

export const callKeyOf = ({ tenantId, sessionId, agent, toolUseId, attempt }: ToolCall): CallKey => ({
  tenantId,
  sessionId,
  agent,
  toolUseId,
  attempt,
});
