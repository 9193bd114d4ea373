/** Makes the permit of an allowed call at the moment it is handed out, from what the ledger recorded of it. */
import { randomUUID } from 'node:crypto';
import { PARKED_GRANT_MS, runBarredBy } from '@countersign/approval';
import { DoorError, type CallOutcome, type SessionEvent } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { hashOf, signPermit, type PermitClaims, type SigningKey } from '@countersign/permits';
import { obligationsOf } from '@countersign/policy';
import { loadSessionLine } from '../live/session-line.js';
import type { FindSessionPolicy, SessionPolicy } from '../sessions/session-policies.js';
import { deniedSince } from './denied-since.js';

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
 * Throws `permit.refused` when the session was cancelled, stopped or ran out of time meanwhile, when the allow is too old, and when the
 * policy or the session denies the call by now.
 * INVARIANT: it is bound to the very arguments that the outcome tells the agent to run.
 */
export async function makePermit(outcome: CallOutcome, at: HandedCall, deps: PermitMakerDeps): Promise<string | null> {
  if (outcome.decision !== 'allow') return null;
  const decided = await allowOf(deps.ledger, at, outcome.id);
  if (decided === null) return null;
  const { request, basis } = decided.body;
  const rewritten = outcome.updatedInput !== undefined;
  const args: unknown = rewritten ? outcome.updatedInput : argumentsOf(request);
  const policy = await deps.policies(at.tenantId, basis.policyName);
  const now = Math.floor(Date.parse(await timeToRun(at, { decided, policy }, deps.ledger)) / 1_000);
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
    obligations: obligationsOf(policy.compiled, request.tool, args),
    jti: `permit_${randomUUID()}`,
    iat: now,
    exp: now + deps.seconds,
  };
  return signPermit(claims, deps.key);
}

/** How long after its decision an allow is still good for a permit: as long as a one-time approval holds. */
const ALLOW_HOLDS_MS = PARKED_GRANT_MS;

interface Minting {
  readonly decided: DecidedCall;
  readonly policy: SessionPolicy;
}

/** The database's clock. Throws when nothing of the session may run any more, and when the call would be denied by now. */
async function timeToRun(
  { tenantId, sessionId }: HandedCall,
  { decided, policy }: Minting,
  ledger: Pick<Ledger, 'loadRound'>,
): Promise<string> {
  const { now, line } = await loadSessionLine(ledger, { tenantId, sessionId });
  const own = line.at(-1);
  const terms = { sessionSeconds: policy.document.sessionSeconds, endsWhenAllowed: endsAt(decided), now };
  const barred = own === undefined ? null : runBarredBy(own, line.slice(0, -1), terms);
  if (barred !== null) throw refusedFor(barred.reason, barred.message);
  // A time that cannot be read counts as over.
  if (!(Date.parse(now) - Date.parse(decided.at) <= ALLOW_HOLDS_MS)) {
    throw refusedFor('too_old', `the call was allowed more than ${ALLOW_HOLDS_MS / 60_000} minutes ago`);
  }
  const denied = deniedSince(decided.body, policy, { line, now });
  if (denied !== null) throw refusedFor('denied_since', denied);
  return now;
}

function refusedFor(reason: string, message: string): DoorError {
  return new DoorError('permit.refused', `no permit: ${message}`, { reason });
}

/** The allow of a call as it is on record. `at`: ISO-8601 UTC, the database's clock. */
export interface DecidedCall {
  readonly body: DecidedBody;
  readonly at: string;
}

/** Null: the ledger knows of no such allow. */
export async function allowOf(
  { events }: Pick<Ledger, 'events'>,
  { tenantId, sessionId }: HandedCall,
  callId: string,
): Promise<DecidedCall | null> {
  const decisions = await events.decisionsOn({ tenantId, streamId: sessionId }, callId);
  const all = decisions.map((event) => ({ body: event.body as DecidedBody, at: event.time }));
  return all.find(({ body }) => body.decision.effect === 'allow') ?? null;
}

/** How often the session's line had been cancelled or stopped when the call was allowed. */
export function endsAt({ body }: DecidedCall): number {
  return body.basis.facts.session.ends ?? 0;
}

/** Only to look up obligations that depend on arguments; what is signed is their hash. */
function argumentsOf({ args }: DecidedBody['request']): unknown {
  return args.state === 'ok' ? (JSON.parse(args.json) as unknown) : null;
}

/** ISO-8601 UTC: permits begin and end by the clock that redeeming goes by. */
export async function databaseNow(ledger: Pick<Ledger, 'loadRound'>): Promise<string> {
  return (await ledger.loadRound({ tenants: [], streams: [], keys: [], hashJoins: [] })).now;
}
