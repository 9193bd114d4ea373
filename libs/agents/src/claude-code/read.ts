/** Claude Code's hook bodies, read into our words. Total: a body that does not fit is `unreadable`, never an exception. */
import { resolvedPathsSchema, type ResolvedPaths } from '@countersign/contracts';
import {
  bounded,
  durationField,
  field,
  fieldsOf,
  headField,
  idField,
  outputText,
  textField,
  type Fields,
} from '../fields.js';
import type { HookedCall, HookedResult, HookedSession, HookInput } from '../hook-input.js';
import { isGateEvent, type GateEvent } from './events.js';

const MAX_PATH = 4_096;
const MAX_DETAIL = 4_000;
const MAX_DESCRIPTION = 10_000;
const MAX_BATCH = 256;

/** Reads one body. Unknown events are notes. */
export function readClaudeHook(body: unknown): HookInput {
  const fields = fieldsOf(body);
  if (fields === null) return unreadable(null, 'the hook body is not a JSON object');
  const event = idField(fields, 'hook_event_name');
  if (event === null) return unreadable(null, 'the hook body names no event in `hook_event_name`');
  const session = readSession(fields);
  if (isGateEvent(event)) {
    return session === null
      ? unreadable(event, 'the hook body has no usable `session_id`')
      : readGate(event, session, fields);
  }
  return session === null ? note(event, null, fields) : readOther(event, session, fields);
}

function readGate(event: GateEvent, session: HookedSession, fields: Fields): HookInput {
  const tool = idField(fields, 'tool_name');
  if (tool === null) return unreadable(event, 'the hook body has no usable `tool_name`');
  const toolUseId = event === 'PermissionRequest' ? null : idField(fields, 'tool_use_id');
  if (toolUseId === null && field(fields, 'tool_use_id') !== undefined && event !== 'PermissionRequest') {
    return unreadable(event, 'the hook body has no usable `tool_use_id`');
  }
  const args = field(fields, 'tool_input');
  const toolCall: HookedCall = {
    ...session,
    toolUseId,
    tool,
    args: args === undefined ? null : args,
    description: descriptionOf(args),
    joinsByHash: event === 'PermissionRequest',
    ...readEvidence(fields),
  };
  return { kind: 'gate', event, toolCall };
}

function readOther(event: string, session: HookedSession, fields: Fields): HookInput {
  switch (event) {
    case 'PostToolUse':
    case 'PostToolUseFailure':
    case 'PostToolBatch': {
      const results = readResults(event, fields);
      return results.length > 0 ? { kind: 'result', event, session, results } : note(event, session, fields);
    }
    case 'SessionStart':
      return { kind: 'session-start', event, session, detail: headField(fields, 'source', 100) ?? 'startup' };
    case 'SessionEnd':
      return { kind: 'session-end', event, session, reason: headField(fields, 'reason', 100) ?? 'other' };
    case 'SubagentStart':
    case 'SubagentStop':
      return readSubagent(event, session, fields);
    default:
      return note(event, session, fields);
  }
}

/** Without an agent id there is no telling which subagent is meant: a note, so that nothing of the session itself ends. */
function readSubagent(event: 'SubagentStart' | 'SubagentStop', session: HookedSession, fields: Fields): HookInput {
  if (session.parentSessionId === null) return note(event, session, fields);
  const agentType = headField(fields, 'agent_type', 256) ?? 'subagent';
  return event === 'SubagentStart'
    ? { kind: 'subagent-start', event, session, detail: agentType }
    : { kind: 'subagent-stop', event, session, reason: `${agentType} ended` };
}

/** The session of the body; inside a subagent a child of it. Null when there is no usable id. */
function readSession(fields: Fields): HookedSession | null {
  const root = idField(fields, 'session_id');
  // `@` begins our own streams.
  if (root === null || root.startsWith('@')) return null;
  const agentId = idField(fields, 'agent_id');
  if (agentId === null && (field(fields, 'agent_id') ?? null) !== null) return null;
  const sessionId = agentId === null ? root : `${root}/${agentId}`;
  if (sessionId.length > 256) return null;
  return {
    sessionId,
    parentSessionId: agentId === null ? null : root,
    agent: 'claude-code',
    cwd: textField(fields, 'cwd', MAX_PATH),
    mode: textField(fields, 'permission_mode', 64),
  };
}

function descriptionOf(args: unknown): string | null {
  const fields = fieldsOf(args);
  return fields === null ? null : headField(fields, 'description', MAX_DESCRIPTION);
}

/** What our own command on the agent's machine added about its file system. Anything malformed is no evidence. */
function readEvidence(fields: Fields): { resolvedPaths: ResolvedPaths; home: string | null } {
  const added = fieldsOf(field(fields, 'countersign'));
  if (added === null) return { resolvedPaths: {}, home: null };
  const paths = resolvedPathsSchema.safeParse(field(added, 'resolvedPaths'));
  return { resolvedPaths: paths.success ? paths.data : {}, home: textField(added, 'home', MAX_PATH) };
}

function readResults(event: 'PostToolUse' | 'PostToolUseFailure' | 'PostToolBatch', fields: Fields): HookedResult[] {
  if (event !== 'PostToolBatch') {
    const result = readResult(fields, event === 'PostToolUseFailure');
    return result === null ? [] : [result];
  }
  const calls = field(fields, 'tool_calls');
  if (!Array.isArray(calls)) return [];
  return calls.slice(0, MAX_BATCH).flatMap((call: unknown) => {
    const one = fieldsOf(call);
    const result = one === null ? null : readResult(one, false);
    return result === null ? [] : [result];
  });
}

function readResult(fields: Fields, failed: boolean): HookedResult | null {
  const toolUseId = idField(fields, 'tool_use_id');
  const tool = idField(fields, 'tool_name');
  if (toolUseId === null || tool === null) return null;
  const interrupted = field(fields, 'is_interrupt') === true;
  return {
    toolUseId,
    tool,
    status: failed ? (interrupted ? 'cancelled' : 'failed') : 'succeeded',
    output: outputText(field(fields, 'tool_response')),
    error: failed ? (headField(fields, 'error', MAX_DETAIL) ?? 'the tool failed') : null,
    elapsedMs: durationField(fields, 'duration_ms'),
  };
}

function note(event: string, session: HookedSession | null, fields: Fields): HookInput {
  return { kind: 'note', event, session, detail: noteDetail(fields), denied: readDenied(event, fields) };
}

/** The agent's own classifier refused a call. */
function readDenied(event: string, fields: Fields) {
  if (event !== 'PermissionDenied') return null;
  const toolUseId = idField(fields, 'tool_use_id');
  const tool = idField(fields, 'tool_name');
  if (toolUseId === null || tool === null) return null;
  return { toolUseId, tool, reason: headField(fields, 'reason', MAX_DETAIL) ?? 'refused by the agent' };
}

/** Fields worth keeping of a note: short ones that say what happened. Prompts and messages of users stay with the agent. */
const NOTE_FIELDS = [
  'tool_name',
  'tool_use_id',
  'reason',
  'source',
  'trigger',
  'notification_type',
  'mcp_server_name',
  'mode',
  'action',
  'command_name',
] as const;

function noteDetail(fields: Fields): string {
  const kept = NOTE_FIELDS.flatMap((name) => {
    const value = headField(fields, name, 256);
    return value === null ? [] : [[name, value] as const];
  });
  return bounded(JSON.stringify(Object.fromEntries(kept)), MAX_DETAIL);
}

function unreadable(event: string | null, reason: string): HookInput {
  return { kind: 'unreadable', event, reason };
}
