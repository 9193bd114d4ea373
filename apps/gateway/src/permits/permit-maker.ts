/** Makes the permit of an allowed call at the moment it is handed out, from what the ledger recorded of it. */
import { randomUUID } from 'node:crypto';
import { runBarredBy } from '@countersign/approval';
import { DoorError, type CallOutcome, type PolicyDocument, type SessionEvent } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { hashOf, signPermit, type PermitClaims, type SigningKey } from '@countersign/permits';
import { obligationsOf } from '@countersign/policy';
import { loadSessionLine } from '../live/session-line.js';
import type { FindSessionPolicy } from '../sessions/session-policies.js';

export interface PermitMakerDeps {
  readonly ledger: Pick<Ledger, 'events' | 'loadRound'>;
  readonly policies: FindSessionPolicy;
  readonly key: SigningKey;
  /** How long a permit may wait to be redeemed, in seconds. */
  readonly seconds: number;
}

export interface HandedCall {
  readonly tenantId: string;
  readonly sessionId: string;
}

type DecidedBody = Extract<SessionEvent, { type: 'ToolCallDecided' }>['body'];

/**
 * The permit of an allowed outcome; null when the ledger knows of no such allow. Its time begins now, however long people took.
 * Throws `permit.refused` when the session was cancelled, stopped or ran out of time meanwhile: nobody could redeem it.
 * INVARIANT: it is bound to the very arguments that the outcome tells the agent to run.
 */
export async function makePermit(outcome: CallOutcome, at: HandedCall, deps: PermitMakerDeps): Promise<string | null> {
  if (outcome.decision !== 'allow') return null;
  const decided = await decisionOf(outcome.id, at, deps.ledger);
  if (decided === null) return null;
  const { request, basis } = decided;
  const rewritten = outcome.updatedInput !== undefined;
  const args: unknown = rewritten ? outcome.updatedInput : argumentsOf(request);
  const { compiled, document } = await deps.policies(at.tenantId, basis.policyName);
  const now = Math.floor(Date.parse(await timeToRun(at, document, deps.ledger)) / 1_000);
  const claims: PermitClaims = {
    tenant: at.tenantId,
    session: at.sessionId,
    agent: request.agent,
    call: request.callId,
    attempt: request.attempt,
    tool: request.tool,
    args: rewritten ? hashOf(args) : request.args.hash,
    cwd: request.cwd,
    evidence: hashOf(request.resolvedPaths),
    obligations: obligationsOf(compiled, request.tool, args),
    jti: `permit_${randomUUID()}`,
    iat: now,
    exp: now + deps.seconds,
  };
  return signPermit(claims, deps.key);
}

/** The database's clock. Throws when nothing of the session may run any more. */
async function timeToRun(
  { tenantId, sessionId }: HandedCall,
  { sessionSeconds }: Pick<PolicyDocument, 'sessionSeconds'>,
  ledger: Pick<Ledger, 'loadRound'>,
): Promise<string> {
  const { now, line } = await loadSessionLine(ledger, { tenantId, sessionId });
  const own = line.at(-1);
  const barred = own === undefined ? null : runBarredBy(own, line.slice(0, -1), { sessionSeconds, now });
  if (barred === null) return now;
  const { reason, message } = barred;
  throw new DoorError('permit.refused', `no permit: ${message}`, { reason });
}

async function decisionOf(
  callId: string,
  { tenantId, sessionId }: HandedCall,
  { events }: Pick<Ledger, 'events'>,
): Promise<DecidedBody | null> {
  const decisions = await events.decisionsOn({ tenantId, streamId: sessionId }, callId);
  const bodies = decisions.map((event) => event.body as DecidedBody);
  return bodies.find(({ decision }) => decision.effect === 'allow') ?? null;
}

/** Only to look up obligations that depend on arguments; what is signed is their hash. */
function argumentsOf({ args }: DecidedBody['request']): unknown {
  return args.state === 'ok' ? (JSON.parse(args.json) as unknown) : null;
}

/** ISO-8601 UTC: permits begin and end by the clock that redeeming goes by. */
export async function databaseNow(ledger: Pick<Ledger, 'loadRound'>): Promise<string> {
  return (await ledger.loadRound({ tenants: [], streams: [], keys: [], hashJoins: [] })).now;
}
