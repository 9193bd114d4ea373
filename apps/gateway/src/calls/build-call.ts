/** From what a client or a hook sent to the call that travels to the worker. */
import { hash } from 'node:crypto';
import { findSecrets } from '@countersign/redaction';
import { timeOrderedId } from '@countersign/server';
import {
  DoorError,
  placeText,
  quickParser,
  toolCallSchema,
  type CallArguments,
  type ResolvedPaths,
  type SessionOpening,
  type ToolCall,
} from '@countersign/contracts';

const checkCall = quickParser(toolCallSchema);

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
  readonly mcpServer?: string | undefined;
  readonly opening: SessionOpening;
  readonly ancestors: ToolCall['ancestors'];
}

/** Gives the call our own id. Throws `request.invalid` for what no worker would take. */
export function buildCall(parts: CallParts): ToolCall {
  const call = callOf(parts);
  const place = placeText(call);
  if (place !== null) call.placeHash = sha256hex(place);
  const checked = checkCall(call);
  if (checked.success) return refuseSecretNames(call);
  const issue = checked.error.issues[0];
  throw new DoorError(
    'request.invalid',
    `the call cannot be sent: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  );
}

/** Written out: every call passes here, and copying the rest of an object costs more than all of its fields. */
function callOf(parts: CallParts): ToolCall {
  const { tenantId, keyId, sessionId, attempt, tool, args, cwd, mode, sameHost, description, joinsByHash } = parts;
  const { opening, ancestors, resolvedPaths, mcpServer } = parts;
  const callId = timeOrderedId();
  const call: ToolCall = {
    id: `call_${callId}`,
    tenantId,
    keyId,
    sessionId,
    agent: opening.agent,
    toolUseId: parts.toolUseId ?? `own_${callId}`,
    attempt,
    tool,
    args,
    cwd,
    mode,
    resolvedPaths: JSON.stringify(resolvedPaths).length > MAX_EVIDENCE_CHARS ? {} : resolvedPaths,
    sameHost,
    description,
    joinsByHash,
    opening,
    ancestors,
  };
  if (mcpServer !== undefined) call.mcpServer = mcpServer;
  return call;
}

/** What a call is found and judged by. */
const NAMES: readonly (readonly [string, (call: ToolCall) => string | null])[] = [
  ['sessionId', (call) => call.sessionId],
  ['agent', (call) => call.agent],
  ['toolUseId', (call) => call.toolUseId],
  ['tool', (call) => call.tool],
  ['mode', (call) => call.mode],
  ['cwd', (call) => call.cwd],
  ['home', (call) => call.opening.home],
  ['roots', (call) => call.opening.roots.join('\n')],
];

/** It is stored as it is, so it must not be a secret: such a call is refused, and nothing is kept of it. */
function refuseSecretNames(call: ToolCall): ToolCall {
  for (const [what, nameOf] of NAMES) {
    const name = nameOf(call);
    if (name === null || findSecrets(name).length === 0) continue;
    throw new DoorError('request.invalid', `the call cannot be sent: ${what} looks like a secret`);
  }
  return call;
}
