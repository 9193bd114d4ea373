/** INVARIANT: under an engaged kill switch no allow leaves the gateway, whenever it was decided. */
import type { CallOutcome, KillFact } from '@countersign/contracts';
import type { SessionCommand } from '@countersign/approval';
import type { KillWatch } from '@countersign/server';

/** Where the call stands. `parentIds`: sessions above that the call itself names, as far as they are not on record yet. */
export interface HandOutPlace {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly tool: string;
  readonly parentIds?: readonly string[];
}

/** The session with all above it, and the agents that they were opened for. */
export interface SessionLine {
  readonly sessionIds: readonly string[];
  readonly agents: readonly string[];
}

export interface WithholdDeps {
  readonly kills: Pick<KillWatch, 'engaged' | 'holding'>;
  /** Read from the ledger, and only while a kill switch of a session or an agent is engaged. */
  readonly lineOf: (tenantId: string, sessionId: string) => Promise<SessionLine>;
  /** Calls and kill switches that were recorded as withheld by this gateway; whoever asks again makes no new event. */
  readonly recorded: Set<string>;
  readonly execute: (target: { tenantId: string; sessionId: string }, command: SessionCommand) => Promise<unknown>;
}

/**
 * The outcome, or in the place of an allow a refusal. It is recorded, and the decision stays as it is: after the release the same
 * call is handed out again.
 */
export async function withholdKilled(
  outcome: CallOutcome,
  place: HandOutPlace,
  deps: WithholdDeps,
): Promise<CallOutcome> {
  if (outcome.decision !== 'allow') return outcome;
  const kill = await killOver(place, deps);
  if (kill === null) return outcome;
  await recordOnce(JSON.stringify({ callId: outcome.id, killId: kill.killId }), place, deps);
  const { id, approvalStatus } = outcome;
  const reason = `a kill switch is engaged: ${kill.reason}`;
  return { id, decision: 'deny', ruleId: 'guard.killed', reason, layer: 'guard', approvalStatus };
}

/** What holds a session or an agent holds all below it, by whatever name the call itself came. */
async function killOver(place: HandOutPlace, { kills, lineOf }: WithholdDeps): Promise<KillFact | null> {
  const { tenantId, sessionId, agent, tool, parentIds = [] } = place;
  const near = kills.holding(tenantId, { sessionIds: [sessionId, ...parentIds], agents: [agent], tool });
  if (near !== null) return near;
  if (!kills.engaged(tenantId).some(({ scope }) => scope === 'session' || scope === 'agent')) return null;
  const line = await lineOf(tenantId, sessionId);
  return kills.holding(tenantId, { sessionIds: line.sessionIds, agents: [agent, ...line.agents], tool });
}

/** Most that is remembered; then it begins anew, and a withheld call may be recorded once more. */
const MAX_RECORDED = 10_000;

async function recordOnce(detail: string, place: HandOutPlace, { recorded, execute }: WithholdDeps): Promise<void> {
  if (recorded.has(detail)) return;
  if (recorded.size >= MAX_RECORDED) recorded.clear();
  recorded.add(detail);
  const { tenantId, sessionId } = place;
  await execute({ tenantId, sessionId }, { type: 'ReportEvent', kind: 'allow_withheld', detail });
}
