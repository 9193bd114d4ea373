/** After the commit: wakes the gateways that wait for an ask and takes the card away from every approver. */
import type { AskStatus, CallOutcome, Channel } from '@countersign/contracts';
import type { Bus } from '@countersign/queue';

/** What one command did to one call that waited; calls that joined an ask have the ask's outcome. */
export interface AskOutcome {
  readonly askId: string;
  readonly callId: string;
  readonly outcome: CallOutcome;
}

interface Place {
  readonly tenantId: string;
  readonly sessionId: string;
}

/** Tells of every ask that ended: the answered one by its channel, those that ended with it by `system`. */
export async function tellDecided(
  bus: Bus,
  place: Place,
  answered: { readonly askId: string; readonly by: { readonly channel: Channel } },
  outcomes: readonly AskOutcome[],
): Promise<void> {
  const byAsk = new Map(outcomes.map(({ askId, outcome }) => [askId, outcome]));
  for (const [askId, outcome] of byAsk) {
    const status = endOf(outcome);
    if (status === null) continue;
    const channel = askId === answered.askId ? answered.by.channel : 'system';
    await bus.decided({ ...place, askId, status, channel, outcome });
  }
}

function endOf({ approvalStatus }: CallOutcome): Exclude<AskStatus, 'open'> | null {
  return approvalStatus === null || approvalStatus === 'not_required' ? null : approvalStatus;
}
