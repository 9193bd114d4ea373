/** INVARIANT: under an engaged kill switch no allow leaves the gateway, whenever it was decided. */
import type { CallOutcome } from '@countersign/contracts';
import type { SessionCommand } from '@countersign/approval';
import type { KillWatch } from '@countersign/server';

/** Where the call stands; `sessionIds` and `agents` as far up as the gateway knows. */
export interface HandOutPlace {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly tool: string;
  readonly parentIds?: readonly string[];
}

export interface WithholdDeps {
  readonly kills: Pick<KillWatch, 'holding'>;
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
  const { tenantId, sessionId, agent, tool, parentIds = [] } = place;
  if (outcome.decision !== 'allow') return outcome;
  const kill = deps.kills.holding(tenantId, { sessionIds: [sessionId, ...parentIds], agents: [agent], tool });
  if (kill === null) return outcome;
  await recordOnce(JSON.stringify({ callId: outcome.id, killId: kill.killId }), place, deps);
  const { id, approvalStatus } = outcome;
  const reason = `a kill switch is engaged: ${kill.reason}`;
  return { id, decision: 'deny', ruleId: 'guard.killed', reason, layer: 'guard', approvalStatus };
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
