/** The evidence that one hooked call needs, gathered on this machine. */
import { policyDocumentSchema, type ResolvedPaths, type SessionFacts } from '@countersign/contracts';
import type { HookedCall } from '@countersign/agents';
import { resolveEvidence } from '@countersign/server/evidence';
import type { HookAgent } from './agents.js';

/**
 * Which paths a call touches is asked of the engine, under the standard policy: the service's own policy may want more, and
 * then finds no evidence for it, which asks. Null when the hook is no tool call that waits.
 */
export async function callEvidence(agent: HookAgent, hook: unknown, home: string): Promise<ResolvedPaths | null> {
  const { readHook } = await import('@countersign/agents');
  const input = readHook(agent, hook);
  if (input.kind !== 'gate') return null;
  const { compilePolicy, requiredPaths } = await import('@countersign/policy');
  const compiled = compilePolicy(policyDocumentSchema.parse({}));
  if (!compiled.ok) return null;
  const { tool, args, cwd } = input.toolCall;
  const call = { tool, args, problem: null, argsHash: '', cwd, reportedMode: null };
  return resolveEvidence(requiredPaths(call, compiled.policy, sessionOf(input.toolCall, home)));
}

/** A session about which nothing is known but where it works. */
function sessionOf(call: HookedCall, home: string): SessionFacts {
  return {
    sessionId: call.sessionId,
    cancelled: false,
    stopped: false,
    breakerOpen: false,
    heldBy: null,
    mode: 'default',
    silent: false,
    subagent: call.parentSessionId !== null,
    tools: null,
    rules: [],
    grants: [],
    roots: call.cwd === null ? [] : [call.cwd],
    cwd: call.cwd,
    home,
  };
}
