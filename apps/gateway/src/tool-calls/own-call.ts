/** A call that a client sends by itself, alone or with others of its step: how it is built, waited for and answered. */
import {
  DoorError,
  ERRORS,
  type CallArguments,
  type CallOutcome,
  type ToolCall,
  type ToolCallBody,
} from '@countersign/contracts';
import type { Principal } from '@countersign/server';
import { buildCall } from '../calls/build-call.js';
import type { DeskTicket } from '../calls/call-desk.js';
import { DEFAULT_POLICY_NAME, openingFor } from '../sessions/opening.js';
import type { FindPolicyModes } from '../sessions/policy-modes.js';

/** Seconds that an agent waits for people unless it says otherwise. */
export const DEFAULT_WAIT = 25;
/** The agent's name where a call does not say it. */
const UNNAMED_AGENT = 'agent';

export interface CallMaking {
  readonly policyModes: FindPolicyModes;
}

/** What the client says of the call; `args` as they were read. */
export interface OwnCall {
  readonly sessionId: string;
  readonly toolUseId: string;
  readonly attempt?: number | undefined;
  readonly tool: string;
  readonly args: CallArguments;
  readonly cwd?: string | undefined;
  readonly agent?: string | undefined;
  readonly resolvedPaths?: ToolCallBody['resolvedPaths'];
  readonly mcpServer?: string | undefined;
  readonly description?: string | undefined;
}

/** Throws `auth.loosens` for what is wider than the key, `request.invalid` for what no worker would take. */
export async function buildOwnCall(
  said: OwnCall,
  principal: Principal,
  { policyModes }: CallMaking,
): Promise<ToolCall> {
  const { tenantId, keyId, sameHost } = principal;
  const modes = await policyModes(tenantId, principal.policy ?? DEFAULT_POLICY_NAME);
  const opened = openingFor(principal, { agent: said.agent ?? UNNAMED_AGENT, cwd: said.cwd }, modes);
  if (!opened.ok) throw new DoorError('auth.loosens', opened.message);
  const { sessionId, toolUseId, attempt = 1, tool, args, cwd = null, resolvedPaths = {}, description = null } = said;
  return buildCall({
    tenantId,
    keyId,
    sameHost,
    sessionId,
    toolUseId,
    attempt,
    tool,
    args,
    cwd,
    mode: null,
    resolvedPaths,
    description,
    joinsByHash: false,
    mcpServer: said.mcpServer,
    opening: opened.opening,
    ancestors: [],
  });
}

/** The outcome after waiting for people, at most so many seconds; the ticket is given back. */
export async function waitForPeople(ticket: DeskTicket, seconds: number): Promise<CallOutcome> {
  try {
    if (ticket.outcome.decision !== 'pending') return ticket.outcome;
    return (await ticket.end(seconds * 1_000)) ?? ticket.outcome;
  } finally {
    ticket.release();
  }
}

/** The deny is recorded; at the door it is the same 403 as for everything else that is not the key's own. */
export function refuseForeign(outcome: CallOutcome): CallOutcome {
  if (outcome.ruleId !== 'auth.not_own_session') return outcome;
  throw new DoorError('auth.not_own_session', ERRORS['auth.not_own_session'].message, { ...outcome });
}
