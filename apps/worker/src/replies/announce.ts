/** Tells what a committed round decided: replies to gateways, new asks to approvers, timers for their ends. */
import type { Reply } from '@countersign/contracts';
import type { Bus, Queue } from '@countersign/queue';
import type { OpenedAskNotice, RoundResult, Settled } from '../rounds/round-item.js';

export interface AnnounceDeps {
  readonly bus: Pick<Bus, 'reply' | 'opened'>;
  readonly queue: Pick<Queue, 'asks'>;
  /** A timer that could not be set; the sweep finds the ask when it is due. */
  readonly onError: (error: unknown) => void;
}

/** Never throws: all of it is a hint, and the ledger holds the truth. `now`: milliseconds of this host's clock. */
export async function announce(result: RoundResult, deps: AnnounceDeps, now: number): Promise<void> {
  await Promise.all([
    ...repliesByGateway(result.settled).map(([gateway, replies]) => deps.bus.reply(gateway, replies)),
    ...result.opened.map((ask) => announceAsk(ask, deps, now)),
  ]);
}

function repliesByGateway(settled: readonly Settled[]): [string, Reply[]][] {
  const byGateway = new Map<string, Reply[]>();
  for (const { item, outcome } of settled) {
    const replies = byGateway.get(item.replyTo) ?? [];
    replies.push({ callId: item.call.id, outcome });
    byGateway.set(item.replyTo, replies);
  }
  return [...byGateway];
}

async function announceAsk(ask: OpenedAskNotice, { bus, queue, onError }: AnnounceDeps, now: number): Promise<void> {
  const { tenantId, askId, deadline } = ask;
  await bus.opened({ tenantId, askId });
  try {
    await queue.asks.add({ kind: 'notify', tenantId, askId }, { id: `${askId}-notify` });
    if (deadline === null) return;
    const delayMs = Math.max(0, Date.parse(deadline) - now);
    await queue.asks.add({ kind: 'expire', tenantId, askId }, { id: expireJobId(askId), delayMs });
  } catch (error) {
    onError(error);
  }
}

/** Id of the job that ends an ask at its deadline. */
export function expireJobId(askId: string): string {
  return `${askId}-expire`;
}
