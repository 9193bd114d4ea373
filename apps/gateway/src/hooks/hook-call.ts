/** From a gating hook to the call that travels to the worker, with the sessions that it may open. */
import { argumentsAt, type InspectedJson, type SessionOpening, type ToolCall } from '@countersign/contracts';
import type { HookedCall, HookedSession } from '@countersign/agents';
import type { Principal } from '@countersign/server';
import { buildCall, sha256hex } from '../calls/build-call.js';
import { openingFor, type PolicyModes } from '../sessions/opening.js';

/** Where Claude Code's bodies hold the arguments; flaws of the JSON text elsewhere do not touch them. */
const ARGUMENTS_AT = ['tool_input'];

/** The opening of the hook's session: the key's own defaults. `parentId` as the hook says. */
export function hookOpening(session: HookedSession, principal: Principal, modes: PolicyModes): SessionOpening {
  const { agent, cwd, parentSessionId: parentId } = session;
  const home = 'home' in session && typeof session.home === 'string' ? session.home : null;
  const result = openingFor(principal, { agent, cwd, parentId, home: home ?? principal.home }, modes);
  // A hook asks for nothing beyond the key's defaults, so nothing of it can be too wide.
  if (!result.ok) throw new Error(result.message);
  return result.opening;
}

export function hookCall(
  hooked: HookedCall,
  inspected: InspectedJson,
  context: { principal: Principal; modes: PolicyModes },
): ToolCall {
  const { principal, modes } = context;
  const { sessionId, parentSessionId, toolUseId, tool, cwd, mode, description, joinsByHash, resolvedPaths } = hooked;
  const opening = hookOpening(hooked, principal, modes);
  const parent = { ...opening, parentId: null };
  return buildCall({
    tenantId: principal.tenantId,
    keyId: principal.keyId,
    sameHost: principal.sameHost,
    sessionId,
    toolUseId,
    attempt: 1,
    tool,
    args: argumentsAt(inspected, ARGUMENTS_AT, sha256hex),
    cwd,
    mode,
    resolvedPaths,
    description,
    joinsByHash,
    opening,
    ancestors: parentSessionId === null ? [] : [{ sessionId: parentSessionId, opening: parent }],
  });
}
