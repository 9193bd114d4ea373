/** From what a client or a hook sent to the call that travels to the worker. */
import { hash, randomUUID } from 'node:crypto';
import { findSecrets } from '@countersign/redaction';
import {
  DoorError,
  toolCallSchema,
  type CallArguments,
  type ResolvedPaths,
  type SessionOpening,
  type ToolCall,
} from '@countersign/contracts';

/** Hex SHA-256 of a text's UTF-8 bytes. */
export const sha256hex = (text: string): string => hash('sha256', text, 'hex');

/** Most characters of evidence that travel with a call; without evidence the engine asks or denies. */
const MAX_EVIDENCE_CHARS = 512 * 1024;

export interface CallParts {
  readonly tenantId: string;
  readonly keyId: string;
  readonly sameHost: boolean;
  readonly sessionId: string;
  /** Null: the client gave none, so the call is its own. */
  readonly toolUseId: string | null;
  readonly attempt: number;
  readonly tool: string;
  readonly args: CallArguments;
  readonly cwd: string | null;
  readonly mode: string | null;
  readonly resolvedPaths: ResolvedPaths;
  readonly description: string | null;
  readonly joinsByHash: boolean;
  readonly mcpServer?: string;
  readonly opening: SessionOpening;
  readonly ancestors: ToolCall['ancestors'];
}

/** Gives the call our own id. Throws `request.invalid` for what no worker would take. */
export function buildCall(parts: CallParts): ToolCall {
  const { toolUseId, resolvedPaths, ...rest } = parts;
  const callId = randomUUID();
  const call: ToolCall = {
    ...rest,
    id: `call_${callId}`,
    agent: parts.opening.agent,
    toolUseId: toolUseId ?? `own_${callId}`,
    resolvedPaths: JSON.stringify(resolvedPaths).length > MAX_EVIDENCE_CHARS ? {} : resolvedPaths,
  };
  const checked = toolCallSchema.safeParse(call);
  if (checked.success) return refuseSecretNames(call);
  const issue = checked.error.issues[0];
  throw new DoorError(
    'request.invalid',
    `the call cannot be sent: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  );
}

/** What calls are found and judged by is stored as it is, so it must not be a secret: such a call is refused, and nothing is kept of it. */
function refuseSecretNames(call: ToolCall): ToolCall {
  const { sessionId, agent, toolUseId, tool, mode, cwd, opening } = call;
  const names = { sessionId, agent, toolUseId, tool, mode, cwd, home: opening.home, roots: opening.roots.join('\n') };
  const dirty = Object.entries(names).find(([, name]) => name !== null && findSecrets(name).length > 0);
  if (dirty === undefined) return call;
  throw new DoorError('request.invalid', `the call cannot be sent: ${dirty[0]} looks like a secret`);
}
